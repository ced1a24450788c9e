// What a caller wants to read, made of what they gave: a page, perhaps one section of it, in a format, from a place on.

import { Failure } from '../../lib/failure.js'
import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import { readCursor, type Place } from './cursor.js'
import type { Format } from './extract/extractor.js'
import { readFindQuery, type FindQuery } from './find-query.js'

const FORMATS: readonly Format[] = ['markdown', 'text', 'html']
const MAX_WAIT_MS = 30_000

export interface Given {
  readonly url: string
  readonly format?: string | undefined
  readonly wait_ms?: number | undefined
  readonly cursor?: string | undefined
  readonly find?: string | undefined
}

export interface Wish {
  /** Without the fragment, unless scripts read it as part of the address: `#/route`. */
  readonly url: string
  readonly isRoute: boolean
  /** The section; '' for everything. */
  readonly fragment: string
  readonly format: Format
  readonly waitMs: number
  readonly place: Place | undefined
  /** Only the lines that match are wanted. */
  readonly find: FindQuery | undefined
}

export function readWish({ url, format = '', wait_ms: waitMs = 0, cursor = '', find = '' }: Given): Wish {
  const target = addressOf(url)
  const fragment = fragmentOf(target.hash)
  const isRoute = /^!?\//.test(fragment)
  if (!isRoute) target.hash = ''
  return {
    url: target.href,
    isRoute,
    fragment: isRoute ? '' : fragment,
    format: formatOf(format),
    waitMs: Math.min(Math.max(waitMs, 0), MAX_WAIT_MS),
    place: cursor.trim() === '' ? undefined : readCursor(cursor),
    find: readFindQuery(find),
  }
}

/** People leave out the scheme, and models copy that. */
function addressOf(given: string): URL {
  const text = given.trim().replace(/^<(.*)>$/, '$1')
  const [, host] = /^(localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#]|$)/i.exec(text) ?? []
  const address = host === undefined ? text : `${host.toLowerCase() === 'localhost' ? 'http' : 'https'}://${text}`
  if (/^file:/i.test(address)) {
    throw new FetchFailure(
      'bad-url',
      'ReadDocs reads what is on the web. Read a file with Bash, an image with ReadImage.',
    )
  }
  if (!URL.canParse(address)) {
    const shown = JSON.stringify(text.slice(0, 200))
    throw new FetchFailure('bad-url', `${shown} is no URL: give one such as https://example.com/docs.`)
  }
  return new URL(address)
}

function fragmentOf(hash: string): string {
  // What follows `:~:` only says which words a browser should highlight.
  const [fragment = ''] = hash.slice(1).split(':~:')
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function formatOf(given: string): Format {
  const name = given.trim().toLowerCase()
  const format = name === '' ? 'markdown' : FORMATS.find((one) => one === name)
  if (format) return format
  const shown = JSON.stringify(given.slice(0, 40))
  throw new Failure(`There is no format ${shown}: give text, html, or markdown, which is the one without a format.`)
}
