// The routes of the console: the public page, and the endpoints for authenticated users, which accept only requests of the same
// origin. Another port of this machine is another program, although browsers treat it as the same site.

import type { IncomingHttpHeaders } from 'node:http'

import type { UserConsoles } from '@scorpiox/console/user-consoles'
import type { HostPolicy, Refusal } from '@scorpiox/mcp/http/host-policy'
import type { ExtraRoutes, HttpContext } from '@scorpiox/mcp/http/http-context'
import { refuseMethod } from '@scorpiox/mcp/http/http-exchange'
import { createConsoleEndpoint, isConsoleAction } from './console-endpoint.js'
import { createPageHandler } from './console-page.js'

const CROSS_ORIGIN: Refusal = {
  kind: 'origin',
  status: 403,
  reason: 'Only the page of this server may call this',
}

export interface SameOriginOptions {
  readonly isSecure: boolean
  /** The origin of the public URL; '' for none. */
  readonly publicOrigin: string
  readonly policy: HostPolicy
}

export function checkSameOrigin(headers: IncomingHttpHeaders, options: SameOriginOptions): Refusal | undefined {
  const { origin, host = '' } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return CROSS_ORIGIN
  return origin === undefined || isSameOrigin(origin, host, options) ? undefined : CROSS_ORIGIN
}

function isSameOrigin(origin: string, host: string, { isSecure, publicOrigin, policy }: SameOriginOptions): boolean {
  if (publicOrigin !== '' && origin === publicOrigin) return true
  if (host === '') return false
  if (origin === `${isSecure ? 'https' : 'http'}://${host}`) return true
  // Behind an HTTPS proxy, under an allowed name.
  return origin === `https://${host}` && policy.origins.has(origin)
}

const CONSOLE_PATH = '/board'
/** More than any reply of a user; a plan may have been edited, and each of its characters escaped. */
const MAX_ACTION_BYTES = 256 * 1024
const MAX_DECISION_BYTES = 8 * 1024 * 1024

export interface ConsoleRouteOptions {
  readonly consoles: UserConsoles
  /** The folder with the files of the page. */
  readonly pageFolder: string
  readonly isSecure: boolean
  /** The origin of the public URL; '' for none. */
  readonly publicOrigin: string
  /** What the login form accepts: no credential, a token of this server, or also the key of the `ui` command. */
  readonly login: 'open' | 'server' | 'ui'
}

export function createConsoleRoutes(context: HttpContext, options: ConsoleRouteOptions): ExtraRoutes {
  const { consoles, pageFolder, isSecure, publicOrigin, login } = options
  const endpoint = createConsoleEndpoint(context, consoles)
  const page = createPageHandler(pageFolder, login)
  return {
    ownsPath: (path) => path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`),
    refuse: ({ headers }) => checkSameOrigin(headers, { isSecure, publicOrigin, policy: context.hostPolicy }),
    servePublic: (exchange, path) => page.serve(exchange, path),
    route(exchange, path, withBody) {
      const { method } = exchange.request
      if (path === CONSOLE_PATH) return method === 'GET' ? endpoint.watch(exchange) : refuseMethod(exchange, 'GET')
      const verb = path.slice(CONSOLE_PATH.length + 1)
      if (!isConsoleAction(verb))
        return exchange.refuse({ status: 404, reason: `Unknown action ${verb.slice(0, 40)}` }, 'path')
      if (method !== 'POST') return refuseMethod(exchange, 'POST')
      withBody(
        exchange,
        (body) => endpoint.handleAction(exchange, verb, body),
        Math.min(context.maxBodyBytes, verb === 'decide' ? MAX_DECISION_BYTES : MAX_ACTION_BYTES),
      )
    },
    endStreams: () => endpoint.endStreams(),
  }
}
