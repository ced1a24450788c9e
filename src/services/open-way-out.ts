// Creates the guarded fetch from the settings and the environment.

import type { Config } from '../config/load.js'
import type { Log } from '../platform/log.js'
import { createWayOut } from '../platform/way-out/create-way-out.js'
import type { WayOut } from '../platform/way-out/way-out.js'

export function openWayOut({ settings, proxies }: Config, log: Log): WayOut {
  const { FETCH_ALLOW: allow, FETCH_PROXY: fixed } = settings
  return createWayOut({ allow, proxies: { fixed, ...proxies }, warn: (message) => log.warn(message) })
}
