// Entry point of the page: shows the login or the console, in the language of the reader. Built to page.js by
// scripts/build.mjs and loaded by index.html. Changes the document; stores the token.

import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { clearToken, loadLogin, type StoredLogin, storeToken } from './auth-token.js'
import { ConsolePage } from './console-page.js'
import { Login, type LogoutReason } from './login.js'
import { TranslatorProvider, useLanguage } from './use-translator.js'

function App() {
  const { translator, choose } = useLanguage()
  const [login, setLogin] = useState<StoredLogin | undefined>(loadLogin)
  const [logoutReason, setLogoutReason] = useState<LogoutReason>()

  useEffect(() => {
    const onHashChange = (): void => {
      if (!location.hash.startsWith('#key=')) return
      const loaded = loadLogin()
      setLogin((current) => current ?? loaded)
    }
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [])

  const logOut = (reason?: LogoutReason): void => {
    clearToken()
    setLogoutReason(reason)
    setLogin(undefined)
  }
  const logIn = (token: string): void => {
    storeToken(token)
    setLogoutReason(undefined)
    setLogin({ token, byLink: false })
  }

  return (
    <TranslatorProvider value={translator}>
      {login === undefined ? (
        <Login logoutReason={logoutReason} logIn={logIn} chooseLanguage={choose} />
      ) : (
        <ConsolePage key={login.token} login={login} logOut={logOut} chooseLanguage={choose} />
      )}
    </TranslatorProvider>
  )
}

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
