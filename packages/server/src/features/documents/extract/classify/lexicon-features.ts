// Features of a block from the class names, ids and tags of its element and ancestors, and from its first words. The
// lexicon has the log odds that a block with such a term is main content, counted on pages of many sites. Used by
// block-classifier and the training export. Pure.

import { type DomElement, getAttribute } from '../dom/tree.js'
import type { TextBlock } from './blocks.js'

/** The terms of a block, by kind: of its element, of its nearest ancestors, of further ancestors, and its first words. */
export type BlockTerms = readonly (readonly string[])[]

/** For each kind of terms the log odds by term. */
export type Lexicon = readonly ReadonlyMap<string, number>[]

const NEAR_LEVELS = 2
const FAR_LEVELS = 9
const MAX_WORDS = 14
const MAX_CHARS = 300
const NAME_ATTRIBUTES = ['class', 'id', 'role', 'itemprop', 'data-testid']

export function listTerms(blocks: readonly TextBlock[]): BlockTerms[] {
  const byElement = new Map<DomElement, readonly string[]>()
  const termsOf = (element: DomElement): readonly string[] => {
    const terms = byElement.get(element) ?? elementTerms(element)
    byElement.set(element, terms)
    return terms
  }
  const byAncestors = new Map<readonly DomElement[], BlockTerms>()
  return blocks.map(({ element, ancestors, text }) => {
    const ancestorTerms = byAncestors.get(ancestors) ?? [
      [...new Set(ancestors.slice(0, NEAR_LEVELS).flatMap(termsOf))],
      [...new Set(ancestors.slice(NEAR_LEVELS, FAR_LEVELS).flatMap(termsOf))],
    ]
    byAncestors.set(ancestors, ancestorTerms)
    return [termsOf(element), ...ancestorTerms, firstWords(text)]
  })
}

function elementTerms(element: DomElement): string[] {
  const names = NAME_ATTRIBUTES.map((name) => getAttribute(element, name))
    .join(' ')
    .slice(0, MAX_CHARS)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(({ length }) => length > 2 && length < 20)
  return [...new Set([`<${element.name}>`, ...names])]
}

function firstWords(text: string): string[] {
  const words =
    text
      .slice(0, MAX_CHARS)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  return [...new Set(words.slice(0, MAX_WORDS))]
}

/** For each kind the mean, lowest and highest log odds of the terms that the lexicon has. */
export function computeLexiconFeatures(terms: readonly BlockTerms[], lexicon: Lexicon): Float64Array[] {
  return terms.map((kinds) => Float64Array.from(lexicon.flatMap((odds, kind) => summarize(kinds[kind] ?? [], odds))))
}

function summarize(terms: readonly string[], odds: ReadonlyMap<string, number>): number[] {
  let sum = 0
  let count = 0
  let lowest = 0
  let highest = 0
  for (const term of terms) {
    const value = odds.get(term)
    if (value === undefined) continue
    sum += value
    count++
    lowest = Math.min(lowest, value)
    highest = Math.max(highest, value)
  }
  return [count === 0 ? 0 : sum / count, lowest, highest]
}

/** One line per kind: log odds in tenths, each followed by its terms. */
export function parseLexicon(text: string): Lexicon {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const odds = new Map<string, number>()
      let value = 0
      for (const part of line.split(' ')) {
        if (/^-?\d+$/.test(part)) value = Number(part) / 10
        else odds.set(part, value)
      }
      return odds
    })
}
