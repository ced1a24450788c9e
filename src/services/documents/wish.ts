// Parses the input of ReadDocs into a request: URL, section, format, wait, cursor and search.

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
  /** Without the fragment, except for a client-side route such as `#/route`. */
  readonly url: string
  readonly isRoute: boolean
  /** The section; '' for the whole page. */
  readonly fragment: string
  readonly format: Format
  readonly waitMs: number
  readonly place: Place | undefined
  /** Return matching lines only. */
  readonly find: FindQuery | undefined
}

export function readWish({ url, format = '', wait_ms: waitMs = 0, cursor = '', find = '' }: Given): Wish {
  const target = parseUrl(url)
  const fragment = decodeFragment(target.hash)
  const isRoute = /^!?\//.test(fragment)
  if (!isRoute) target.hash = ''
  return {
    url: target.href,
    isRoute,
    fragment: isRoute ? '' : fragment,
    format: parseFormat(format),
    waitMs: Math.min(Math.max(waitMs, 0), MAX_WAIT_MS),
    place: cursor.trim() === '' ? undefined : readCursor(cursor),
    find: readFindQuery(find),
  }
}

/** Adds a missing scheme, which people and models often leave out. */
function parseUrl(input: string): URL {
  const trimmed = input.trim().replace(/^<(.*)>$/, '$1')
  const [, host] = /^(localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#]|$)/i.exec(trimmed) ?? []
  const url = host === undefined ? trimmed : `${host.toLowerCase() === 'localhost' ? 'http' : 'https'}://${trimmed}`
  if (/^file:/i.test(url)) {
    throw new FetchFailure('bad-url', 'ReadDocs reads web pages. Read files with Bash and images with ReadImage.')
  }
  if (!URL.canParse(url)) {
    const quoted = JSON.stringify(trimmed.slice(0, 200))
    throw new FetchFailure('bad-url', `${quoted} is not a URL: use one such as https://example.com/docs.`)
  }
  return new URL(url)
}

function decodeFragment(hash: string): string {
  // `:~:` starts a text directive, which only highlights words.
  const [fragment = ''] = hash.slice(1).split(':~:')
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function parseFormat(input: string): Format {
  const normalized = input.trim().toLowerCase()
  const format = normalized === '' ? 'markdown' : FORMATS.find((known) => known === normalized)
  if (format) return format
  const quoted = JSON.stringify(input.slice(0, 40))
  throw new Failure(`Unknown format ${quoted}: use text, html or markdown (the default).`)
}
