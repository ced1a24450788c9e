// Puts the browser together from the settings: which one, what it may know of our environment, and its way out.

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

/** Nothing is looked for or started before the first page. */
export function openBrowser({ config, wayOut, log }: Surroundings): Browser {
  const { settings, childEnv: env, cwd: project } = config
  const unpackIn = (): string => join(stateDirOf(settings), 'browser')
  return createWarmBrowser({
    async launch() {
      const file = await findBrowser({ wanted: settings.BROWSER_PATH, env, project, unpackIn })
      const live = await launchBrowser({ file, env, proxy: await wayOut.proxy() })
      log.debug(`browser: started ${file} as process ${live.pid}${live.isSandboxed ? '' : ', without its own sandbox'}`)
      return live
    },
  })
}
