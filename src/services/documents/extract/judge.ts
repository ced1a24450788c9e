// Decides block by block what belongs to the main part of a page. Two judges were taught on the development half of a
// public set of pages (bench/extract/README.md). The first looks at the page alone; where it is not sure, the voters are
// heard and the second decides. Each is a row of small trees that ask a few questions of a block and add up their answers.

import type { Block } from './blocks.js'
import { featuresOf, NO_VOTES, type PageHints, type Votes } from './features.js'
import { FIRST_JUDGE } from './first-judge.js'
import { SECOND_JUDGE } from './second-judge.js'

/** Above this expected F1 the first judge decides alone. */
const SURE = 0.85
/** Opinions on pages that were not learnt from are a little less certain than they claim. */
const CALIBRATION = 0.9

/** The numbers of the blocks to keep. `vote` is only asked where there is doubt; it may have no answer. */
export function judged(blocks: readonly Block[], facts: PageHints, vote: () => Votes | undefined): Set<number> {
  const first = bestChoice(blocks, opinions(FIRST, featuresOf(blocks, NO_VOTES, facts)))
  if (first.expectedF1 > SURE) return first.kept
  const votes = vote()
  return votes === undefined ? first.kept : bestChoice(blocks, opinions(SECOND, featuresOf(blocks, votes, facts))).kept
}

interface Choice {
  readonly kept: Set<number>
  readonly expectedF1: number
}

/**
 * The blocks that reach the highest expected F1 of words, taking opinions as the odds that a block belongs there: in order of
 * their odds, as many as raise it. Where there is much doubt on a page, that keeps blocks with lower odds.
 */
function bestChoice(blocks: readonly Block[], opinion: Float64Array): Choice {
  const odds = opinion.map((value) => 1 / (1 + Math.exp(-value * CALIBRATION)))
  const visible = [...blocks.keys()].filter((at) => blocks[at]?.isHidden === false)
  visible.sort((a, b) => (odds[b] ?? 0) - (odds[a] ?? 0))
  const wordsOf = (at: number): number => blocks[at]?.words ?? 0
  const wanted = visible.reduce((sum, at) => sum + wordsOf(at) * (odds[at] ?? 0), 0)
  let size = 0
  let right = 0
  let expectedF1 = 0
  for (const at of visible) {
    size += wordsOf(at)
    right += wordsOf(at) * (odds[at] ?? 0)
    expectedF1 = Math.max(expectedF1, (2 * right) / (size + wanted || 1))
  }
  // At the best place to stop, the odds are half of the F1.
  return { kept: new Set(visible.filter((at) => (odds[at] ?? 0) > expectedF1 / 2)), expectedF1 }
}

interface Tree {
  readonly features: readonly number[]
  readonly borders: readonly number[]
  /** By the answers, the first question lowest. */
  readonly says: readonly number[]
}

const FIRST = FIRST_JUDGE.trim().split('\n').map(readTree)
const SECOND = SECOND_JUDGE.trim().split('\n').map(readTree)

function readTree(line: string): Tree {
  const [asks = '', says = ''] = line.split(' : ')
  const questions = asks.split(' ').map((ask) => ask.split('>').map(Number))
  return {
    features: questions.map(([feature]) => feature ?? 0),
    borders: questions.map(([, border]) => border ?? 0),
    says: says.split(' ').map((hundredths) => Number(hundredths) / 100),
  }
}

function opinions(trees: readonly Tree[], rows: readonly Float64Array[]): Float64Array {
  return Float64Array.from(rows, (row) => {
    let sum = 0
    for (const { features, borders, says } of trees) {
      let leaf = 0
      for (let at = 0; at < features.length; at++)
        if ((row[features[at] ?? 0] ?? 0) > (borders[at] ?? 0)) leaf |= 1 << at
      sum += says[leaf] ?? 0
    }
    return sum
  })
}
