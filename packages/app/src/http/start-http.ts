// Starts the HTTP server with what this program adds to the protocol: WebSockets, the ArmorIQ format and the routes of
// the console. Used by `serve --http` and `ui`. Opens a port.

import type { IncomingHttpHeaders } from 'node:http'

import type { HostPolicy, Refusal } from '@scorpiox/mcp/http/host-policy'
import type { ExtraRoutes, HttpContext } from '@scorpiox/mcp/http/http-context'
import { refuseMethod } from '@scorpiox/mcp/http/http-exchange'
import { type HttpListener, type HttpServerOptions, startHttpTransport } from '@scorpiox/mcp/http/http-server'
import type { RequestPlacement } from '@scorpiox/mcp/http/request-placement'
import type { HttpSessionStore } from '@scorpiox/mcp/http/session-store'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import { isConsoleVerb } from './console-actions.js'
import { BROWSER_ACTIONS } from './browser-actions.js'
import type { BrowserSession } from './browser-logins.js'
import { type ConsoleFor, createConsoleEndpoint } from './console-endpoint.js'
import { type ConsoleLogin, createPageHandler } from './console-page.js'
import { PROGRAM_EXTENSIONS, PROGRAM_METRICS } from './program-extensions.js'

export interface ProgramHttpOptions extends Omit<HttpServerOptions, 'extensions'> {
  /** The console; none by default. */
  readonly console?: ConsoleRouteOptions | undefined
  /** Set if the server is one of several machines. */
  readonly machine?: ProgramMachine | undefined
}

interface ProgramMachine {
  readonly name: string
  readonly placement: RequestPlacement
  readonly sessionStore: HttpSessionStore
}

/**
 * Without authentication every program of this machine is a caller, a sandboxed command with a network included. It may
 * use the tools, but not see and decide what the person sees and decides here.
 */
const NO_KEY: Refusal = {
  status: 401,
  reason: 'Authentication is off: the console needs the key in the link that the server printed when it started',
  headers: { 'www-authenticate': 'Bearer' },
}

export function startProgramHttp(
  server: McpServer,
  { console, machine, ...settings }: ProgramHttpOptions,
): Promise<HttpListener> {
  const routes =
    console && ((context: Parameters<typeof createConsoleRoutes>[0]) => createConsoleRoutes(context, console))
  const extensions = machine
    ? {
        placement: machine.placement,
        sessionStore: machine.sessionStore,
        metrics: { ...PROGRAM_METRICS, labels: { machine: machine.name } },
      }
    : {}
  return startHttpTransport(server, { ...settings, extensions: { ...PROGRAM_EXTENSIONS, routes, ...extensions } })
}

const CROSS_ORIGIN: Refusal = {
  kind: 'origin',
  status: 403,
  reason: 'Only the console of this server can call this',
}

interface SameOriginOptions {
  readonly isSecure: boolean
  /** The origin of the public URL; '' for none. */
  readonly publicOrigin: string
  readonly policy: HostPolicy
}

/** Another port of this machine is another program, although browsers treat it as the same site. */
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

interface ConsoleRouteOptions {
  readonly consoleFor: ConsoleFor
  /** The folder with the files of the page. */
  readonly pageFolder: string
  readonly isSecure: boolean
  /** The origin of the public URL; '' for none. */
  readonly publicOrigin: string
  readonly login: ConsoleLogin
  /** Browsers that stay logged in; undefined if they do not. */
  readonly browsers?: BrowserSession | undefined
}

/**
 * The routes of the console: the public page, and the endpoints for authenticated users, which accept only requests of
 * the same origin.
 */
function createConsoleRoutes(context: HttpContext, options: ConsoleRouteOptions): ExtraRoutes {
  const { consoleFor, pageFolder, isSecure, publicOrigin, login, browsers } = options
  const endpoint = createConsoleEndpoint(context, consoleFor)
  const page = createPageHandler(pageFolder, { kind: login, run: browsers?.run })
  return {
    ownsPath: (path) => path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`),
    refuse: ({ headers }) => checkSameOrigin(headers, { isSecure, publicOrigin, policy: context.hostPolicy }),
    servePublic: (exchange, path) => page.serve(exchange, path),
    route(exchange, path, withBody) {
      const { principal } = exchange
      if (!principal || principal.method === 'open') return exchange.refuse(NO_KEY, 'credentials')
      const { method } = exchange.request
      if (path === CONSOLE_PATH)
        return method === 'GET' ? endpoint.watch(exchange, principal) : refuseMethod(exchange, 'GET')
      const verb = path.slice(CONSOLE_PATH.length + 1)
      const handleBrowser = browsers && BROWSER_ACTIONS.get(verb)
      if (!handleBrowser && !isConsoleVerb(verb))
        return exchange.refuse({ status: 404, reason: `Unknown action ${verb.slice(0, 40)}` }, 'path')
      if (method !== 'POST') return refuseMethod(exchange, 'POST')
      withBody(
        exchange,
        (body) => {
          if (handleBrowser) endpoint.respond(exchange, () => handleBrowser(browsers, exchange, body))
          else endpoint.handleAction(exchange, principal, verb, body)
        },
        Math.min(context.maxBodyBytes, verb === 'decide' ? MAX_DECISION_BYTES : MAX_ACTION_BYTES),
      )
    },
    endStreams: () => endpoint.endStreams(),
  }
}
