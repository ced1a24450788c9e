// Classifies each block as main content or not, with two gradient-boosted models, trained on the development split of a
// public dataset (bench/extract/README.md). Stage 1 uses page features only. If its expected F1 is too low, the baselines
// run and stage 2 decides. A model is a list of decision trees whose leaf values are added up.

import type { TextBlock } from './blocks.js'
import { type BaselineResults, computeFeatures, NO_BASELINES, type PageHints } from './features.js'
import { MODEL_WITH_BASELINES } from './model-with-baselines.js'
import { MODEL_WITHOUT_BASELINES } from './model-without-baselines.js'

/** Above this expected F1, stage 1 decides alone. */
const MIN_CONFIDENT_F1 = 0.85
/** Corrects overconfident scores on pages outside of the training data. */
const CALIBRATION = 0.9

/** Returns the indexes of the blocks to keep. `getBaselines` is called only if stage 1 is uncertain; it may return undefined. */
export function classifyBlocks(
  blocks: readonly TextBlock[],
  hints: PageHints,
  getBaselines: () => BaselineResults | undefined,
): Set<number> {
  const selection = selectBlocks(blocks, scoreBlocks(STAGE_1, computeFeatures(blocks, NO_BASELINES, hints)))
  if (selection.expectedF1 > MIN_CONFIDENT_F1) return selection.kept
  const baselines = getBaselines()
  return baselines === undefined
    ? selection.kept
    : selectBlocks(blocks, scoreBlocks(STAGE_2, computeFeatures(blocks, baselines, hints))).kept
}

interface Selection {
  readonly kept: Set<number>
  readonly expectedF1: number
}

/**
 * Selects the blocks with the highest expected F1 of words: by descending probability, as many as raise it. On an uncertain
 * page this keeps blocks with lower probabilities.
 */
function selectBlocks(blocks: readonly TextBlock[], scores: Float64Array): Selection {
  const probabilities = scores.map((value) => 1 / (1 + Math.exp(-value * CALIBRATION)))
  const visible = [...blocks.keys()].filter((at) => blocks[at]?.isHidden === false)
  visible.sort((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0))
  const wordCount = (at: number): number => blocks[at]?.wordCount ?? 0
  const expectedWords = visible.reduce((sum, at) => sum + wordCount(at) * (probabilities[at] ?? 0), 0)
  let selectedWords = 0
  let correctWords = 0
  let expectedF1 = 0
  for (const at of visible) {
    selectedWords += wordCount(at)
    correctWords += wordCount(at) * (probabilities[at] ?? 0)
    expectedF1 = Math.max(expectedF1, (2 * correctWords) / (selectedWords + expectedWords || 1))
  }
  // At the optimum, the threshold is half of the F1.
  return { kept: new Set(visible.filter((at) => (probabilities[at] ?? 0) > expectedF1 / 2)), expectedF1 }
}

interface DecisionTree {
  readonly features: readonly number[]
  readonly thresholds: readonly number[]
  /** Indexed by the results of the conditions; the first one is the lowest bit. */
  readonly leafValues: readonly number[]
}

const STAGE_1 = MODEL_WITHOUT_BASELINES.trim().split('\n').map(parseTree)
const STAGE_2 = MODEL_WITH_BASELINES.trim().split('\n').map(parseTree)

function parseTree(line: string): DecisionTree {
  const [conditionsText = '', leafText = ''] = line.split(' : ')
  const conditions = conditionsText.split(' ').map((condition) => condition.split('>').map(Number))
  return {
    features: conditions.map(([feature]) => feature ?? 0),
    thresholds: conditions.map(([, threshold]) => threshold ?? 0),
    leafValues: leafText.split(' ').map((hundredths) => Number(hundredths) / 100),
  }
}

function scoreBlocks(trees: readonly DecisionTree[], rows: readonly Float64Array[]): Float64Array {
  return Float64Array.from(rows, (row) => {
    let sum = 0
    for (const { features, thresholds, leafValues } of trees) {
      let leaf = 0
      for (let at = 0; at < features.length; at++)
        if ((row[features[at] ?? 0] ?? 0) > (thresholds[at] ?? 0)) leaf |= 1 << at
      sum += leafValues[leaf] ?? 0
    }
    return sum
  })
}
