// A call as one that asks a person.

import type { Asker } from '../services/questions/asker.js'
import type { Call } from './call.js'

const DAY_MS = 24 * 60 * 60 * 1000

export function askerOf(call: Call): Asker {
  const { user, session, can, wantsProgress } = call
  return {
    user,
    session,
    get signal() {
      return call.signal
    },
    showsForms: can.form,
    wantsLife: wantsProgress,
    showLife: (seconds) => call.progress(seconds, { message: `Waiting for the user to answer (${seconds} s)` }),
    async askForm(form, { timeoutMs, late }) {
      const { said } = await call.ask(
        { said: { kind: 'form', ...form } },
        // Nobody waits for a modern client, so its user may take their time.
        { timeoutMs, returnMs: DAY_MS, once: true, late: (answers) => answers.said && late(answers.said) },
      )
      return said
    },
    whenWritten: call.whenWritten,
  }
}
