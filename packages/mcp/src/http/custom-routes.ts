// The routes that an author adds beside /mcp: found by path and method, with or without authentication. Host and Origin
// are checked before by router.ts, limits by checkAdmission. Loaded by serve-http.ts if there are routes; answer-route.ts
// runs the handlers. No I/O of its own.

import { answerRoute } from './answer-route.js'
import { SHUTTING_DOWN } from './host-policy.js'
import type { ExtraRoutes, HttpContext } from './http-context.js'
import { type HttpExchange, refuseMethod } from './http-exchange.js'
import type { HttpRoute } from './http-options.js'
import { allowOrigin } from './router.js'

/** The paths of the server itself. */
const RESERVED: ReadonlySet<string> = new Set(['/mcp', '/sse', '/messages', '/metrics', '/healthz', '/readyz'])
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Checks the routes; throws if one is wrong. The result serves them for an HTTP server. */
export function createCustomRoutes(routes: readonly HttpRoute<unknown>[]): (context: HttpContext) => ExtraRoutes {
  const byPath = groupByPath(routes)
  const prefixes = [...byPath.keys()].filter((path) => path.endsWith('/*')).toSorted((a, b) => b.length - a.length)

  /** The exact path first, then the longest prefix. */
  function find(path: string): readonly HttpRoute<unknown>[] | undefined {
    if (RESERVED.has(path)) return undefined
    const prefix = byPath.has(path) ? path : prefixes.find((pattern) => path.startsWith(pattern.slice(0, -1)))
    return prefix === undefined ? undefined : byPath.get(prefix)
  }

  return (context) => {
    const running = new Set<AbortController>()

    function serve(exchange: HttpExchange, candidates: readonly HttpRoute<unknown>[]): void {
      const { method = '' } = exchange.request
      if (context.isShuttingDown) return exchange.refuse(SHUTTING_DOWN, 'stopping')
      const route = candidates.find((candidate) => serves(candidate, method))
      if (!route) return refuseMethod(exchange, allowedMethods(candidates))
      answerRoute(context, exchange, route, running)
    }

    return {
      ownsPath: (path) => find(path) !== undefined,
      refuse: () => undefined,
      servePublic(exchange, path) {
        const candidates = find(path)
        if (!candidates) return false
        const { method = '' } = exchange.request
        allowOrigin(exchange, allowedMethods(candidates))
        const chosen = candidates.filter((candidate) => serves(candidate, method))
        if (method === 'OPTIONS') exchange.empty(204)
        else if ((chosen.length > 0 ? chosen : candidates).every(({ auth }) => auth === 'none'))
          serve(exchange, candidates)
        else return false
        return true
      },
      route(exchange, path) {
        serve(exchange, find(path) ?? [])
      },
      endStreams() {
        for (const controller of running) controller.abort(new Error('the server is stopping'))
      },
    }
  }
}

function groupByPath(routes: readonly HttpRoute<unknown>[]): ReadonlyMap<string, readonly HttpRoute<unknown>[]> {
  const byPath = new Map<string, HttpRoute<unknown>[]>()
  for (const route of routes) {
    const { method, path } = route
    const others = byPath.get(path) ?? []
    const problem = findProblem(method, path) ?? (others.some((other) => other.method === method) && 'it exists twice')
    if (problem) throw new Error(`the route ${method} ${path} is not possible: ${problem}`)
    byPath.set(path, [...others, route])
  }
  return byPath
}

function findProblem(method: string, path: string): string | undefined {
  if (!METHODS.has(method)) return `the method must be ${[...METHODS].join(', ')}; GET also serves HEAD`
  if (RESERVED.has(path)) return 'the server uses this path itself'
  if (path.includes('/:')) return 'a path has no parameters; end it with /* and read the rest from request.url'
  if (!path.startsWith('/') || !isPlainPath(path))
    return 'a path is as in a URL, without a query; at the end it may have /*'
  return undefined
}

/** Whether a URL with this path has the same path: no dot segments, no characters that are escaped, no `*` within. */
function isPlainPath(path: string): boolean {
  const fixed = path.endsWith('/*') ? path.slice(0, -1) : path
  return !fixed.includes('*') && !fixed.startsWith('//') && new URL(fixed, 'http://localhost').pathname === fixed
}

function serves({ method }: { readonly method: string }, requested: string): boolean {
  return method === requested || (method === 'GET' && requested === 'HEAD')
}

function allowedMethods(routes: readonly { readonly method: string }[]): string {
  return routes.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ')
}
