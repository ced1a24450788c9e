// Connection indicator, as text and colour, and the loading screen of the page. Used by console-page. Renders only.

import type { LoginKind } from '../api.js'
import type { ConnectionState } from '../event-connection.js'
import { useTranslator } from '../use-translator.js'
import { LossReason, NextTry } from './banners.js'
import { Brand } from './header.js'

export function ConnectionIndicator({ connection }: { readonly connection: ConnectionState }) {
  const { translate } = useTranslator()
  return (
    <p class={`connection ${connection.state}`} role="status">
      <span class="lamp" aria-hidden="true" />
      <span class="text">{translate(connection.state)}</span>
    </p>
  )
}

interface LoadingScreenProps {
  readonly connection: ConnectionState
  readonly kind: LoginKind | undefined
  readonly retry: () => void
  readonly logOut: () => void
}

/** Shown until the first view arrives, usually for an instant. */
export function LoadingScreen({ connection, kind, retry, logOut }: LoadingScreenProps) {
  const { translate } = useTranslator()
  return (
    <main class="login opening">
      <Brand />
      <div class="card">
        <h1 class="unseen">scorpiox-code</h1>
        {connection.state === 'lost' && (
          <p role="alert">
            <LossReason lost={connection} kind={kind} />
          </p>
        )}
        <ConnectionIndicator connection={connection} />
        {connection.state === 'lost' && (
          <p class="foot">
            <NextTry at={connection.retryAt} />
            <button class="button small" type="button" onClick={retry}>
              {translate('tryNow')}
            </button>
          </p>
        )}
        <button class="button" type="button" onClick={logOut}>
          {translate('otherToken')}
        </button>
      </div>
    </main>
  )
}
