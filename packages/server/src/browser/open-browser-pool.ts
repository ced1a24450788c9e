// Creates the browser pool from the settings: executable, environment and proxy.

import { join } from 'node:path'

import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '../config/load-config.js'
import { getStateDir } from '../config/paths.js'
import type { GuardedFetch } from '../guarded-fetch/guarded-fetch.js'
import { createBrowserPool } from './browser-pool.js'
import { launchBrowser } from './browser-process.js'
import { findBrowser } from './find-browser.js'
import type { PageRenderer } from './page-renderer.js'

export interface OpenBrowserPoolDeps {
  readonly config: Pick<Config, 'settings' | 'childEnv' | 'cwd'>
  readonly wayOut: Pick<GuardedFetch, 'proxy'>
  readonly log: Log
}

/** The browser is located and started by the first page. */
export function openBrowserPool({ config, wayOut, log }: OpenBrowserPoolDeps): PageRenderer {
  const { settings, childEnv: env, cwd: project } = config
  const unpackIn = (): string => join(getStateDir(settings), 'browser')
  return createBrowserPool({
    async launch() {
      const file = await findBrowser({ browserPath: settings.BROWSER_PATH, env, project, unpackIn })
      const live = await launchBrowser({ file, env, proxy: await wayOut.proxy() })
      log.debug(`browser: started ${file} (pid ${live.pid})${live.isSandboxed ? '' : ', Chromium sandbox disabled'}`)
      return live
    },
  })
}
