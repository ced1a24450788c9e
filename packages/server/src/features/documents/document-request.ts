// Parses the input of ReadDocs into a request: URL, section, format, wait, cursor and search. Used by read-docs-handler.
// Pure.

import { Failure } from '@scorpiox/mcp/errors'
import { FetchFailure } from '../../guarded-fetch/fetch-failure.js'
import { decodeUriText } from '../../text/normalize-text.js'
import type { DocumentFormat } from './extract/extract-types.js'
import { type FindQuery, parseFindQuery } from './find-in-page.js'
import { type CursorPosition, decodeCursor } from './paginate.js'
import { tryParseUrl } from '../../text/parse-url.js'

const FORMATS: readonly DocumentFormat[] = ['markdown', 'text', 'html']
const MAX_WAIT_MS = 30_000

export interface ReadDocsInput {
  readonly url: string
  readonly format?: string | undefined
  readonly wait_ms?: number | undefined
  readonly cursor?: string | undefined
  readonly find?: string | undefined
}

export interface DocumentRequest {
  /** Without the fragment, except for a client-side route such as `#/route`. */
  readonly url: string
  readonly isClientSideRoute: boolean
  /** The section; '' for the whole page. */
  readonly fragment: string
  readonly format: DocumentFormat
  readonly waitMs: number
  readonly cursor: CursorPosition | undefined
  /** Return matching lines only. */
  readonly find: FindQuery | undefined
}

export function parseDocumentRequest({
  url,
  format = '',
  wait_ms: waitMs = 0,
  cursor = '',
  find = '',
}: ReadDocsInput): DocumentRequest {
  const target = parseUrl(url)
  const fragment = decodeFragment(target.hash)
  const isClientSideRoute = /^!?\//.test(fragment)
  if (!isClientSideRoute) target.hash = ''
  return {
    url: target.href,
    isClientSideRoute,
    fragment: isClientSideRoute ? '' : fragment,
    format: parseFormat(format),
    waitMs: Math.min(Math.max(waitMs, 0), MAX_WAIT_MS),
    cursor: cursor.trim() === '' ? undefined : decodeCursor(cursor),
    find: parseFindQuery(find),
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
  const parsed = tryParseUrl(url)
  if (parsed) return parsed
  const quoted = JSON.stringify(trimmed.slice(0, 200))
  throw new FetchFailure('bad-url', `${quoted} is not a URL: use one such as https://example.com/docs.`)
}

function decodeFragment(hash: string): string {
  // `:~:` starts a text directive, which only highlights words.
  const [fragment = ''] = hash.slice(1).split(':~:')
  return decodeUriText(fragment)
}

function parseFormat(input: string): DocumentFormat {
  const normalized = input.trim().toLowerCase()
  const format = normalized === '' ? 'markdown' : FORMATS.find((known) => known === normalized)
  if (format) return format
  const quoted = JSON.stringify(input.slice(0, 40))
  throw new Failure(`Unknown format ${quoted}: use text, html or markdown (the default).`)
}
