// The console over HTTP for authenticated users, called by the page: an event stream of its state, and actions. Users
// see their own data; the other servers of this machine are shown to the OS user only, and only with a credential of
// this machine. The routes are in start-http.ts. Writes HTTP responses; acts through the consoles.

import type { UserConsole } from '@scorpiox/console/user-console'
import type { UserConsoles } from '@scorpiox/console/user-consoles'
import type { ConsoleChange } from '@scorpiox/console/view'
import { Failure } from '@scorpiox/mcp/errors'
import type { Principal } from '@scorpiox/mcp/http/authenticator'
import type { EventStream } from '@scorpiox/mcp/http/event-stream'
import type { HttpContext } from '@scorpiox/mcp/http/http-context'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import { stringifyWellFormed } from '@scorpiox/mcp/json/json'
import { getOsUser } from '@scorpiox/mcp/os'
import { parseConsoleAction } from './console-actions.js'
import type { ConsoleAction } from './console-actions/action.js'
import type { JobStream } from './console-actions/job-actions.js'

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

const ACTION_HEADERS = { ...HEADERS, 'cache-control': 'no-store' } as const

export interface ConsoleEndpoint {
  watch(exchange: HttpExchange, principal: Principal): void
  /** Handles the action named by the path after `/board/`. */
  handleAction(exchange: HttpExchange, principal: Principal, verb: string, body: string): void
  /** Sends what `act` returns; a string says what is wrong with the request. */
  respond(exchange: HttpExchange, act: () => object | string): void
  /** Called when the server shuts down. */
  endStreams(): void
}

/** Chooses the console of a caller. */
export type ConsoleFor = (principal: Principal) => UserConsole | Promise<UserConsole>

export function createConsoleEndpoint(context: HttpContext, consoleFor: ConsoleFor): ConsoleEndpoint {
  const openStreams = new Set<EventStream>()

  async function openWatch(exchange: HttpExchange, principal: Principal): Promise<void> {
    try {
      const userConsole = await consoleFor(principal)
      if (exchange.response.destroyed) exchange.clientClosed()
      else watch(exchange, userConsole, principal)
    } catch (error) {
      failAction(exchange, error)
    }
  }

  function watch(exchange: HttpExchange, userConsole: UserConsole, { user }: Principal): void {
    // The page keeps what a user has typed apart from that of another one.
    Object.assign(exchange.headers, HEADERS, { 'console-user': encodeURIComponent(user.toWellFormed()) })
    const stream = exchange.stream()
    const unsubscribe = userConsole.watch(createCoalescingSender(stream))
    trackStream(stream)
    stream.response.on('close', unsubscribe)
    stream.open()
  }

  function trackStream(stream: EventStream): void {
    openStreams.add(stream)
    context.streams.add(stream)
    stream.response.on('close', () => {
      openStreams.delete(stream)
      context.streams.delete(stream)
    })
  }

  async function handleAction(
    exchange: HttpExchange,
    principal: Principal,
    action: ConsoleAction | JobStream,
  ): Promise<void> {
    try {
      const userConsole = await consoleFor(principal)
      if (typeof action !== 'function') return await sendJobStream(exchange, userConsole, action)
      const result = await action(userConsole)
      if (result === undefined) exchange.empty(204)
      else exchange.json(200, stringifyWellFormed(result))
    } catch (error) {
      failAction(exchange, error)
    }
  }

  async function sendJobStream(exchange: HttpExchange, userConsole: UserConsole, stream: JobStream): Promise<void> {
    if (stream.verb === 'terminal') {
      const { sendTerminal } = await import('./console-terminal.js')
      return sendTerminal(exchange, userConsole, stream, trackStream)
    }
    const { sendDownload, sendFoundPart, sendOutput } = await import('./console-output.js')
    if (stream.verb === 'find') return sendFoundPart(exchange, userConsole, stream)
    if (stream.verb === 'download') return sendDownload(exchange, userConsole, stream)
    return sendOutput(exchange, userConsole, stream, trackStream)
  }

  function failAction(exchange: HttpExchange, error: unknown): void {
    if (error instanceof Failure) return exchange.json(409, stringifyWellFormed({ error: error.message }))
    context.server.logError(error)
    exchange.json(500, '{"error":"Internal error; see the server\'s log"}')
  }

  return {
    watch: (exchange, principal) => void openWatch(exchange, principal),
    handleAction(exchange, principal, verb, body) {
      Object.assign(exchange.headers, ACTION_HEADERS)
      const action = parseConsoleAction(verb, body)
      if (typeof action === 'string') exchange.json(400, stringifyWellFormed({ error: action }))
      else void handleAction(exchange, principal, action)
    },
    respond(exchange, act) {
      Object.assign(exchange.headers, ACTION_HEADERS)
      try {
        const result = act()
        if (typeof result === 'string') exchange.json(400, stringifyWellFormed({ error: result }))
        else exchange.json(200, stringifyWellFormed(result))
      } catch (error) {
        failAction(exchange, error)
      }
    },
    endStreams() {
      for (const stream of openStreams) stream.end()
    },
  }
}

/** The consoles of one project: of every user one. */
export function consolesOfProject(consoles: UserConsoles): ConsoleFor {
  return (principal) => consoles.forUser(principal.user, isLocal(principal))
}

function isLocal({ user, method }: Principal): boolean {
  return method !== 'oauth' && user === getOsUser()
}

/** While the client is not reading, changes are merged and sent as one event on drain. */
function createCoalescingSender(stream: EventStream): (change: ConsoleChange) => void {
  let pendingChange: ConsoleChange | undefined
  const { response } = stream
  response.on('drain', () => {
    if (!pendingChange) return
    stream.send(stringifyWellFormed(pendingChange))
    pendingChange = undefined
  })
  return (change) => {
    if (stream.isBackedUp) pendingChange = { ...pendingChange, ...change }
    else stream.send(stringifyWellFormed(change))
  }
}
