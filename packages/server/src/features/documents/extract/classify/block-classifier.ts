// Classifies each block as main content or not, with two gradient-boosted models, trained on the development split of a
// public dataset (bench/extract/README.md). Stage 1 uses page features only. If its expected F1 is too low, the baselines
// run and the mean of both stages decides. Used by read-html. Pure.

import type { TextBlock } from './blocks.js'
import { joinRows, parseModel, scoreRows } from './decision-trees.js'
import { type BaselineResults, computeFeatures, NO_BASELINES, type PageHints } from './features.js'
import { computeLexiconFeatures, listTerms, parseLexicon } from './lexicon-features.js'
import { LEXICON } from './lexicon.js'
import { MODEL_WITH_BASELINES } from './model-with-baselines.js'
import { MODEL_WITHOUT_BASELINES } from './model-without-baselines.js'
import { computeStructureFeatures } from './structure-features.js'

/** Above this expected F1, stage 1 decides alone. */
const MIN_CONFIDENT_F1 = 0.95
/** Corrects the confidence of the scores. The mean of two models that differ is closer to zero than each of them. */
const CALIBRATION = { stage1: 1, mean: 1.2 }

const STAGE_1 = parseModel(MODEL_WITHOUT_BASELINES)
const STAGE_2 = parseModel(MODEL_WITH_BASELINES)
const TERM_ODDS = parseLexicon(LEXICON)

interface ClassifiedPage extends PageHints {
  readonly url: string
}

/** Returns the indexes of the blocks to keep. `getBaselines` is called only if stage 1 is uncertain; it may return undefined. */
export function classifyBlocks(
  blocks: readonly TextBlock[],
  page: ClassifiedPage,
  getBaselines: () => BaselineResults | undefined,
): Set<number> {
  const structure = computeStructureFeatures(blocks, page.url)
  const features = computeFeatures(blocks, NO_BASELINES, page)
  const terms = computeLexiconFeatures(listTerms(blocks), TERM_ODDS)
  const stage1Scores = scoreRows(STAGE_1, joinRows(features, structure, terms))
  const selection = selectBlocks(blocks, stage1Scores, CALIBRATION.stage1)
  if (selection.expectedF1 > MIN_CONFIDENT_F1) return selection.kept
  const baselines = getBaselines()
  const stage2Features = baselines === undefined ? features : computeFeatures(blocks, baselines, page)
  const stage2Scores = scoreRows(STAGE_2, joinRows(stage2Features, structure))
  const means = stage2Scores.map((score, at) => (score + (stage1Scores[at] ?? 0)) / 2)
  return selectBlocks(blocks, means, CALIBRATION.mean).kept
}

interface Selection {
  readonly kept: Set<number>
  readonly expectedF1: number
}

/**
 * Selects the blocks with the highest expected F1 of words: by descending probability, as many as raise it. On an uncertain
 * page this keeps blocks with lower probabilities.
 */
function selectBlocks(blocks: readonly TextBlock[], scores: Float64Array, calibration: number): Selection {
  const probabilities = scores.map((value) => 1 / (1 + Math.exp(-value * calibration)))
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
