// Decides block by block what belongs to the main part of a page. Two judges were taught on the development half of a
// public set of pages (bench/extract/README.md). The first looks at the page alone; where it is not sure, the voters are
// heard and the second decides. Each is a row of small trees that ask a few questions of a block and add up their answers.

import type { Block } from './blocks.js'
import { featuresOf, NO_VOTES, type Votes } from './features.js'
import { FIRST_JUDGE } from './first-judge.js'
import type { PageFacts } from './page-facts.js'
import { SECOND_JUDGE } from './second-judge.js'

/** Above this share of words that it expects to get right, the first judge decides alone. */
const SURE = 0.85
/** From which opinion on a block is kept. Where there is doubt, a word too many is better than one that is missing. */
const BORDERS = { sure: 0, doubtful: -0.9, unheard: -0.6 }

type Titled = Pick<PageFacts, 'title' | 'types'>

/** The numbers of the blocks to keep. `vote` is only asked where there is doubt; it may have no answer. */
export function judged(blocks: readonly Block[], facts: Titled, vote: () => Votes | undefined): Set<number> {
  const first = opinions(FIRST, featuresOf(blocks, NO_VOTES, facts))
  if (sureness(blocks, first) > SURE) return above(blocks, first, BORDERS.sure)
  const votes = vote()
  if (votes === undefined) return above(blocks, first, BORDERS.unheard)
  const second = opinions(SECOND, featuresOf(blocks, votes, facts))
  return above(blocks, second, sureness(blocks, second) > SURE ? BORDERS.sure : BORDERS.doubtful)
}

function above(blocks: readonly Block[], opinion: Float64Array, border: number): Set<number> {
  const kept = new Set<number>()
  for (const [at, { isHidden }] of blocks.entries()) if (!isHidden && (opinion[at] ?? 0) > border) kept.add(at)
  return kept
}

/** The F1 it would reach if its opinions were what they claim to be: the odds that a block belongs there. */
function sureness(blocks: readonly Block[], opinion: Float64Array): number {
  let kept = 0
  let right = 0
  let all = 0
  for (const [at, { words, isHidden }] of blocks.entries()) {
    if (isHidden) continue
    const odds = words / (1 + Math.exp(-(opinion[at] ?? 0)))
    all += odds
    if ((opinion[at] ?? 0) <= BORDERS.sure) continue
    kept += words
    right += odds
  }
  return (2 * right) / (kept + all || 1)
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
