// Entry point of the page: shows the login or the console, in the language of the reader.

import { useEffect, useState } from 'preact/hooks'

import { Board } from './board.js'
import { Login, type Farewell } from './login.js'
import { findSignIn, forgetToken, keepToken, type SignIn } from './sign-in.js'
import { SpeechProvider, useLanguage } from './speech.js'

export function App() {
  const { words, choose } = useLanguage()
  const [signedIn, setSignedIn] = useState<SignIn | undefined>(findSignIn)
  const [farewell, setFarewell] = useState<Farewell>()

  useEffect(() => {
    const follow = (): void => {
      if (location.hash.startsWith('#key=')) setSignedIn(findSignIn())
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])

  const leave = (reason?: Farewell): void => {
    forgetToken()
    setFarewell(reason)
    setSignedIn(undefined)
  }
  const enter = (token: string): void => {
    keepToken(token)
    setFarewell(undefined)
    setSignedIn({ token, byLink: false })
  }

  return (
    <SpeechProvider value={words}>
      {signedIn === undefined ? (
        <Login farewell={farewell} enter={enter} choose={choose} />
      ) : (
        <Board key={signedIn.token} signedIn={signedIn} leave={leave} choose={choose} />
      )}
    </SpeechProvider>
  )
}
