// The token of this tab. It is stored in sessionStorage, not in a cookie, which browsers would send to every port of this
// machine; the credential of a browser that stays logged in (browser-login.ts) is not stored. A link carries its key in
// the URL fragment, which is not sent to servers and is removed from the address immediately. Used by main.tsx. Reads and
// writes sessionStorage and the address.

const STORAGE_KEY = 'token'

export interface StoredLogin {
  readonly token: string
  /** It came from a link that `scorpiox-code ui` opened. */
  readonly byLink: boolean
  /** The running server for which the browser has signed it. */
  readonly run?: string
}

let tabToken: string | null = null

/**
 * Undefined: not logged in. A link could show a logged-in user the console of another one, so its key is used only while
 * the tab has no token; it is removed from the address in any case.
 */
export function loadLogin(): StoredLogin | undefined {
  const key = /^#key=(.+)$/.exec(location.hash)?.[1]
  if (key !== undefined) history.replaceState(null, '', location.pathname + location.search)
  const stored = readStoredToken()
  if (stored !== null) return { token: stored, byLink: false }
  if (key === undefined) return undefined
  const token = decodeKey(key)
  storeToken(token)
  return { token, byLink: true }
}

export function storeToken(token: string): void {
  tabToken = token
  orNull(() => sessionStorage.setItem(STORAGE_KEY, token))
}

export function clearToken(): void {
  tabToken = null
  orNull(() => sessionStorage.removeItem(STORAGE_KEY))
}

function readStoredToken(): string | null {
  return orNull(() => sessionStorage.getItem(STORAGE_KEY)) ?? tabToken
}

function decodeKey(key: string): string {
  return orNull(() => decodeURIComponent(key)) ?? key
}

/** Storage may be disabled; the fragment may be malformed. */
function orNull<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
