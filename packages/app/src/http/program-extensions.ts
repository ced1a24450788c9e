// What the HTTP servers of this package add to that of the protocol: WebSockets, the ArmorIQ format and their own
// metric names. Passed to the HTTP server by start-http.ts (`serve --http`, `ui`) and by library.ts (`serveHttp`).
// Loads websocket.ts with the first WebSocket; no other effect.

import type { HttpExtensions } from '@scorpiox/mcp/http/http-context'
import { VERSION } from '@scorpiox/server/config/version'
import { ARMORIQ_FORMAT, handleArmoriqPost } from './armoriq.js'

export const PROGRAM_METRICS = { prefix: 'scorpiox_', version: VERSION }

export const PROGRAM_EXTENSIONS: HttpExtensions = {
  metrics: PROGRAM_METRICS,
  unversioned: { dialect: ARMORIQ_FORMAT, post: handleArmoriqPost },
  webSockets: async (context) => (await import('./websocket.js')).createWebSockets(context),
}
