// Decides block by block what belongs to the main part of a page. It was taught on the development half of a public set
// of pages (bench/extract/README.md): small trees that each ask a few questions of a block and add up what they think.

import { JUDGE_TREES } from './judge-trees.js'

/** Leaning to keep: a word too many is easier to bear than one that is missing. */
const ENOUGH = -0.7

export function keeps(features: Float64Array): boolean {
  return opinionOf(features) > ENOUGH
}

interface Tree {
  readonly asks: readonly { readonly feature: number; readonly border: number }[]
  /** By the answers, the first question lowest. */
  readonly says: readonly number[]
}

const TREES = JUDGE_TREES.trim().split('\n').map(readTree)

function readTree(line: string): Tree {
  const [asks = '', says = ''] = line.split(' : ')
  return {
    asks: asks.split(' ').map((ask) => {
      const [feature, border] = ask.split('>')
      return { feature: Number(feature), border: Number(border) }
    }),
    says: says.split(' ').map((hundredths) => Number(hundredths) / 100),
  }
}

function opinionOf(features: Float64Array): number {
  let sum = 0
  for (const { asks, says } of TREES) {
    let leaf = 0
    for (const [depth, { feature, border }] of asks.entries()) if ((features[feature] ?? 0) > border) leaf |= 1 << depth
    sum += says[leaf] ?? 0
  }
  return sum
}
