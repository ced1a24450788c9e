// The routes of the console: the public page, and the endpoints for authenticated users, which only accept requests of
// the same origin.

import type { Boards } from '../../services/board/shared-boards.js'
import { openBoardEndpoint } from './board-endpoint.js'
import { isVerb } from './board-order.js'
import type { ExtraRoutes, House } from './house.js'
import { checkOwnOrigin } from './own-origin.js'
import { openPage } from './page-endpoint.js'
import { refuseMethod } from './refuse-method.js'

const BOARD_PATH = '/board'
/** More than any reply of a user. */
const MAX_ACTION_BYTES = 256 * 1024

export interface BoardRules {
  readonly boards: Boards
  /** The folder with the files of the page. */
  readonly pageFolder: string
  readonly isSecure: boolean
  /** The origin of the public URL; '' for none. */
  readonly publicOrigin: string
  /** What the login form accepts: no credential, a token of this server, or also the key of the `ui` command. */
  readonly login: 'open' | 'server' | 'ui'
}

export function openBoardSide(context: House, options: BoardRules): ExtraRoutes {
  const { boards, pageFolder, isSecure, publicOrigin, login } = options
  const endpoint = openBoardEndpoint(context, boards)
  const page = openPage(pageFolder, login)
  return {
    ownsPath: (path) => path === BOARD_PATH || path.startsWith(`${BOARD_PATH}/`),
    refuse: ({ headers }) => checkOwnOrigin(headers, { isSecure, publicOrigin, policy: context.policy }),
    servePublic: (exchange, path) => page.serve(exchange, path),
    route(exchange, path, withBody) {
      const { method } = exchange.request
      if (path === BOARD_PATH) return method === 'GET' ? endpoint.watch(exchange) : refuseMethod(exchange, 'GET')
      const verb = path.slice(BOARD_PATH.length + 1)
      if (!isVerb(verb)) return exchange.refuse({ status: 404, reason: `Unknown action ${verb.slice(0, 40)}` }, 'path')
      if (method !== 'POST') return refuseMethod(exchange, 'POST')
      withBody(
        exchange,
        (body) => endpoint.order(exchange, verb, body),
        Math.min(context.maxBodyBytes, MAX_ACTION_BYTES),
      )
    },
    endStreams: () => endpoint.endStreams(),
  }
}
