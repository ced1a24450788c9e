// What is known of each block when the judge decides about it: what the voters said, what it is, where it stands, what is
// beside it. The order of the numbers is what the judge was taught with: see judge.ts.

import type { Block } from './blocks.js'
import { classWords } from './elements.js'
import { proseOf, type Prose } from './prose.js'
import { attribute, isElement, type Element } from './tree.js'
import { isCallout } from './write/callout.js'

/** What the classifier needs of the page's metadata; declared here so that it does not depend on the metadata reader. */
export interface PageHints {
  readonly title: string
  /** The types that its structured data names. */
  readonly types: string
}

export interface Votes {
  readonly readability: ReadonlySet<number>
  readonly defuddle: ReadonlySet<number>
}

export const NO_VOTES: Votes = { readability: new Set(), defuddle: new Set() }

const BAD =
  /comment|related|sidebar|side-bar|share|social|promo|cookie|consent|breadcrumb|menu|widget|modal|popup|newsletter|subscri|foot|nav|banner|advert|\bads?\b|sponsor|recommend|author-?box|byline|\btags?\b|pagination|pager|toolbar|login|signup|sign-up|search|filter|skip|copyright|disclaimer|carousel|slider|upsell|cross-sell|trending|popular|more-|rating|review/
const GOOD =
  /article|content|entry|post|body|main|text|story|product|descri|detail|thread|message|answer|question|markdown|prose|document|summary|spec|feature/
const REPLY = /comment|reply|replies|post|message|answer|thread|discussion/
const BOILERPLATE =
  /cookie|subscribe|newsletter|all rights reserved|copyright|©|sign up|sign in|log in|share this|follow us|related|read more|privacy policy|terms of|add to cart|leave a|reply|advertisement|skip to|min read|posted (?:in|on|by)|back to top|you may also|loading|view all|see all|learn more|show more/i

const LANDMARKS = ['nav', 'header', 'footer', 'aside', 'form', 'main', 'article', 'table', 'dialog'] as const

interface Place {
  readonly landmarks: readonly number[]
  readonly bad: number
  readonly good: number
  readonly reply: number
  readonly depth: number
}

/** One row of numbers for each block. */
export function featuresOf(blocks: readonly Block[], votes: Votes, facts: PageHints): Float64Array[] {
  const places = new Map<Element, Place>()
  const shares = sharesOf(blocks, votes)
  const total = shares.total || 1
  const page = pageFeatures(blocks, votes, facts, shares)
  const counted = countTexts(blocks)
  const spans = [spanOf(votes.readability), spanOf(votes.defuddle)] as const
  const heads = [...LANDMARKS.keys()]
  const prose = proseOf(blocks)
  let before = 0
  return blocks.map((block, at) => {
    const place = placeOf(block.element, places)
    const row: number[] = [
      ...ownFeatures(block, facts, counted),
      ...heads.map((index) => place.landmarks[index] ?? 0),
      place.bad,
      place.good,
      place.reply,
      place.depth,
      before / total,
      ...voteFeatures(at, votes, spans),
      ...neighbourFeatures(blocks, at, votes),
      ...familyFeatures(block, shares),
      ...page,
      ...proseFeatures(block, prose),
    ]
    before += block.words
    return Float64Array.from(row)
  })
}

function ownFeatures(block: Block, facts: PageHints, counted: ReadonlyMap<string, number>): number[] {
  const { element, text, words, linked, isVeiled } = block
  const own = classWords(element)
  return [
    tagKind(element.name),
    Math.log1p(words),
    linked,
    isVeiled ? 1 : 0,
    /[.!?:…。！？]["”’)\]]?$/.test(text) ? 1 : 0,
    BAD.test(own) ? 1 : 0,
    GOOD.test(own) ? 1 : 0,
    BOILERPLATE.test(text.slice(0, 200)) ? 1 : 0,
    Math.min(4, counted.get(text) ?? 1),
    sameWords(text, facts.title) ? 1 : 0,
    share(text, /\p{N}/gu),
    share(text, /\p{Lu}/gu),
    /[$€£¥₹]\s?\d|\d\s?[€£]/.test(text) ? 1 : 0,
    /\b(?:19|20)\d\d\b|\bago\b/.test(text) ? 1 : 0,
  ]
}

const TAG_KINDS = new Map(
  [
    ['p'],
    ['h1'],
    ['h2'],
    ['h3'],
    ['h4', 'h5', 'h6'],
    ['li'],
    ['td', 'th'],
    ['dt', 'dd'],
    ['pre'],
    ['blockquote'],
    ['figcaption', 'caption'],
    ['button'],
  ].flatMap((names, index) => names.map((name) => [name, index + 1] as const)),
)

function tagKind(name: string): number {
  return TAG_KINDS.get(name) ?? 0
}

function share(text: string, pattern: RegExp): number {
  return (text.slice(0, 500).match(pattern)?.length ?? 0) / Math.min(500, text.length || 1)
}

function sameWords(text: string, title: string): boolean {
  const words = text.toLowerCase()
  return words.length > 3 && title !== '' && title.slice(0, 400).toLowerCase().startsWith(words.slice(0, 200))
}

function countTexts(blocks: readonly Block[]): Map<string, number> {
  const counted = new Map<string, number>()
  for (const { text } of blocks) counted.set(text, (counted.get(text) ?? 0) + 1)
  return counted
}

function placeOf(element: Element, places: Map<Element, Place>): Place {
  const known = places.get(element)
  if (known !== undefined) return known
  const above = element.parent !== null && isElement(element.parent) ? placeOf(element.parent, places) : undefined
  const names = classWords(element)
  const kind = landmarkOf(element)
  const landmarks = LANDMARKS.map((name, index) => (name === kind ? 1 : (above?.landmarks[index] ?? 0)))
  const place = {
    landmarks,
    bad: Math.min(4, (above?.bad ?? 0) + (BAD.test(names) ? 1 : 0)),
    good: Math.min(5, (above?.good ?? 0) + (GOOD.test(names) ? 1 : 0)),
    reply: Math.min(4, (above?.reply ?? 0) + (REPLY.test(names) ? 1 : 0)),
    depth: (above?.depth ?? 0) + 1,
  }
  places.set(element, place)
  return place
}

const ROLES = new Map(
  Object.entries({
    navigation: 'nav',
    banner: 'header',
    contentinfo: 'footer',
    complementary: 'aside',
    main: 'main',
    article: 'article',
    dialog: 'dialog',
    search: 'form',
    alertdialog: 'dialog',
  }),
)

function landmarkOf(element: Element): string {
  const named = ROLES.get(attribute(element, 'role')) ?? element.name
  return named === 'aside' && isCallout(element) ? '' : named
}

type Span = readonly [first: number, last: number]

function spanOf(kept: ReadonlySet<number>): Span {
  let first = Infinity
  let last = -1
  for (const index of kept) {
    first = Math.min(first, index)
    last = Math.max(last, index)
  }
  return [first, last]
}

function voteFeatures(at: number, votes: Votes, spans: readonly [Span, Span]): number[] {
  const within = ([first, last]: Span) => (at >= first && at <= last ? 1 : 0)
  return [has(votes.readability, at), has(votes.defuddle, at), within(spans[0]), within(spans[1])]
}

function has(kept: ReadonlySet<number>, index: number): number {
  return kept.has(index) ? 1 : 0
}

const BESIDE = [-3, -2, -1, 1, 2, 3]

function neighbourFeatures(blocks: readonly Block[], at: number, votes: Votes): number[] {
  const row: number[] = []
  for (const kept of [votes.readability, votes.defuddle]) {
    let before = 0
    let after = 0
    for (const step of BESIDE) {
      if (step < 0) before += has(kept, at + step)
      else after += has(kept, at + step)
    }
    row.push(before, after)
  }
  for (const step of [-1, 1]) {
    const block = blocks[at + step]
    row.push(Math.log1p(block?.words ?? 0), block?.linked ?? 0, tagKind(block?.element.name ?? ''))
  }
  return row
}

interface Share {
  words: number
  readability: number
  defuddle: number
  linked: number
  blocks: number
}

interface Shares {
  readonly total: number
  readonly of: ReadonlyMap<Element, Share>
}

/** For every element: how many words are below it, and how many of them each voter keeps. */
function sharesOf(blocks: readonly Block[], votes: Votes): Shares {
  const of = new Map<Element, Share>()
  let total = 0
  for (const [at, { element, around, words, linked, isHidden }] of blocks.entries()) {
    if (isHidden) continue
    total += words
    for (const above of [element, ...around]) {
      const sum = of.get(above) ?? { words: 0, readability: 0, defuddle: 0, linked: 0, blocks: 0 }
      sum.words += words
      sum.linked += words * linked
      sum.blocks++
      if (votes.readability.has(at)) sum.readability += words
      if (votes.defuddle.has(at)) sum.defuddle += words
      of.set(above, sum)
    }
  }
  return { total, of }
}

function familyFeatures(block: Block, { of, total }: Shares): number[] {
  const row: number[] = []
  const levels = [0, 1, 3]
  for (const level of levels) {
    const above = block.around[level] ?? block.around.at(-1) ?? block.element
    const sum = of.get(above)
    const words = sum?.words || 1
    row.push(
      (sum?.readability ?? 0) / words,
      (sum?.defuddle ?? 0) / words,
      (sum?.linked ?? 0) / words,
      (sum?.words ?? 0) / (total || 1),
      Math.log1p(words / (sum?.blocks || 1)),
    )
  }
  return row
}

function proseFeatures(block: Block, { best, wordsIn, total, bestScore, scoreOf }: Prose): number[] {
  const inside = [block.element, ...block.around]
  const depth = best === undefined ? -1 : inside.indexOf(best)
  const shareAt = (level: number) => (wordsIn.get(block.around[level] ?? block.element) ?? 0) / (total || 1)
  let most = 0
  for (const above of inside) most = Math.max(most, scoreOf.get(above) ?? 0)
  return [depth === -1 ? 0 : 1, depth, shareAt(0), shareAt(1), shareAt(3), most / (bestScore || 1), lengthOf(total)]
}

/** What is longer than most pages is judged like a page of that length: few of them were there to learn from. */
const LONG_PAGE = 4000

function lengthOf(words: number): number {
  return Math.log1p(Math.min(words, LONG_PAGE))
}

function pageFeatures(blocks: readonly Block[], votes: Votes, facts: PageHints, shares: Shares): number[] {
  let readability = 0
  let defuddle = 0
  let both = 0
  let linked = 0
  for (const [at, block] of blocks.entries()) {
    if (votes.readability.has(at)) readability += block.words
    if (votes.defuddle.has(at)) defuddle += block.words
    if (votes.readability.has(at) && votes.defuddle.has(at)) both += block.words
    linked += block.words * block.linked
  }
  const total = shares.total || 1
  const types = facts.types.toLowerCase()
  return [
    readability / total,
    defuddle / total,
    (2 * both) / (readability + defuddle || 1),
    linked / total,
    lengthOf(total),
    Math.log1p(total / (blocks.length || 1)),
    /product(?!ion)/.test(types) ? 1 : 0,
    /article|posting|news/.test(types) ? 1 : 0,
    /qapage|discussion|forum|question/.test(types) ? 1 : 0,
    /itemlist|collectionpage|searchresults/.test(types) ? 1 : 0,
    /organization|localbusiness|service|website/.test(types) ? 1 : 0,
  ]
}
