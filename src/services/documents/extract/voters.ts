// Two libraries that pick the main part of a page, each with a copy of it. They are asked which blocks they keep; what
// they make of them otherwise is not used. Neither goes to the network.

import { Readability } from '@mozilla/readability'
import defuddleModule from 'defuddle'
import { parseHTML } from 'linkedom'

import { markedIn } from './blocks.js'
import type { Votes } from './features.js'

// Its types promise a default export that the file itself has not.
const Defuddle = 'default' in defuddleModule ? defuddleModule.default : defuddleModule

export function votesOn(html: string, url: string): Votes {
  return { readability: asked(() => readability(html)), defuddle: asked(() => defuddle(html, url)) }
}

/** One that falls over a page has no say in it. */
function asked(vote: () => string): Set<number> {
  try {
    return markedIn(vote())
  } catch {
    return new Set()
  }
}

function readability(html: string): string {
  const { document } = parseHTML(html)
  return new Readability(document, { keepClasses: true }).parse()?.content ?? ''
}

function defuddle(html: string, url: string): string {
  const { document } = parseHTML(html)
  // What it expects of browsers and linkedom has not.
  const doc = Object.assign(document, { URL: url, styleSheets: document.styleSheets ?? [] })
  return new Defuddle(doc, { url, useAsync: false, standardize: false }).parse().content
}
