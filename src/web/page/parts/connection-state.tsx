// Connection indicator, as text and colour, and the loading screen.

import { useWords } from '../speech.js'
import { useNow } from '../ticking.js'
import type { Connection } from '../watch-board.js'

interface ConnectionProps {
  readonly connection: Connection
  readonly retry: () => void
}

export function ConnectionState({ connection, retry }: ConnectionProps) {
  const { say } = useWords()
  return (
    <div class={`connection ${connection.state}`}>
      <p role="status">
        <span class="lamp" aria-hidden="true" />
        {say(connection.state)}
      </p>
      {connection.state === 'lost' && (
        <>
          <NextTry at={connection.retryAt} />
          <button class="button small" type="button" onClick={retry}>
            {say('tryNow')}
          </button>
        </>
      )}
    </div>
  )
}

function NextTry({ at }: { readonly at: number }) {
  const { say, duration } = useWords()
  useNow()
  // The retry time uses the clock of the browser.
  const remainingMs = Math.max(1, Math.ceil((at - Date.now()) / 1000)) * 1000
  return <p class="quiet">{say('nextTry', { time: duration(remainingMs) })}</p>
}
