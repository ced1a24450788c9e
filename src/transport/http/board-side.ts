// The side of the house where people look: the page for everybody, the board for those who have logged in, and what is
// asked of a browser for their sake.

import type { Boards } from '../../services/board/shared-boards.js'
import { openBoardEndpoint } from './board-endpoint.js'
import { isVerb } from './board-order.js'
import type { ExtraRoutes, House } from './house.js'
import { checkOwnOrigin } from './own-origin.js'
import { openPage } from './page-endpoint.js'
import { refuseMethod } from './refuse-method.js'

const BOARD = '/board'
/** A reply of a person is never as long. */
const MAX_ORDER_BYTES = 256 * 1024

export interface BoardRules {
  readonly boards: Boards
  /** Where the files of the page are. */
  readonly pageFolder: string
  readonly isSecure: boolean
  /** Of the address people use, where it is not this one; '' for none. */
  readonly publicOrigin: string
  /** What the login of the page takes: no credential, a token of this server, or also the key of the `ui` command. */
  readonly login: 'open' | 'server' | 'ui'
}

export function openBoardSide(house: House, rules: BoardRules): ExtraRoutes {
  const { boards, pageFolder, isSecure, publicOrigin, login } = rules
  const endpoint = openBoardEndpoint(house, boards)
  const page = openPage(pageFolder, login)
  return {
    ownsPath: (path) => path === BOARD || path.startsWith(`${BOARD}/`),
    refuse: ({ headers }) => checkOwnOrigin(headers, { isSecure, publicOrigin, policy: house.policy }),
    servePublic: (visit, path) => page.serve(visit, path),
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
