// Batches, which only 2025-03-26 has: several messages in one text, answered in one text, when the last is ready.

import { answerText, malformed, Registered, type Answer, type Batch, type Due, type Message } from './message.js'
import { INVALID_REQUEST } from './protocol-error.js'
import type { Revision } from './revision.js'

const MAX_BATCH = 1000

/** The first must come alone, the second would hold back all the others. */
const ALONE: ReadonlySet<string> = new Set(['initialize', 'subscriptions/listen'])

export function answerBatch(batch: Batch, revision: Revision, answerOne: (message: Message) => Due): Due {
  const refusal = refuseBatch(batch.size, revision)
  if (refusal !== undefined) return malformed(INVALID_REQUEST, `Invalid Request: ${refusal}`).answer
  const answers = batch.read().map((message) => {
    if (message.kind !== 'request' || !ALONE.has(message.method)) return answerOne(message)
    const reason = `Invalid Request: ${message.method} must not be part of a batch`
    return malformed(INVALID_REQUEST, reason, message.id).answer
  })
  const ready = answers.filter(isReady)
  return ready.length === answers.length ? joined(ready) : joinedLater(answers)
}

function refuseBatch(size: number, revision: Revision): string | undefined {
  if (revision !== '2025-03-26') return 'batches exist only at revision 2025-03-26'
  return size > MAX_BATCH ? `a batch may have ${MAX_BATCH} messages, this one has ${size}` : undefined
}

function isReady(due: Due): due is Answer {
  return !(due instanceof Promise)
}

async function joinedLater(dues: readonly Due[]): Promise<Answer> {
  const answers: Answer[] = []
  for (const due of dues) answers.push(await due)
  return joined(answers)
}

function joined(answers: readonly Answer[]): Answer {
  const due = answers.map(answerText).filter((answer) => answer !== undefined)
  if (due.length === 0) return undefined
  const text = `[${due.join(',')}]`
  const registered = answers.filter((answer) => answer instanceof Registered)
  return registered.length === 0
    ? text
    : new Registered(
        text,
        registered.map((answer) => answer.settle.bind(answer)),
      )
}
