// The board over HTTP, for whoever has logged in: one stream of what there is and what changes, and what a person can do
// about it. Everybody sees what is theirs; other servers of this machine are shown to its own person alone, and only to
// one who came with a secret of this machine.

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
  watch(visit: Visit): void
  /** Of the part of the path behind `/board/`. */
  order(visit: Visit, verb: string, body: string): void
  /** The server is stopping. */
  endStreams(): void
}

export function openBoardEndpoint(house: House, boards: Boards): BoardEndpoint {
  const open = new Set<EventStream>()
  const boardOf = ({ caller, user }: Visit): Board => boards.of(user, caller !== undefined && isLocal(caller))

  function watch(visit: Visit): void {
    Object.assign(visit.headers, HEADERS)
    const stream = visit.stream()
    const leave = boardOf(visit).watch(sendingTo(stream))
    keep(stream)
    stream.response.on('close', leave)
    stream.open()
  }

  function keep(stream: EventStream): void {
    open.add(stream)
    house.streams.add(stream)
    stream.response.on('close', () => {
      open.delete(stream)
      house.streams.delete(stream)
    })
  }

  async function obey(visit: Visit, order: Order): Promise<void> {
    const board = boardOf(visit)
    try {
      if (order.verb === 'output') return await sendOutput(visit, board, order, keep)
      if (order.verb === 'download') return await sendDownload(visit, board, order)
      const answer = await carryOut(board, order)
      if (answer === undefined) visit.empty(204)
      else visit.json(200, printJson(answer))
    } catch (error) {
      if (error instanceof Failure) return visit.json(409, printJson({ error: error.message }))
      house.server.logError(error)
      visit.json(500, '{"error":"Internal error; see the server\'s log"}')
    }
  }

  return {
    watch,
    order(visit, verb, body) {
      Object.assign(visit.headers, HEADERS, { 'cache-control': 'no-store' })
      const order = readOrder(verb, body)
      if (typeof order === 'string') visit.json(400, printJson({ error: order }))
      else void obey(visit, order)
    },
    endStreams() {
      for (const stream of open) stream.end()
    },
  }
}

function isLocal({ user, via }: Caller): boolean {
  return via !== 'oauth' && user === osUser()
}

/** To one that does not read, what came meanwhile is told at once when it does. */
function sendingTo(stream: EventStream): (change: BoardChange) => void {
  let waiting: BoardChange | undefined
  const { response } = stream
  response.on('drain', () => {
    if (!waiting) return
    stream.send(printJson(waiting))
    waiting = undefined
  })
  return (change) => {
    if (stream.congested) waiting = { ...waiting, ...change }
    else stream.send(printJson(change))
  }
}

type Short = Exclude<Order, { readonly verb: 'output' | 'download' }>

/** The body of the answer; none where there is nothing to read. */
async function carryOut(board: Board, order: Short): Promise<object | undefined> {
  switch (order.verb) {
    case 'plan':
      return { text: (await board.readPlan(order.project)) ?? null }
    case 'tasks':
      return { tasks: await board.olderTasks(order.project, order.before) }
    case 'steps':
      return { steps: await board.taskSteps(order.project, order.task, order.from) }
    case 'answer':
      await board.answer(order, order.replies, 'page')
      return undefined
    case 'kill':
      await board.kill(order)
      return undefined
    case 'cancel':
      await board.cancelCallback(order)
      return undefined
    case 'dismiss':
      await board.dismiss(order)
  }
  return undefined
}
