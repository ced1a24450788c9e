// Entry point of the page: shows the login or the console, in the language of the reader.

import { useEffect, useState } from 'preact/hooks'

import { Board } from './board.js'
import { Login, type Farewell } from './login.js'
import { findSignIn, forgetToken, keepToken, type SignIn } from './sign-in.js'
import { SpeechProvider, useLanguage } from './speech.js'

export function App() {
  const { words, choose } = useLanguage()
  const [login, setLogin] = useState<SignIn | undefined>(findSignIn)
  const [logoutReason, setLogoutReason] = useState<Farewell>()

  useEffect(() => {
    const onHashChange = (): void => {
      if (location.hash.startsWith('#key=')) setLogin(findSignIn())
    }
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [])

  const logOut = (reason?: Farewell): void => {
    forgetToken()
    setLogoutReason(reason)
    setLogin(undefined)
  }
  const logIn = (token: string): void => {
    keepToken(token)
    setLogoutReason(undefined)
    setLogin({ token, byLink: false })
  }

  return (
    <SpeechProvider value={words}>
      {login === undefined ? (
        <Login farewell={logoutReason} enter={logIn} choose={choose} />
      ) : (
        <Board key={login.token} signedIn={login} leave={logOut} choose={choose} />
      )}
    </SpeechProvider>
  )
}
