// Creates the browser pool from the settings: executable, environment and proxy.

import { join } from 'node:path'

import type { Config } from '../../config/load.js'
import { stateDirOf } from '../../config/state-dir.js'
import type { Browser } from '../../platform/browser/browser.js'
import { findBrowser } from '../../platform/browser/find-browser.js'
import { launchBrowser } from '../../platform/browser/launch.js'
import type { Log } from '../../platform/log.js'
import type { WayOut } from '../../platform/way-out/way-out.js'
import { createWarmBrowser } from './warm-browser.js'

export interface Surroundings {
  readonly config: Pick<Config, 'settings' | 'childEnv' | 'cwd'>
  readonly wayOut: Pick<WayOut, 'proxy'>
  readonly log: Log
}

/** The browser is located and started by the first page. */
export function openBrowser({ config, wayOut, log }: Surroundings): Browser {
  const { settings, childEnv: env, cwd: project } = config
  const unpackIn = (): string => join(stateDirOf(settings), 'browser')
  return createWarmBrowser({
    async launch() {
      const file = await findBrowser({ wanted: settings.BROWSER_PATH, env, project, unpackIn })
      const live = await launchBrowser({ file, env, proxy: await wayOut.proxy() })
      log.debug(`browser: started ${file} (pid ${live.pid})${live.isSandboxed ? '' : ', Chromium sandbox disabled'}`)
      return live
    },
  })
}
