// Sends the output of a job over HTTP, for console-endpoint.ts: a part as an event stream that continues while the job
// runs, or everything that is stored as a file. Reads no more than the client has received, so memory is bounded.
// Writes HTTP responses.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

import { MAX_CHUNK_BYTES } from '@scorpiox/console/output-chunk'
import { type OutputPartPosition, streamOutput } from '@scorpiox/console/output-stream'
import type { ServerJobRef, UserConsole } from '@scorpiox/console/user-console'
import { Failure } from '@scorpiox/mcp/errors'
import { dropSlowReader } from '@scorpiox/mcp/http/connections'
import type { EventStream } from '@scorpiox/mcp/http/event-stream'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import { stringifyWellFormed } from '@scorpiox/mcp/json/json'

export function sendOutput(
  exchange: HttpExchange,
  userConsole: UserConsole,
  job: ServerJobRef & { readonly start: OutputPartPosition },
  trackStream: (stream: EventStream) => void,
): Promise<void> {
  return sendEvents(exchange, trackStream, (signal) =>
    streamOutput((from, max) => userConsole.readOutput(job, from, max), job.start, signal),
  )
}

/** Rejects if nothing can be read; a failure after the first event is sent as an event `{"error": "…"}`. */
export async function sendEvents(
  exchange: HttpExchange,
  trackStream: (stream: EventStream) => void,
  read: (disconnected: AbortSignal) => AsyncGenerator<object, void>,
): Promise<void> {
  const disconnected = new AbortController()
  const events = read(disconnected.signal)
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
  }
}

/** Sends everything printed up to now; a line marks where bytes were dropped. */
export async function sendDownload(exchange: HttpExchange, userConsole: UserConsole, job: ServerJobRef): Promise<void> {
  const { size } = await userConsole.readOutput(job, 0, 0)
  const response = exchange.download('application/octet-stream')
  try {
    for (let next = 0; next < size && !response.destroyed;) {
      const { from, bytes } = await userConsole.readOutput(job, next, Math.min(MAX_CHUNK_BYTES, size - next))
      if (bytes.length === 0) break
      if (from > next) await write(response, `\n[${from - next} bytes that were here are no longer kept]\n`)
      await write(response, bytes)
      next = from + bytes.length
    }
    response.end()
  } catch {
    // The client detects the incomplete download.
    response.destroy()
  }
}

async function write(response: ServerResponse, chunk: Buffer | string): Promise<void> {
  if (response.write(chunk)) return
  dropSlowReader(response, () => {})
  await whenDrained(response)
}

async function whenDrained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  const abort = new AbortController()
  const { signal } = abort
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  } finally {
    abort.abort()
  }
}
