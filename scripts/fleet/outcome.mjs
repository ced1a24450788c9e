// What a call came to, from the caller's point of view. A failure must say what is known: `refused` (nothing was done) or
// `unknown` (it may have been done); `busy` is a refusal for lack of connections, on a machine under load. `broken` is a connection that ended without a word, `wrong` any other answer.

import { BrokenRequest } from './http-client.mjs'

const NOTHING_DONE =
  /unknown session|nothing was (?:done|written|changed|saved|started)|was not (?:done|started)|nothing has been done/i
const NOT_KNOWN =
  /not known (?:whether|if)|unknown whether|may (?:or may not )?(?:have |be )(?:been done|completed|been written|taken effect|stored)/i

const BUSY = /All connections to \S+ are busy, nothing was changed/

/** `answer` is what a client resolves to. */
export function classifyAnswer({ status, text, error, isError }, expected) {
  const words = text ?? ''
  if (status >= 400 || error !== undefined || isError) {
    if (NOT_KNOWN.test(words)) return { kind: 'unknown', words }
    if (BUSY.test(words)) return { kind: 'busy', words }
    if (NOTHING_DONE.test(words)) return { kind: 'refused', words }
    // HAProxy's own answers are HTML: 503 is sent when no machine took the request, 502 when the answer broke off.
    if (status === 503 && /<html>/.test(words)) return { kind: 'unserved', words: 'HAProxy: no machine is available' }
    if ((status === 502 || status === 504) && /<html>/.test(words))
      return { kind: 'broken', words: `HAProxy: ${status}` }
    return { kind: 'wrong', words: `${status} ${words}` }
  }
  if (expected !== undefined && !expected(words)) return { kind: 'wrong', words }
  return { kind: 'ok', words }
}

/** A stream and a WebSocket can end with a sentence, too. */
export function classifyError(error) {
  if (NOT_KNOWN.test(error.message)) return { kind: 'unknown', words: error.message }
  if (NOTHING_DONE.test(error.message)) return { kind: 'refused', words: error.message }
  if (!(error instanceof BrokenRequest)) return { kind: 'broken', words: error.message }
  return { kind: error.wasSent ? 'broken' : 'unserved', words: error.message }
}
