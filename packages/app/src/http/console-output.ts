// Sends the output of a job over HTTP, for console-endpoint.ts: a part as an event stream that continues while the job
// runs, everything that is stored as a file, or where a text was found. Reads no more than the client has received, so
// memory is bounded. Writes HTTP responses.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

import { findInOutput } from '@scorpiox/console/find-in-output'
import { type OutputPartPosition, type ReadOutputChunk, streamOutput } from '@scorpiox/console/output-stream'
import { readWholeOutput } from '@scorpiox/console/read-whole-output'
import type { ServerJobRef, UserConsole } from '@scorpiox/console/user-console'
import type { OutputOffset } from '@scorpiox/console/view'
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
    streamOutput((from, max) => userConsole.readOutput(job, from, max), job.start, signal, { hasStyles: true }),
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

/** Rejects if nothing can be read; later the client detects that the download is incomplete. */
export async function sendDownload(exchange: HttpExchange, userConsole: UserConsole, job: ServerJobRef): Promise<void> {
  const chunks = readWholeOutput((from, max) => userConsole.readOutput(job, from, max))
  let chunk = await chunks.next()
  const response = exchange.download('application/octet-stream')
  try {
    while (!chunk.done && !response.destroyed) {
      await write(response, chunk.value)
      chunk = await chunks.next()
    }
    response.end()
  } catch {
    response.destroy()
  }
}

/** Stops when the client does not wait any more. */
export async function sendFoundPart(
  exchange: HttpExchange,
  userConsole: UserConsole,
  { query, start, ...job }: ServerJobRef & { readonly query: string; readonly start: OutputOffset },
): Promise<void> {
  const disconnected = new AbortController()
  exchange.response.on('close', () => disconnected.abort())
  const read: ReadOutputChunk = (from, max) => userConsole.readOutput(job, from, max)
  const found = await findInOutput(read, query, start, disconnected.signal)
  if (disconnected.signal.aborted) exchange.clientClosed()
  else exchange.json(200, stringifyWellFormed(found))
}

async function write(response: ServerResponse, chunk: Buffer): Promise<void> {
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
