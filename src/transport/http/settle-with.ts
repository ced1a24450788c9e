// Tells of an answer whether it was written: its response says so when the last byte has left, or is closed before.

import type { ServerResponse } from 'node:http'

import { Registered, type Answer } from '../../protocol/message.js'

/** To be called before the answer is given to the response. */
export function settleWith(answer: Answer, response: ServerResponse | undefined): void {
  if (!(answer instanceof Registered)) return
  if (!response || response.destroyed) return answer.settle(false)
  response.once('finish', () => answer.settle(true))
  response.once('close', () => answer.settle(false))
}
