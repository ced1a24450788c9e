import type { Asker } from '../services/questions/asker.js'
import type { Call } from './call.js'

const DAY_MS = 24 * 60 * 60 * 1000

export function askerOf(call: Call): Asker {
  const { user, session, client, can, wantsProgress } = call
  return {
    user,
    session,
    get signal() {
      return call.signal
    },
    client,
    showsForms: can.form,
    wantsLife: wantsProgress,
    showLife: (seconds) => call.progress(seconds, { message: `Waiting for the user to answer (${seconds} s)` }),
    async askForm(form, { timeoutMs, late }) {
      let afterMs: number | undefined
      const { said } = await call.ask(
        { said: { kind: 'form', ...form } },
        {
          timeoutMs,
          // On the modern revision no call waits, so the user may take a day.
          returnMs: DAY_MS,
          once: true,
          timing: (times) => void (afterMs = times.said),
          late: (answers) => answers.said && late(answers.said),
        },
      )
      return { ...said, afterMs }
    },
    whenWritten: call.whenWritten,
  }
}
