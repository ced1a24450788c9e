// Entry point of the page: shows the login or the console, in the language of the reader, and logs in a browser that is
// remembered. Built to page.js by scripts/build.mjs and loaded by index.html. Changes the document; stores the token.

import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { fetchLogin, type LoginKind } from './api.js'
import { clearToken, loadLogin, type StoredLogin, storeToken } from './auth-token.js'
import { dropCredentials, findLoginKind, forgetTab, onOtherLogin, rememberTab, signIn } from './browser-login.js'
import { LoadingScreen } from './components/connection.js'
import { ConsolePage } from './console-page.js'
import { clearDrafts } from './draft-store.js'
import type { ConnectionState } from './event-connection.js'
import { startApp } from './install-app.js'
import { Login, type LogoutReason } from './login.js'
import { reloadWithReason, takeReloadReason } from './reload-reason.js'
import { startSettings } from './use-settings.js'
import { TranslatorProvider, useLanguage } from './use-translator.js'

/** Until the browser has been logged in, or the user has to. */
interface Waiting {
  readonly denied: StoredLogin | undefined
  readonly reason: LogoutReason | undefined
  readonly connection: ConnectionState
  /** Of the server that does not respond. */
  readonly kind?: LoginKind | undefined
}

const CONNECTING: ConnectionState = { state: 'connecting' }
const RETRY_MS = 2000

function App() {
  const { translator, choose } = useLanguage()
  const [login, setLogin] = useState<StoredLogin | undefined>(loadLogin)
  const [logoutReason, setLogoutReason] = useState<LogoutReason | undefined>(takeReloadReason)
  const [waiting, setWaiting] = useState<Waiting | undefined>(
    login === undefined ? { denied: undefined, reason: logoutReason, connection: CONNECTING } : undefined,
  )

  useEffect(() => {
    const onHashChange = (): void => {
      if (!location.hash.startsWith('#key=')) return
      const loaded = loadLogin()
      if (loaded === undefined) return
      setLogin((current) => current ?? loaded)
      setWaiting(undefined)
    }
    addEventListener('hashchange', onHashChange)
    // It may have changed before this effect.
    onHashChange()
    return () => removeEventListener('hashchange', onHashChange)
  }, [])

  const isAtLogin = login === undefined && waiting === undefined
  useEffect(() => {
    if (!isAtLogin) return undefined
    return onOtherLogin(() => setWaiting({ denied: undefined, reason: logoutReason, connection: CONNECTING }))
  }, [isAtLogin])

  const end = (reason: LogoutReason | undefined): void => {
    clearToken()
    // A session that ended by itself is continued with them after the next login.
    if (reason === undefined) clearDrafts()
    setWaiting(undefined)
    setLogoutReason(reason)
    setLogin(undefined)
  }
  const logIn = (next: StoredLogin): void => {
    setWaiting(undefined)
    setLogoutReason(undefined)
    setLogin(next)
  }
  const signInNow = useSignIn(waiting, setWaiting, { logIn, end })

  if (login === undefined && waiting !== undefined) {
    return (
      <TranslatorProvider value={translator}>
        <LoadingScreen
          connection={waiting.connection}
          kind={waiting.kind}
          retry={signInNow}
          logOut={() => end(undefined)}
        />
      </TranslatorProvider>
    )
  }
  return (
    <TranslatorProvider value={translator}>
      {login === undefined ? (
        <Login
          logoutReason={logoutReason}
          logIn={(token) => {
            storeToken(token)
            logIn({ token, byLink: false })
          }}
          chooseLanguage={choose}
        />
      ) : (
        <ConsolePage
          login={login}
          chooseLanguage={choose}
          onLive={() => void rememberTab(login.token)}
          logOut={() => {
            forgetTab(login.token)
            end(undefined)
          }}
          onDenied={(reason) => setWaiting({ denied: login, reason, connection: CONNECTING })}
        />
      )}
    </TranslatorProvider>
  )
}

interface SignInHandlers {
  readonly logIn: (login: StoredLogin) => void
  readonly end: (reason: LogoutReason | undefined) => void
}

/** While something waits for it, logs this browser in; again and again if no server responds. */
function useSignIn(
  waiting: Waiting | undefined,
  setWaiting: (waiting: Waiting) => void,
  { logIn, end }: SignInHandlers,
): () => void {
  const isTrying = waiting !== undefined && waiting.connection.state !== 'lost'
  useEffect(() => {
    if (!isTrying) return undefined
    let isLate = false
    void trySignIn(waiting.denied).then((result) => {
      if (isLate) return
      if (result === 'unreachable') {
        const retryAt = Date.now() + RETRY_MS
        const connection = { state: 'lost', retryAt, status: 0, cause: 'unreachable' } as const
        void findLoginKind().then((kind) => {
          if (!isLate) setWaiting({ ...waiting, connection, kind })
        })
      } else if (result === 'revoked') {
        dropCredentials()
        end('browser')
      } else if (result === 'none') end(waiting.reason)
      else logIn(result)
    })
    return () => void (isLate = true)
  }, [isTrying, waiting?.denied])
  const retry = (): void => {
    if (waiting !== undefined) setWaiting({ ...waiting, connection: CONNECTING })
  }
  useEffect(() => {
    if (waiting?.connection.state !== 'lost') return undefined
    const timer = setTimeout(retry, RETRY_MS)
    return () => clearTimeout(timer)
  }, [waiting])
  return retry
}

async function trySignIn(denied: StoredLogin | undefined): Promise<StoredLogin | 'unreachable' | 'revoked' | 'none'> {
  const info = await fetchLogin()
  if (info === undefined) return 'unreachable'
  const result = await signIn(info)
  if (result.outcome === 'foreign-worker') return reloadWithReason('foreign')
  if (result.outcome !== 'signed-in' || info.run === undefined) {
    return result.outcome === 'unreachable' ? 'unreachable' : 'none'
  }
  return denied?.run === info.run ? 'revoked' : { token: result.token, byLink: false, run: info.run }
}

startSettings()
startApp()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
