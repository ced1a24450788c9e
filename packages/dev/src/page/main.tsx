// Entry point of the inspector page. Built to page.js by scripts/build.mjs and loaded by index.html. Changes the document.

import { render } from 'preact'

import { type Api, createApi } from './api.js'
import { InspectorPage } from './inspector-page.js'
import { loadKey } from './storage.js'
import { useCalls } from './use-calls.js'
import { useInspector } from './use-inspector.js'

function Inspector({ api }: { readonly api: Api }) {
  const { calls, onEvent } = useCalls(api)
  const data = useInspector(api, onEvent)
  const { state, connection } = data
  if (connection === 'denied') return <NoKey />
  if (!state) return <p class="quiet alone">{connection === 'lost' ? LOST : 'Connecting…'}</p>
  return <InspectorPage data={{ ...data, state }} api={api} calls={calls} />
}

const LOST = 'The dev command does not respond. Start it again, and open the link that it prints.'

function NoKey() {
  return (
    <main class="alone">
      <h1>Inspector</h1>
      <p>Open the link that the dev command printed: it contains the key of this run.</p>
    </main>
  )
}

const key = loadKey()
const root = document.getElementById('app')
if (root !== null) render(key === undefined ? <NoKey /> : <Inspector api={createApi(key)} />, root)
