// The page where people look: three files that hold no data, and which credential its login takes; public. The files are
// read once and may be cached; nothing in them, and nothing they show, may load or send anything elsewhere.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { refuseMethod } from './refuse-method.js'
import type { Visit } from './visit.js'

const FILES: ReadonlyMap<string, { readonly name: string; readonly type: string }> = new Map([
  ['/', { name: 'index.html', type: 'text/html; charset=utf-8' }],
  ['/page.js', { name: 'page.js', type: 'text/javascript; charset=utf-8' }],
  ['/page.css', { name: 'page.css', type: 'text/css; charset=utf-8' }],
])

const LOGIN = '/login.json'

/** Named, and not with a weight of nothing. */
const ZIPPED = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$|\s))/

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
} as const

export interface PageEndpoint {
  /** Whether the path is the page's, and was answered. */
  serve(visit: Visit, path: string): boolean
}

interface PageFile {
  readonly type: string
  readonly plain: Buffer
  readonly zipped: Buffer
  readonly tag: string
}

export function openPage(folder: string, login: 'open' | 'server' | 'ui'): PageEndpoint {
  const read = new Map<string, PageFile>()

  function load(path: string): PageFile | undefined {
    const known = read.get(path)
    const file = FILES.get(path)
    if (known || !file) return known
    const plain = readIfThere(join(folder, file.name))
    if (!plain) return undefined
    const tag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`
    const found = { type: file.type, plain, zipped: gzipSync(plain, { level: 9 }), tag }
    read.set(path, found)
    return found
  }

  return {
    serve(visit, path) {
      if (!FILES.has(path) && path !== LOGIN) return false
      const { method, headers } = visit.request
      if (method !== 'GET' && method !== 'HEAD') {
        refuseMethod(visit, 'GET, HEAD')
        return true
      }
      Object.assign(visit.headers, HEADERS)
      const file = load(path)
      if (path === LOGIN) visit.json(200, JSON.stringify({ kind: login }))
      else if (!file) visit.text(404, 'The page is not part of this installation: run `npm run build`.\n', 'text/plain')
      else if (headers['if-none-match']?.includes(file.tag)) give(visit, file, 304)
      else give(visit, file, 200)
      return true
    },
  }
}

function give(visit: Visit, { type, plain, zipped, tag }: PageFile, status: 200 | 304): void {
  visit.headers['etag'] = tag
  if (status === 304) return visit.empty(304)
  const isZipped = ZIPPED.test(visit.request.headers['accept-encoding'] ?? '')
  if (isZipped) visit.headers['content-encoding'] = 'gzip'
  visit.text(200, isZipped ? zipped : plain, type)
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
