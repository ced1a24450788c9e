// Sends the terminal of a job over HTTP as an event stream, for console-endpoint.ts: what is on it, then what is
// printed. Reads no more than the client has received. When the client leaves, the terminal goes back to the model,
// unless a line is not ended. Writes HTTP responses.

import { streamTerminal } from '@scorpiox/console/terminal-stream'
import type { ServerJobRef, UserConsole } from '@scorpiox/console/user-console'
import type { EventStream } from '@scorpiox/mcp/http/event-stream'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import { sendEvents } from './console-output.js'

/** Rejects if nothing can be read. */
export async function sendTerminal(
  exchange: HttpExchange,
  userConsole: UserConsole,
  job: ServerJobRef,
  trackStream: (stream: EventStream) => void,
): Promise<void> {
  const terminal = userConsole.terminalOf(job)
  try {
    await sendEvents(exchange, trackStream, (signal) => streamTerminal((from) => terminal.read(from), signal))
  } finally {
    // The server of the job may be gone.
    await terminal.giveBack(true).catch(() => undefined)
  }
}
