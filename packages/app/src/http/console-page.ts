// Serves the page of the console: public static files without data, and the kind of credential its login accepts.
// Files are read once and may be cached; the Content-Security-Policy forbids other origins. Created by start-http.ts
// for `serve --http` and `ui`. Reads the files.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type HttpExchange, refuseMethod } from '@scorpiox/mcp/http/http-exchange'

const FILES: ReadonlyMap<string, { readonly name: string; readonly type: string }> = new Map([
  ['/', { name: 'index.html', type: 'text/html; charset=utf-8' }],
  ['/page.js', { name: 'page.js', type: 'text/javascript; charset=utf-8' }],
  ['/terminal.js', { name: 'terminal.js', type: 'text/javascript; charset=utf-8' }],
  ['/terminal.css', { name: 'terminal.css', type: 'text/css; charset=utf-8' }],
  ['/page.css', { name: 'page.css', type: 'text/css; charset=utf-8' }],
])

const LOGIN_PATH = '/login.json'

/** Accept-Encoding lists gzip, and not with q=0. */
const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$|\s))/

const CONTENT_SECURITY_POLICY = [
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
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
} as const

/** What the login form accepts: a token of this server, only the key that it printed, or the key of `ui` and a token. */
export type ConsoleLogin = 'server' | 'key' | 'ui'

export interface PageHandler {
  /** Serves a path of the page; false if it is not one. */
  serve(exchange: HttpExchange, path: string): boolean
}

interface PageFile {
  readonly type: string
  readonly plain: Buffer
  readonly zipped: Buffer
  readonly tag: string
}

export function createPageHandler(folder: string, login: ConsoleLogin): PageHandler {
  const cache = new Map<string, PageFile>()

  function loadFile(path: string): PageFile | undefined {
    const cached = cache.get(path)
    const file = FILES.get(path)
    if (cached || !file) return cached
    const plain = readIfExists(join(folder, file.name))
    if (!plain) return undefined
    const tag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`
    // Loaded here, because it takes a millisecond that the start of the server does not have.
    const zipped = process.getBuiltinModule('node:zlib').gzipSync(plain, { level: 9 })
    const loaded = { type: file.type, plain, zipped, tag }
    cache.set(path, loaded)
    return loaded
  }

  return {
    serve(exchange, path) {
      if (!FILES.has(path) && path !== LOGIN_PATH) return false
      const { method, headers } = exchange.request
      if (method !== 'GET' && method !== 'HEAD') {
        refuseMethod(exchange, 'GET, HEAD')
        return true
      }
      Object.assign(exchange.headers, HEADERS)
      const file = loadFile(path)
      if (path === LOGIN_PATH) exchange.json(200, JSON.stringify({ kind: login }))
      else if (!file)
        exchange.text(404, 'The page is not part of this installation: run `npm run build`.\n', 'text/plain')
      else if (headers['if-none-match']?.includes(file.tag)) sendFile(exchange, file, 304)
      else sendFile(exchange, file, 200)
      return true
    },
  }
}

function sendFile(exchange: HttpExchange, { type, plain, zipped, tag }: PageFile, status: 200 | 304): void {
  exchange.headers['etag'] = tag
  if (status === 304) return exchange.empty(304)
  const acceptsGzip = ACCEPTS_GZIP.test(exchange.request.headers['accept-encoding'] ?? '')
  if (acceptsGzip) exchange.headers['content-encoding'] = 'gzip'
  exchange.text(200, acceptsGzip ? zipped : plain, type)
}

function readIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
