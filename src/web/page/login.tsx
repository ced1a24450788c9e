// Token form: explains which tokens the server accepts and why one was rejected.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { Key } from '../../services/board/languages/phrase.js'
import { Brand } from './parts/brand.js'
import { LanguageSwitch } from './parts/language-switch.js'
import { Said } from './parts/said.js'
import { fetchLoginKind, type LoginKind } from './server.js'
import { useWords } from './speech.js'

/** Placeholder for servers without authentication. */
const NO_TOKEN = 'none'

/** Why the user is not logged in. */
export type Farewell = 'wrong' | 'expired' | 'link' | 'missing'

const REASONS: Readonly<Record<Farewell, Key>> = {
  wrong: 'tokenWrong',
  expired: 'tokenExpired',
  link: 'linkExpired',
  missing: 'tokenMissing',
}

interface LoginProps {
  readonly farewell: Farewell | undefined
  readonly enter: (token: string) => void
  readonly choose: (language: string) => void
}

export function Login({ farewell, enter, choose }: LoginProps) {
  const { say } = useWords()
  const field = useRef<HTMLInputElement>(null)
  const [isMissing, setMissing] = useState(false)
  const reason = isMissing ? 'missing' : farewell
  const [kind, setKind] = useState<LoginKind>()
  useEffect(() => {
    void fetchLoginKind().then((found) => (found === 'open' ? enter(NO_TOKEN) : setKind(found)))
  }, [])
  useEffect(() => {
    document.title = `${say('logIn')} · scorpiox-code`
    field.current?.focus()
  }, [say])

  const submit = (event: Event): void => {
    event.preventDefault()
    const token = field.current?.value.trim() ?? ''
    setMissing(token === '')
    if (token === '') field.current?.focus()
    else enter(token)
  }

  return (
    <main class="door">
      <Brand />
      <form class="card" onSubmit={submit} noValidate>
        <h1>{say('logIn')}</h1>
        <p id="token-help" class="quiet">
          {kind !== undefined && (
            <Said
              phrase={kind === 'ui' ? 'keyHelp' : 'tokenHelp'}
              places={{ command: <Command name="token create" />, ui: <Command name="ui" /> }}
            />
          )}
        </p>
        <label for="token">{say('token')}</label>
        <input
          ref={field}
          id="token"
          class="field"
          type="password"
          dir="ltr"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby={reason === undefined ? 'token-help' : 'token-help token-error'}
          aria-invalid={reason !== undefined}
        />
        <div role="alert">
          {reason !== undefined && (
            <p id="token-error" class="mistake">
              <Said phrase={REASONS[reason]} places={{ command: <Command name="ui" /> }} />
            </p>
          )}
        </div>
        <button class="button main" type="submit">
          {say('logIn')}
        </button>
      </form>
      <LanguageSwitch choose={choose} />
    </main>
  )
}

function Command({ name }: { readonly name: string }) {
  return <code dir="ltr">scorpiox-code {name}</code>
}
