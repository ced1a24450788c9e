// Token form: explains which tokens the server accepts and why one was rejected. Shown by main.tsx until a token is
// accepted. Asks the server which tokens it accepts, through api.ts.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { TranslationKey } from '../i18n/translator.js'
import { fetchLogin, type LoginKind } from './api.js'
import { Brand, LanguageSwitch } from './components/header.js'
import { TranslatedText } from './components/text.js'
import { useTranslator } from './use-translator.js'

/** Why the user is not logged in. */
export type LogoutReason = 'wrong' | 'expired' | 'link' | 'missing' | 'browser' | 'foreign'

const REASONS: Readonly<Record<LogoutReason, TranslationKey>> = {
  wrong: 'tokenWrong',
  expired: 'tokenExpired',
  link: 'linkExpired',
  missing: 'tokenMissing',
  browser: 'browserRevoked',
  foreign: 'foreignProgram',
}

const HELP: Readonly<Record<LoginKind, TranslationKey>> = { server: 'tokenHelp', key: 'serverKeyHelp', ui: 'keyHelp' }

interface LoginProps {
  readonly logoutReason: LogoutReason | undefined
  readonly logIn: (token: string) => void
  readonly chooseLanguage: (language: string) => void
}

export function Login({ logoutReason, logIn, chooseLanguage: choose }: LoginProps) {
  const { translate } = useTranslator()
  const field = useRef<HTMLInputElement>(null)
  const [isMissing, setMissing] = useState(false)
  const reason = isMissing ? 'missing' : logoutReason
  const [kind, setKind] = useState<LoginKind>()
  useEffect(() => {
    void fetchLogin().then((info) => setKind(info?.kind ?? 'server'))
  }, [])
  useEffect(() => {
    document.title = `${translate('logIn')} · scorpiox-code`
    field.current?.focus()
  }, [translate])

  const submit = (event: Event): void => {
    event.preventDefault()
    // The whole link works as its key does.
    const token = (field.current?.value.trim() ?? '').replace(/^https?:\S*#key=/, '')
    setMissing(token === '')
    if (token === '') field.current?.focus()
    else logIn(token)
  }

  return (
    <main class="login">
      <Brand />
      <form class="card" onSubmit={submit} noValidate>
        <h1>{translate('logIn')}</h1>
        <p id="token-help" class="quiet">
          {kind !== undefined && (
            <TranslatedText
              textKey={HELP[kind]}
              values={{ command: <Command name="token create" />, ui: <Command name="ui" /> }}
            />
          )}
        </p>
        <label for="token">{translate('token')}</label>
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
              <TranslatedText textKey={REASONS[reason]} values={{ command: <Command name="ui" /> }} />
            </p>
          )}
        </div>
        <button class="button main" type="submit">
          {translate('logIn')}
        </button>
      </form>
      <LanguageSwitch chooseLanguage={choose} />
    </main>
  )
}

function Command({ name }: { readonly name: string }) {
  return <code dir="ltr">scorpiox-code {name}</code>
}
