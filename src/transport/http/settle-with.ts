// Reports whether an answer was written: when the response finishes, or closes before that.

import type { ServerResponse } from 'node:http'

import { Registered, type Answer } from '../../protocol/message.js'

/** Must be called before the answer is passed to the response. */
export function settleWith(answer: Answer, response: ServerResponse | undefined): void {
  if (!(answer instanceof Registered)) return
  if (!response || response.destroyed) return answer.settle(false)
  response.once('finish', () => answer.settle(true))
  response.once('close', () => answer.settle(false))
}
