// Shown until the first view arrives, usually for an instant.

import { useWords } from '../speech.js'
import type { Connection } from '../watch-board.js'
import { Brand } from './brand.js'
import { ConnectionState } from './connection-state.js'

interface LoadingScreenProps {
  readonly connection: Connection
  readonly retry: () => void
  readonly leave: () => void
}

export function Opening({ connection, retry, leave }: LoadingScreenProps) {
  const { say } = useWords()
  return (
    <main class="door opening">
      <Brand />
      <div class="card">
        <h1 class="unseen">scorpiox-code</h1>
        {connection.state === 'lost' && (
          <p role="alert">
            {connection.status === 0 ? say('unreachable') : say('refused', { status: `${connection.status}` })}
          </p>
        )}
        <ConnectionState connection={connection} retry={retry} />
        <button class="button" type="button" onClick={leave}>
          {say('otherToken')}
        </button>
      </div>
    </main>
  )
}
