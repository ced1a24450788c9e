// What the doctor says about the browser: which one shows pages that need JavaScript. Nothing is started or unpacked. That
// there is none is no illness, unless the settings name one.

import type { Config } from '../config/load.js'
import { Failure } from '../lib/failure.js'
import { findBrowser } from '../platform/browser/find-browser.js'
import { installCommand } from '../platform/package-manager.js'
import type { Finding } from './finding.js'

const CARRIED = new Failure('the Chromium that npm brought; it is unpacked when it is first needed')

export async function examineBrowser({
  settings,
  childEnv: env,
  cwd: project,
}: Pick<Config, 'settings' | 'childEnv' | 'cwd'>): Promise<Finding> {
  const { BROWSER_PATH: wanted } = settings
  if (wanted === 'off') return { name: 'browser', ok: true, detail: 'off; pages that need JavaScript are not shown' }
  try {
    return { name: 'browser', ok: true, detail: await findBrowser({ wanted, env, project, unpackIn: refuse }) }
  } catch (error) {
    if (error === CARRIED) return { name: 'browser', ok: true, detail: CARRIED.message }
    if (!(error instanceof Failure)) throw error
    return {
      name: 'browser',
      ok: wanted === '',
      detail: 'none; pages that need JavaScript are not shown',
      fix: wanted === '' ? installCommand('chromium') : error.message,
    }
  }
}

function refuse(): never {
  throw CARRIED
}
