// Loads the page again, and remembers why for the login. Called by main.tsx. Reads and writes sessionStorage.

import { clearToken } from './auth-token.js'
import type { LogoutReason } from './login.js'

const STORAGE_KEY = 'reload-reason'
const FOREIGN = 'foreign' satisfies LogoutReason

/** Never resolves. The token goes too: the page may have had it while it was not the only one that did. */
export function reloadWithReason(reason: typeof FOREIGN): Promise<never> {
  try {
    clearToken()
    sessionStorage.setItem(STORAGE_KEY, reason)
  } catch {
    // The login says nothing.
  }
  location.reload()
  return new Promise(() => undefined)
}

export function takeReloadReason(): LogoutReason | undefined {
  try {
    const isForeign = sessionStorage.getItem(STORAGE_KEY) === FOREIGN
    sessionStorage.removeItem(STORAGE_KEY)
    return isForeign ? FOREIGN : undefined
  } catch {
    return undefined
  }
}
