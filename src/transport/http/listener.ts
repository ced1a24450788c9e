// Starts the HTTP server with what this program adds to the protocol: the console, WebSockets and the ArmorIQ format.

import { VERSION } from '../../lib/version.js'
import type { Server } from '../../protocol/server.js'
import { ARMORIQ } from './armoriq-format.js'
import { postArmoriq } from './armoriq-post.js'
import { openBoardSide, type BoardRules } from './board-side.js'
import type { HttpExtensions } from './house.js'
import { startHttpTransport, type HttpListener, type HttpServerOptions } from './http-server.js'

export interface HttpSettings extends Omit<HttpServerOptions, 'extensions'> {
  /** The console; none by default. */
  readonly board?: BoardRules | undefined
}

/** Extensions of every server, with or without a console. */
export const EXTENSIONS: HttpExtensions = {
  metrics: { prefix: 'scorpiox_', version: VERSION },
  unversioned: { dialect: ARMORIQ, post: postArmoriq },
  webSockets: async (context) => (await import('./websocket.js')).openWebSockets(context),
}

export function listenHttp(server: Server, { board, ...settings }: HttpSettings): Promise<HttpListener> {
  const routes = board && ((context: Parameters<typeof openBoardSide>[0]) => openBoardSide(context, board))
  return startHttpTransport(server, { ...settings, extensions: { ...EXTENSIONS, routes } })
}
