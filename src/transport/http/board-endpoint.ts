// The console over HTTP for authenticated users: an event stream of its state, and actions. Users see their own data;
// the other servers of this machine are shown to the OS user only, and only with a credential of this machine.

import { Failure } from '../../lib/failure.js'
import { printJson } from '../../lib/json.js'
import { osUser } from '../../platform/user.js'
import type { Board } from '../../services/board/board.js'
import type { Boards } from '../../services/board/shared-boards.js'
import type { BoardChange } from '../../services/board/view.js'
import type { Caller } from './auth.js'
import { readOrder, type Order } from './board-order.js'
import type { EventStream } from './event-stream.js'
import type { House } from './house.js'
import { sendDownload, sendOutput } from './output-endpoint.js'
import type { Visit } from './visit.js'

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

export interface BoardEndpoint {
  watch(exchange: Visit): void
  /** Handles the action named by the path after `/board/`. */
  order(exchange: Visit, verb: string, body: string): void
  /** Called when the server shuts down. */
  endStreams(): void
}

export function openBoardEndpoint(context: House, consoles: Boards): BoardEndpoint {
  const openStreams = new Set<EventStream>()
  const consoleFor = ({ caller, user }: Visit): Board => consoles.of(user, caller !== undefined && isLocal(caller))

  function watch(exchange: Visit): void {
    Object.assign(exchange.headers, HEADERS)
    const stream = exchange.stream()
    const unsubscribe = consoleFor(exchange).watch(createCoalescingSender(stream))
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

  async function handleAction(exchange: Visit, action: Order): Promise<void> {
    const userConsole = consoleFor(exchange)
    try {
      if (action.verb === 'output') return await sendOutput(exchange, userConsole, action, trackStream)
      if (action.verb === 'download') return await sendDownload(exchange, userConsole, action)
      const result = await runAction(userConsole, action)
      if (result === undefined) exchange.empty(204)
      else exchange.json(200, printJson(result))
    } catch (error) {
      if (error instanceof Failure) return exchange.json(409, printJson({ error: error.message }))
      context.server.logError(error)
      exchange.json(500, '{"error":"Internal error; see the server\'s log"}')
    }
  }

  return {
    watch,
    order(exchange, verb, body) {
      Object.assign(exchange.headers, HEADERS, { 'cache-control': 'no-store' })
      const action = readOrder(verb, body)
      if (typeof action === 'string') exchange.json(400, printJson({ error: action }))
      else void handleAction(exchange, action)
    },
    endStreams() {
      for (const stream of openStreams) stream.end()
    },
  }
}

function isLocal({ user, via }: Caller): boolean {
  return via !== 'oauth' && user === osUser()
}

/** While the client is not reading, changes are merged and sent as one event on drain. */
function createCoalescingSender(stream: EventStream): (change: BoardChange) => void {
  let pendingChange: BoardChange | undefined
  const { response } = stream
  response.on('drain', () => {
    if (!pendingChange) return
    stream.send(printJson(pendingChange))
    pendingChange = undefined
  })
  return (change) => {
    if (stream.congested) pendingChange = { ...pendingChange, ...change }
    else stream.send(printJson(change))
  }
}

type SimpleAction = Exclude<Order, { readonly verb: 'output' | 'download' }>

/** Runs an action and returns the response body; undefined for none. */
async function runAction(userConsole: Board, action: SimpleAction): Promise<object | undefined> {
  switch (action.verb) {
    case 'plan':
      return { text: (await userConsole.readPlan(action.project)) ?? null }
    case 'tasks':
      return { tasks: await userConsole.olderTasks(action.project, action.before) }
    case 'steps':
      return { steps: await userConsole.taskSteps(action.project, action.task, action.from) }
    case 'answer':
      await userConsole.answer(action, action.replies, 'page')
      return undefined
    case 'kill':
      await userConsole.kill(action)
      return undefined
    case 'cancel':
      await userConsole.cancelCallback(action)
      return undefined
    case 'dismiss':
      await userConsole.dismiss(action)
  }
  return undefined
}
