// Runs Readability and Defuddle on copies of the page and returns which blocks each of them keeps. Neither uses the network.

import { Readability } from '@mozilla/readability'
import defuddleModule from 'defuddle'
import { parseHTML } from 'linkedom'

import { markedIn } from './blocks.js'
import type { Votes } from './features.js'

// The types declare a default export that the module lacks in some builds.
const Defuddle = 'default' in defuddleModule ? defuddleModule.default : defuddleModule

export function votesOn(html: string, url: string): Votes {
  return { readability: keptBlocks(() => runReadability(html)), defuddle: keptBlocks(() => runDefuddle(html, url)) }
}

/** A baseline that throws keeps nothing. */
function keptBlocks(extract: () => string): Set<number> {
  try {
    return markedIn(extract())
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
