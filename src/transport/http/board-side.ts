// The side of the house where people look: the page for everybody, the board for those who have logged in, and what is
// asked of a browser for their sake.

import type { IncomingMessage } from 'node:http'

import { openBoardEndpoint } from './board-endpoint.js'
import { isVerb } from './board-order.js'
import type { Refusal } from './gate.js'
import type { BoardRules, House } from './house.js'
import { checkOwnOrigin } from './own-origin.js'
import { openPage } from './page-endpoint.js'
import { refuseMethod } from './refuse-method.js'
import type { Visit } from './visit.js'

const BOARD = '/board'
/** A reply of a person is never as long. */
const MAX_ORDER_BYTES = 256 * 1024

export interface BoardSide {
  /** Whether the path, and everything that is asked of it, is the board's. */
  isIts(path: string): boolean
  /** Before anybody is asked who they are. */
  refuse(request: IncomingMessage): Refusal | undefined
  /** Whether it was a file of the page, which is for everybody. */
  servePage(visit: Visit, path: string): boolean
  /** For whoever was let in. */
  route(visit: Visit, path: string, withBody: WithBody): void
  /** The server is stopping. */
  endStreams(): void
}

export type WithBody = (visit: Visit, next: (body: string) => void, maxBytes?: number) => void

export function openBoardSide(house: House, rules: BoardRules): BoardSide {
  const { boards, pageFolder, isSecure, publicOrigin, login } = rules
  const endpoint = openBoardEndpoint(house, boards)
  const page = openPage(pageFolder, login)
  return {
    isIts: (path) => path === BOARD || path.startsWith(`${BOARD}/`),
    refuse: ({ headers }) => checkOwnOrigin(headers, { isSecure, publicOrigin, policy: house.policy }),
    servePage: (visit, path) => page.serve(visit, path),
    route(visit, path, withBody) {
      const { method } = visit.request
      if (path === BOARD) return method === 'GET' ? endpoint.watch(visit) : refuseMethod(visit, 'GET')
      const verb = path.slice(BOARD.length + 1)
      if (!isVerb(verb)) return visit.refuse({ status: 404, reason: `There is no order ${verb.slice(0, 40)}` }, 'path')
      if (method !== 'POST') return refuseMethod(visit, 'POST')
      withBody(visit, (body) => endpoint.order(visit, verb, body), Math.min(house.maxBodyBytes, MAX_ORDER_BYTES))
    },
    endStreams: () => endpoint.endStreams(),
  }
}
