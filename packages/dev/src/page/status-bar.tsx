// The bar at the top: the server and its state, the revision to speak, and the button that restarts. Used by
// inspector-page.tsx. Sends HTTP requests through api.ts.

import type { InspectorState } from '../view.js'
import type { Api } from './api.js'
import type { Connection } from './use-inspector.js'

interface StatusBarProps {
  readonly state: InspectorState
  readonly connection: Connection
  readonly api: Api
}

export function StatusBar({ state, connection, api }: StatusBarProps) {
  const { server, command, revisions, revision } = state
  const differs = server !== undefined && server.revision !== revision && state.status === 'ready'
  return (
    <header class="top">
      <div class="identity">
        <h1>
          {server?.name ?? 'Inspector'} <span class="quiet version">{server?.version}</span>
        </h1>
        <p class="quiet command">
          <code>{command}</code>
        </p>
      </div>
      <p class={`status ${connection === 'live' ? state.status : 'failed'}`} role="status" data-run={state.run}>
        <span class="lamp" aria-hidden="true" />
        {connection === 'live' ? STATUS[state.status] : 'Disconnected'}
      </p>
      <label class="revision">
        <span class="quiet">Revision</span>
        <select value={revision} onChange={(event) => void api.chooseRevision(event.currentTarget.value)}>
          {revisions.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      {differs && <p class="busy">The server chose {server.revision}.</p>}
      <button class="button" type="button" onClick={() => void api.restart()}>
        Restart
      </button>
    </header>
  )
}

const STATUS = { starting: 'Starting', ready: 'Ready', failed: 'Failed' } as const
