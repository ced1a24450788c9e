// Why an action failed: the English message of the server, if it sent one.

import type { Done } from '../server.js'
import { useWords } from '../speech.js'
import { Foreign } from './foreign.js'

export function Refusal({ done }: { readonly done: Done | undefined }) {
  const { say } = useWords()
  return (
    <div role="alert">
      {done?.ok === false && (
        <p class="mistake">
          {done.sentence === null ? (
            say(done.status === 0 ? 'unreachable' : 'refused', { status: `${done.status}` })
          ) : (
            <Foreign lang="en" text={done.sentence} />
          )}
        </p>
      )}
    </div>
  )
}
