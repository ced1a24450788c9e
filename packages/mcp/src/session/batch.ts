// Answers JSON-RPC batches, which exist only at revision 2025-03-26: several messages in one text. The answers are sent
// in one text when the last is ready. Used by session.ts. In memory only.

import { INVALID_REQUEST } from '../errors.js'
import {
  createMalformedMessage,
  getAnswerText,
  type JsonRpcAnswer,
  type JsonRpcBatch,
  type JsonRpcMessage,
  type PendingAnswer,
  TrackedAnswer,
} from '../jsonrpc/message.js'
import type { Revision } from '../revisions/revision.js'

const MAX_BATCH = 1000

/** `initialize` must be sent alone, and `subscriptions/listen` would delay all other answers. */
const NOT_BATCHABLE: ReadonlySet<string> = new Set(['initialize', 'subscriptions/listen'])

export function answerBatch(
  batch: JsonRpcBatch,
  revision: Revision,
  answerOne: (message: JsonRpcMessage) => PendingAnswer,
): PendingAnswer {
  const problem = findBatchProblem(batch.size, revision)
  if (problem !== undefined) return createMalformedMessage(INVALID_REQUEST, `Invalid Request: ${problem}`).answer
  const answers = batch.parse().map((message) => {
    if (message.kind !== 'request' || !NOT_BATCHABLE.has(message.method)) return answerOne(message)
    const reason = `Invalid Request: ${message.method} must not be part of a batch`
    return createMalformedMessage(INVALID_REQUEST, reason, message.id).answer
  })
  const ready = answers.filter(isReady)
  return ready.length === answers.length ? joinAnswers(ready) : joinPendingAnswers(answers)
}

function findBatchProblem(size: number, revision: Revision): string | undefined {
  if (revision !== '2025-03-26') return 'batches exist only at revision 2025-03-26'
  return size > MAX_BATCH ? `a batch may have ${MAX_BATCH} messages, this one has ${size}` : undefined
}

function isReady(answer: PendingAnswer): answer is JsonRpcAnswer {
  return !(answer instanceof Promise)
}

async function joinPendingAnswers(pendingAnswers: readonly PendingAnswer[]): Promise<JsonRpcAnswer> {
  const answers: JsonRpcAnswer[] = []
  for (const pending of pendingAnswers) answers.push(await pending)
  return joinAnswers(answers)
}

function joinAnswers(answers: readonly JsonRpcAnswer[]): JsonRpcAnswer {
  const texts = answers.map(getAnswerText).filter((answer) => answer !== undefined)
  if (texts.length === 0) return undefined
  const text = `[${texts.join(',')}]`
  const tracked = answers.filter((answer) => answer instanceof TrackedAnswer)
  return tracked.length === 0
    ? text
    : new TrackedAnswer(
        text,
        tracked.map((answer) => answer.reportWritten.bind(answer)),
      )
}
