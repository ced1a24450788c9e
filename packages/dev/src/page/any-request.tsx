// A form for a request of any method, such as ping, logging/setLevel or resources/subscribe. Used by inspector-page.tsx.

import { CallForm } from './call-form.js'
import { type Members, membersOf, textOf } from './json.js'
import type { Calls } from './use-calls.js'

/** The fragment of its address, and the key of its calls. */
export const ANY_REQUEST = 'request'

const SCHEMA: Members = {
  type: 'object',
  required: ['method'],
  properties: {
    method: { type: 'string', description: 'Such as ping, logging/setLevel or resources/subscribe.' },
    params: { description: 'A JSON object.' },
  },
}

interface AnyRequestProps {
  readonly calls: Calls
  readonly canCall: boolean
}

export function AnyRequest({ calls, canCall }: AnyRequestProps) {
  return (
    <article aria-labelledby="offer">
      <header>
        <h2 id="offer">Any request</h2>
        <p class="description">Sends what you write. Answers and notifications are on the wire.</p>
      </header>
      <CallForm
        entry={ANY_REQUEST}
        verb="Send"
        schema={SCHEMA}
        start={({ method, params }) => calls.start(ANY_REQUEST, textOf(method), membersOf(params))}
        {...{ calls, canCall }}
      />
    </article>
  )
}
