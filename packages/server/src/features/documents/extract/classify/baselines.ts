// Runs the extractors Readability and Defuddle (the baselines) on copies of the page and returns which blocks each of them
// keeps. Used by read-html when the classifier is uncertain, and by the training export. Changes the tree: shortens long
// attributes, titles and scripts. Neither uses the network. Runs in the worker thread.

import { Readability } from '@mozilla/readability'
import defuddleModule from 'defuddle'
import { parseHTML } from 'linkedom'

import {
  descendantElements,
  type DomElement,
  type DomParent,
  type DomTree,
  isElement,
  isTextNode,
  rawText,
  replaceChildren,
  serializeHtml,
} from '../dom/tree.js'
import { readBlockTags, tagBlocks, type TextBlock, untagBlocks } from './blocks.js'
import type { BaselineResults } from './features.js'

// The types declare a default export that the module lacks in some builds.
const Defuddle = 'default' in defuddleModule ? defuddleModule.default : defuddleModule

/** The baselines take seconds on larger pages and are not useful on smaller ones. */
const LIMITS = { maxElements: 2500, maxChars: 180_000, minBlocks: 5 }

/** Undefined if the page is too large or too small. */
export function computeBaselines(
  tree: DomTree,
  blocks: readonly TextBlock[],
  base: string,
): BaselineResults | undefined {
  if (blocks.length < LIMITS.minBlocks || descendantElements(tree).length > LIMITS.maxElements) return undefined
  limitForBaselines(tree)
  tagBlocks(blocks)
  const html = serializeHtml(tree)
  untagBlocks(blocks)
  return html.length > LIMITS.maxChars ? undefined : runBaselines(collapseLongWhitespace(html), base)
}

function runBaselines(html: string, url: string): BaselineResults {
  return { readability: keptBlocks(() => runReadability(html)), defuddle: keptBlocks(() => runDefuddle(html, url)) }
}

/** A baseline that throws keeps nothing. */
function keptBlocks(extract: () => string): Set<number> {
  try {
    return readBlockTags(extract())
  } catch {
    return new Set()
  }
}

function runReadability(html: string): string {
  const { document } = parseHTML(html)
  return new Readability(document, { keepClasses: true }).parse()?.content ?? ''
}

function runDefuddle(html: string, url: string): string {
  const { document } = parseHTML(html)
  // Browser properties that linkedom lacks.
  const adapted = Object.assign(document, { URL: url, styleSheets: document.styleSheets ?? [] })
  return new Defuddle(adapted, { url, useAsync: false, standardize: false }).parse().content
}

const MAX_TITLE_CHARS = 500
const MAX_ATTRIBUTE_CHARS = 2000
const MAX_SCRIPT_CHARS = 100_000
/** Not truncated, because the writers output them. */
const OUTPUT_ATTRIBUTES = new Set(['href', 'src', 'alt'])

/**
 * Limits the length of attributes, titles and scripts before the baselines run, because their patterns take quadratic
 * time.
 */
function limitForBaselines(parent: DomParent): void {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    truncateAttributes(child)
    if (child.name === 'title') truncateTitle(child)
    else if (child.name === 'script' && rawText(child).length > MAX_SCRIPT_CHARS) replaceChildren(child, [])
    else limitForBaselines(child)
  }
}

function truncateAttributes(element: DomElement): void {
  for (const [name, value] of Object.entries(element.attribs))
    if (value.length > MAX_ATTRIBUTE_CHARS && !OUTPUT_ATTRIBUTES.has(name))
      element.attribs[name] = value.slice(0, MAX_ATTRIBUTE_CHARS)
}

function truncateTitle(title: DomElement): void {
  let remaining = MAX_TITLE_CHARS
  for (const child of title.children) {
    if (!isTextNode(child)) continue
    child.data = child.data.slice(0, MAX_ATTRIBUTE_CHARS).replace(/\s+/g, ' ').slice(0, remaining)
    remaining -= child.data.length
  }
}

/** Long runs of whitespace become one space. */
function collapseLongWhitespace(html: string): string {
  return html.replace(/(?<!\s)\s{100,}/g, ' ')
}
