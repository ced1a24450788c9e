// What every HTTP server of this package adds to the protocol: WebSockets, the ArmorIQ format and its own metric names.

import type { HttpExtensions } from '@scorpiox/mcp/http/http-context'
import { VERSION } from '@scorpiox/server/util/version'
import { ARMORIQ_FORMAT, handleArmoriqPost } from './armoriq.js'

export const PROGRAM_EXTENSIONS: HttpExtensions = {
  metrics: { prefix: 'scorpiox_', version: VERSION },
  unversioned: { dialect: ARMORIQ_FORMAT, post: handleArmoriqPost },
  webSockets: async (context) => (await import('./websocket.js')).createWebSockets(context),
}
