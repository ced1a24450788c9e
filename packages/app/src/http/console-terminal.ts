// Sends the terminal of a job over HTTP as an event stream, for console-endpoint.ts: what is on it, then what is
// printed. Reads no more than the client has received. When the client leaves, the terminal goes back to the model,
// unless a line is not ended. Writes HTTP responses.

import { streamTerminal } from '@scorpiox/console/terminal-stream'
import type { ServerJobRef, UserConsole } from '@scorpiox/console/user-console'
import { Failure } from '@scorpiox/mcp/errors'
import type { EventStream } from '@scorpiox/mcp/http/event-stream'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import { stringifyWellFormed } from '@scorpiox/mcp/json/json'
import { whenDrained } from './console-output.js'

/** Rejects if nothing can be read; a failure after the first event is sent as an event `{"error": "…"}`. */
export async function sendTerminal(
  exchange: HttpExchange,
  userConsole: UserConsole,
  job: ServerJobRef,
  trackStream: (stream: EventStream) => void,
): Promise<void> {
  const disconnected = new AbortController()
  const terminal = userConsole.terminalOf(job)
  const events = streamTerminal((from) => terminal.read(from), disconnected.signal)
  let event = await events.next()
  const stream = exchange.stream()
  trackStream(stream)
  stream.response.on('close', () => disconnected.abort())
  try {
    while (!event.done && !disconnected.signal.aborted) {
      stream.send(stringifyWellFormed(event.value))
      if (stream.isBackedUp) await whenDrained(stream.response)
      event = await events.next()
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    stream.send(stringifyWellFormed({ error: error.message }))
  } finally {
    stream.end()
    // The server of the job may be gone.
    await terminal.giveBack(true).catch(() => undefined)
  }
}
