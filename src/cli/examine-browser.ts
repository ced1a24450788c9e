// Finding of the doctor: the browser for pages that need JavaScript. Starts and unpacks nothing. A missing browser is a
// failure only if the settings name one.

import type { Config } from '../config/load.js'
import { Failure } from '../lib/failure.js'
import { findBrowser } from '../platform/browser/find-browser.js'
import { installCommand } from '../platform/package-manager.js'
import type { Finding } from './finding.js'

const BUNDLED_CHROMIUM = new Failure('the Chromium installed by npm; it is unpacked on first use')

export async function examineBrowser({
  settings,
  childEnv: env,
  cwd: project,
}: Pick<Config, 'settings' | 'childEnv' | 'cwd'>): Promise<Finding> {
  const { BROWSER_PATH: browserPath } = settings
  if (browserPath === 'off')
    return { name: 'browser', ok: true, detail: 'off; pages that need JavaScript are not shown' }
  try {
    return {
      name: 'browser',
      ok: true,
      detail: await findBrowser({ wanted: browserPath, env, project, unpackIn: refuseToUnpack }),
    }
  } catch (error) {
    if (error === BUNDLED_CHROMIUM) return { name: 'browser', ok: true, detail: BUNDLED_CHROMIUM.message }
    if (!(error instanceof Failure)) throw error
    return {
      name: 'browser',
      ok: browserPath === '',
      detail: 'none; pages that need JavaScript are not shown',
      fix: browserPath === '' ? installCommand('chromium') : error.message,
    }
  }
}

function refuseToUnpack(): never {
  throw BUNDLED_CHROMIUM
}
