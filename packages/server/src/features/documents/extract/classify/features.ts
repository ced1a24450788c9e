// Computes the feature vector of each block: its own properties, its landmarks, the baselines, its neighbours and the page.
// The order of the numbers is part of the trained models and must not change. Used by block-classifier and the training
// export. Pure.

import { classAndId, isCallout } from '../dom/elements.js'
import { type DomElement, getAttribute, isElement } from '../dom/tree.js'
import { type ProseScores, scoreProse, type TextBlock } from './blocks.js'

/** What the classifier needs of the page's metadata; declared here so that it does not depend on the metadata reader. */
export interface PageHints {
  readonly title: string
  /** The types that its structured data names. */
  readonly types: string
}

export interface BaselineResults {
  readonly readability: ReadonlySet<number>
  readonly defuddle: ReadonlySet<number>
}

export const NO_BASELINES: BaselineResults = { readability: new Set(), defuddle: new Set() }

const BOILERPLATE_NAMES =
  /comment|related|sidebar|side-bar|share|social|promo|cookie|consent|breadcrumb|menu|widget|modal|popup|newsletter|subscri|foot|nav|banner|advert|\bads?\b|sponsor|recommend|author-?box|byline|\btags?\b|pagination|pager|toolbar|login|signup|sign-up|search|filter|skip|copyright|disclaimer|carousel|slider|upsell|cross-sell|trending|popular|more-|rating|review/
const CONTENT_NAMES =
  /article|content|entry|post|body|main|text|story|product|descri|detail|thread|message|answer|question|markdown|prose|document|summary|spec|feature/
const COMMENT_NAMES = /comment|reply|replies|post|message|answer|thread|discussion/
const BOILERPLATE_TEXT =
  /cookie|subscribe|newsletter|all rights reserved|copyright|©|sign up|sign in|log in|share this|follow us|related|read more|privacy policy|terms of|add to cart|leave a|reply|advertisement|skip to|min read|posted (?:in|on|by)|back to top|you may also|loading|view all|see all|learn more|show more/i

const LANDMARKS = ['nav', 'header', 'footer', 'aside', 'form', 'main', 'article', 'table', 'dialog'] as const

interface LandmarkContext {
  readonly landmarks: readonly number[]
  readonly boilerplate: number
  readonly content: number
  readonly comments: number
  readonly depth: number
}

/** One row of numbers per block. */
export function computeFeatures(
  blocks: readonly TextBlock[],
  baselines: BaselineResults,
  hints: PageHints,
): Float64Array[] {
  const contexts = new Map<DomElement, LandmarkContext>()
  const pageStats = computeStats(blocks, baselines)
  const total = pageStats.total || 1
  const page = pageFeatures(blocks, baselines, hints, pageStats)
  const textCounts = countTexts(blocks)
  const keptSpans = [keptSpan(baselines.readability), keptSpan(baselines.defuddle)] as const
  const landmarkIndexes = [...LANDMARKS.keys()]
  const prose = scoreProse(blocks)
  let wordsBefore = 0
  return blocks.map((block, at) => {
    const context = landmarkContext(block.element, contexts)
    const row: number[] = [
      ...ownFeatures(block, hints, textCounts),
      ...landmarkIndexes.map((index) => context.landmarks[index] ?? 0),
      context.boilerplate,
      context.content,
      context.comments,
      context.depth,
      wordsBefore / total,
      ...baselineFeatures(at, baselines, keptSpans),
      ...neighbourFeatures(blocks, at, baselines),
      ...ancestorFeatures(block, pageStats),
      ...page,
      ...proseFeatures(block, prose),
    ]
    wordsBefore += block.wordCount
    return Float64Array.from(row)
  })
}

function ownFeatures(block: TextBlock, hints: PageHints, textCounts: ReadonlyMap<string, number>): number[] {
  const { element, text, wordCount, linkDensity, isCollapsed } = block
  const classNames = classAndId(element)
  return [
    tagKind(element.name),
    Math.log1p(wordCount),
    linkDensity,
    isCollapsed ? 1 : 0,
    /[.!?:…。！？]["”’)\]]?$/.test(text) ? 1 : 0,
    BOILERPLATE_NAMES.test(classNames) ? 1 : 0,
    CONTENT_NAMES.test(classNames) ? 1 : 0,
    BOILERPLATE_TEXT.test(text.slice(0, 200)) ? 1 : 0,
    Math.min(4, textCounts.get(text) ?? 1),
    startsTitle(text, hints.title) ? 1 : 0,
    shareOf(text, /\p{N}/gu),
    shareOf(text, /\p{Lu}/gu),
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
  ].flatMap((tags, index) => tags.map((name) => [name, index + 1] as const)),
)

function tagKind(name: string): number {
  return TAG_KINDS.get(name) ?? 0
}

function shareOf(text: string, pattern: RegExp): number {
  return (text.slice(0, 500).match(pattern)?.length ?? 0) / Math.min(500, text.length || 1)
}

function startsTitle(text: string, title: string): boolean {
  const words = text.toLowerCase()
  return words.length > 3 && title !== '' && title.slice(0, 400).toLowerCase().startsWith(words.slice(0, 200))
}

function countTexts(blocks: readonly TextBlock[]): Map<string, number> {
  const textCounts = new Map<string, number>()
  for (const { text } of blocks) textCounts.set(text, (textCounts.get(text) ?? 0) + 1)
  return textCounts
}

function landmarkContext(element: DomElement, contexts: Map<DomElement, LandmarkContext>): LandmarkContext {
  const known = contexts.get(element)
  if (known !== undefined) return known
  const parentContext =
    element.parent !== null && isElement(element.parent) ? landmarkContext(element.parent, contexts) : undefined
  const classNames = classAndId(element)
  const kind = landmarkOf(element)
  const landmarks = LANDMARKS.map((name, index) => (name === kind ? 1 : (parentContext?.landmarks[index] ?? 0)))
  const context = {
    landmarks,
    boilerplate: Math.min(4, (parentContext?.boilerplate ?? 0) + (BOILERPLATE_NAMES.test(classNames) ? 1 : 0)),
    content: Math.min(5, (parentContext?.content ?? 0) + (CONTENT_NAMES.test(classNames) ? 1 : 0)),
    comments: Math.min(4, (parentContext?.comments ?? 0) + (COMMENT_NAMES.test(classNames) ? 1 : 0)),
    depth: (parentContext?.depth ?? 0) + 1,
  }
  contexts.set(element, context)
  return context
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

function landmarkOf(element: DomElement): string {
  const landmark = ROLES.get(getAttribute(element, 'role')) ?? element.name
  return landmark === 'aside' && isCallout(element) ? '' : landmark
}

type KeptSpan = readonly [first: number, last: number]

function keptSpan(kept: ReadonlySet<number>): KeptSpan {
  let first = Infinity
  let last = -1
  for (const index of kept) {
    first = Math.min(first, index)
    last = Math.max(last, index)
  }
  return [first, last]
}

function baselineFeatures(at: number, baselines: BaselineResults, keptSpans: readonly [KeptSpan, KeptSpan]): number[] {
  const isWithin = ([first, last]: KeptSpan) => (at >= first && at <= last ? 1 : 0)
  return [
    isKept(baselines.readability, at),
    isKept(baselines.defuddle, at),
    isWithin(keptSpans[0]),
    isWithin(keptSpans[1]),
  ]
}

function isKept(kept: ReadonlySet<number>, index: number): number {
  return kept.has(index) ? 1 : 0
}

const NEIGHBOUR_OFFSETS = [-3, -2, -1, 1, 2, 3]

function neighbourFeatures(blocks: readonly TextBlock[], at: number, baselines: BaselineResults): number[] {
  const row: number[] = []
  for (const kept of [baselines.readability, baselines.defuddle]) {
    let before = 0
    let after = 0
    for (const step of NEIGHBOUR_OFFSETS) {
      if (step < 0) before += isKept(kept, at + step)
      else after += isKept(kept, at + step)
    }
    row.push(before, after)
  }
  for (const step of [-1, 1]) {
    const block = blocks[at + step]
    row.push(Math.log1p(block?.wordCount ?? 0), block?.linkDensity ?? 0, tagKind(block?.element.name ?? ''))
  }
  return row
}

interface ContainerStats {
  words: number
  readability: number
  defuddle: number
  linked: number
  blocks: number
}

interface PageStats {
  readonly total: number
  readonly byElement: ReadonlyMap<DomElement, ContainerStats>
}

/** For every element: the words below it, and how many of them each baseline keeps. */
function computeStats(blocks: readonly TextBlock[], baselines: BaselineResults): PageStats {
  const byElement = new Map<DomElement, ContainerStats>()
  let total = 0
  for (const [at, { element, ancestors, wordCount, linkDensity, isHidden }] of blocks.entries()) {
    if (isHidden) continue
    total += wordCount
    for (const container of [element, ...ancestors]) {
      const stats = byElement.get(container) ?? { words: 0, readability: 0, defuddle: 0, linked: 0, blocks: 0 }
      stats.words += wordCount
      stats.linked += wordCount * linkDensity
      stats.blocks++
      if (baselines.readability.has(at)) stats.readability += wordCount
      if (baselines.defuddle.has(at)) stats.defuddle += wordCount
      byElement.set(container, stats)
    }
  }
  return { total, byElement }
}

function ancestorFeatures(block: TextBlock, { byElement, total }: PageStats): number[] {
  const row: number[] = []
  const levels = [0, 1, 3]
  for (const level of levels) {
    const container = block.ancestors[level] ?? block.ancestors.at(-1) ?? block.element
    const stats = byElement.get(container)
    const words = stats?.words || 1
    row.push(
      (stats?.readability ?? 0) / words,
      (stats?.defuddle ?? 0) / words,
      (stats?.linked ?? 0) / words,
      (stats?.words ?? 0) / (total || 1),
      Math.log1p(words / (stats?.blocks || 1)),
    )
  }
  return row
}

function proseFeatures(block: TextBlock, { best, wordsIn, total, bestScore, scoreOf }: ProseScores): number[] {
  const containers = [block.element, ...block.ancestors]
  const depth = best === undefined ? -1 : containers.indexOf(best)
  const shareAt = (level: number) => (wordsIn.get(block.ancestors[level] ?? block.element) ?? 0) / (total || 1)
  let maxScore = 0
  for (const container of containers) maxScore = Math.max(maxScore, scoreOf.get(container) ?? 0)
  return [
    depth === -1 ? 0 : 1,
    depth,
    shareAt(0),
    shareAt(1),
    shareAt(3),
    maxScore / (bestScore || 1),
    logLength(total),
  ]
}

/** Longer pages get the features of a page of this length, because the training data has few of them. */
const MAX_PAGE_WORDS = 4000

function logLength(words: number): number {
  return Math.log1p(Math.min(words, MAX_PAGE_WORDS))
}

function pageFeatures(
  blocks: readonly TextBlock[],
  baselines: BaselineResults,
  hints: PageHints,
  pageStats: PageStats,
): number[] {
  let readability = 0
  let defuddle = 0
  let sharedWords = 0
  let linked = 0
  for (const [at, block] of blocks.entries()) {
    if (baselines.readability.has(at)) readability += block.wordCount
    if (baselines.defuddle.has(at)) defuddle += block.wordCount
    if (baselines.readability.has(at) && baselines.defuddle.has(at)) sharedWords += block.wordCount
    linked += block.wordCount * block.linkDensity
  }
  const total = pageStats.total || 1
  const types = hints.types.toLowerCase()
  return [
    readability / total,
    defuddle / total,
    (2 * sharedWords) / (readability + defuddle || 1),
    linked / total,
    logLength(total),
    Math.log1p(total / (blocks.length || 1)),
    /product(?!ion)/.test(types) ? 1 : 0,
    /article|posting|news/.test(types) ? 1 : 0,
    /qapage|discussion|forum|question/.test(types) ? 1 : 0,
    /itemlist|collectionpage|searchresults/.test(types) ? 1 : 0,
    /organization|localbusiness|service|website/.test(types) ? 1 : 0,
  ]
}
