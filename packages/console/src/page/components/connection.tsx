// Connection indicator, as text and colour, and the loading screen of the page. Used by console-page. Renders only.

import type { ConnectionState } from '../event-connection.js'
import { useNow } from '../use-now.js'
import { useTranslator } from '../use-translator.js'
import { Brand } from './header.js'

interface ConnectionProps {
  readonly connection: ConnectionState
  readonly retry: () => void
}

export function ConnectionIndicator({ connection, retry }: ConnectionProps) {
  const { translate } = useTranslator()
  return (
    <div class={`connection ${connection.state}`}>
      <p role="status">
        <span class="lamp" aria-hidden="true" />
        {translate(connection.state)}
      </p>
      {connection.state === 'lost' && (
        <>
          <NextTry at={connection.retryAt} />
          <button class="button small" type="button" onClick={retry}>
            {translate('tryNow')}
          </button>
        </>
      )}
    </div>
  )
}

function NextTry({ at }: { readonly at: number }) {
  const { translate, formatDuration } = useTranslator()
  useNow()
  // The retry time uses the clock of the browser.
  const remainingMs = Math.max(1, Math.ceil((at - Date.now()) / 1000)) * 1000
  return <p class="quiet">{translate('nextTry', { time: formatDuration(remainingMs) })}</p>
}

interface LoadingScreenProps {
  readonly connection: ConnectionState
  readonly retry: () => void
  readonly logOut: () => void
}

/** Shown until the first view arrives, usually for an instant. */
export function LoadingScreen({ connection, retry, logOut }: LoadingScreenProps) {
  const { translate } = useTranslator()
  return (
    <main class="login opening">
      <Brand />
      <div class="card">
        <h1 class="unseen">scorpiox-code</h1>
        {connection.state === 'lost' && (
          <p role="alert">
            {connection.status === 0
              ? translate('unreachable')
              : translate('refused', { status: `${connection.status}` })}
          </p>
        )}
        <ConnectionIndicator connection={connection} retry={retry} />
        <button class="button" type="button" onClick={logOut}>
          {translate('otherToken')}
        </button>
      </div>
    </main>
  )
}
