// Serves the page of the console: public static files without data, and the kind of credential its login accepts.
// Files are read once and may be cached; the Content-Security-Policy forbids other origins. Created by start-http.ts
// for `serve --http` and `ui`. Reads the files.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

import { type HttpExchange, refuseMethod } from '@scorpiox/mcp/http/http-exchange'

const TYPES: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['webmanifest', 'application/manifest+json'],
])

/** Of the files of the page. The build makes no other. */
const FILE_PATH = /^\/(?:[\w-]+\.(?:js|css|png|svg|webmanifest))?$/

const LOGIN_PATH = '/login.json'

/** Accept-Encoding lists gzip, and not with q=0. */
const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$|\s))/

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  "manifest-src 'self'",
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

/** What the page has to know to log in. */
export interface LoginInfo {
  readonly kind: ConsoleLogin
  /** What the tab of a browser signs; undefined if they do not stay logged in. */
  readonly run: string | undefined
}

export interface PageHandler {
  /** Serves a path of the page; false if it is not one. */
  serve(exchange: HttpExchange, path: string): boolean
}

const WORKER_PATH = '/service-worker.js'

/**
 * Sent instead of the script of a worker that another program on this port has installed in the browser. When the browser
 * looks for a new version, this one replaces it, removes itself and loads the pages that the worker has served again.
 */
const WORKER_REMOVAL = `addEventListener('install', (event) => event.waitUntil(skipWaiting()))
addEventListener('activate', (event) => event.waitUntil((async () => {
  await clients.claim()
  await registration.unregister()
  for (const page of await clients.matchAll({ type: 'window' })) page.navigate(page.url).catch(() => {})
})()))
`

interface PageFile {
  readonly type: string
  readonly plain: Buffer
  readonly zipped: Buffer
  readonly tag: string
}

export function createPageHandler(folder: string, login: LoginInfo): PageHandler {
  const cache = new Map<string, PageFile>()

  function loadFile(path: string): PageFile | undefined {
    const cached = cache.get(path)
    if (cached) return cached
    const name = path === '/' ? 'index.html' : path.slice(1)
    const plain = readIfExists(join(folder, name))
    if (!plain) return undefined
    const tag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`
    // Loaded here, because it takes a millisecond that the start of the server does not have.
    const zipped = process.getBuiltinModule('node:zlib').gzipSync(plain, { level: 9 })
    const loaded = { type: TYPES.get(extname(name).slice(1)) ?? 'application/octet-stream', plain, zipped, tag }
    cache.set(path, loaded)
    return loaded
  }

  return {
    serve(exchange, path) {
      if (path !== WORKER_PATH && exchange.request.headers['service-worker'] === 'script') {
        Object.assign(exchange.headers, HEADERS, { 'cache-control': 'no-store', 'service-worker-allowed': '/' })
        exchange.text(200, WORKER_REMOVAL, 'text/javascript; charset=utf-8')
        return true
      }
      const file = FILE_PATH.test(path) ? loadFile(path) : undefined
      if (!file && path !== '/' && path !== LOGIN_PATH) return false
      const { method, headers } = exchange.request
      if (method !== 'GET' && method !== 'HEAD') {
        refuseMethod(exchange, 'GET, HEAD')
        return true
      }
      Object.assign(exchange.headers, HEADERS)
      if (path === LOGIN_PATH) exchange.json(200, JSON.stringify(login))
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
