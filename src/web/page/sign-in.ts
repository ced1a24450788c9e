// The token of this tab. It is stored in sessionStorage, not in a cookie, which browsers would send to every port of
// this machine. A link carries its key in the URL fragment, which is not sent to servers and is removed from the
// address immediately.

const PLACE = 'token'

export interface SignIn {
  readonly token: string
  /** It came from a link that `scorpiox-code ui` opened. */
  readonly byLink: boolean
}

let ofThisTab: string | null = null

/** Undefined: not logged in. */
export function findSignIn(): SignIn | undefined {
  const key = /^#key=(.+)$/.exec(location.hash)?.[1]
  if (key !== undefined) {
    history.replaceState(null, '', location.pathname + location.search)
    const token = decoded(key)
    keepToken(token)
    return { token, byLink: true }
  }
  const token = kept()
  return token === null ? undefined : { token, byLink: false }
}

export function keepToken(token: string): void {
  ofThisTab = token
  tolerant(() => sessionStorage.setItem(PLACE, token))
}

export function forgetToken(): void {
  ofThisTab = null
  tolerant(() => sessionStorage.removeItem(PLACE))
}

function kept(): string | null {
  return tolerant(() => sessionStorage.getItem(PLACE)) ?? ofThisTab
}

function decoded(key: string): string {
  return tolerant(() => decodeURIComponent(key)) ?? key
}

/** Storage may be disabled; the fragment may be malformed. */
function tolerant<T>(attempt: () => T): T | null {
  try {
    return attempt()
  } catch {
    return null
  }
}
