// The output of a job over HTTP: one part of it as a stream of events that goes on while the job runs, or all that is
// kept of it as a file. Neither is held in memory: no more is read than the client has taken.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

import { Failure } from '../../lib/failure.js'
import { printJson } from '../../lib/json.js'
import type { Board, OfServer } from '../../services/board/board.js'
import { MAX_PASSAGE_BYTES } from '../../services/board/output-passage.js'
import { streamOutput, type OutputStart } from '../../services/board/output-stream.js'
import type { EventStream } from './event-stream.js'
import { waitForReader } from './patience.js'
import type { Visit } from './visit.js'

/** Rejects where nothing can be read; a failure after the first event is an event `{"error": "a sentence"}`. */
export async function sendOutput(
  visit: Visit,
  board: Board,
  order: OfServer & { readonly start: OutputStart },
  keep: (stream: EventStream) => void,
): Promise<void> {
  const closed = new AbortController()
  const events = streamOutput((from, max) => board.readOutput(order, from, max), order.start, closed.signal)
  let event = await events.next()
  const stream = visit.stream()
  keep(stream)
  stream.response.on('close', () => closed.abort())
  try {
    while (!event.done && !closed.signal.aborted) {
      stream.send(printJson(event.value))
      if (stream.congested) await drained(stream.response)
      event = await events.next()
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    stream.send(printJson({ error: error.message }))
  } finally {
    stream.end()
  }
}

/** Everything that had been printed when it was asked for; a line says where bytes were dropped. */
export async function sendDownload(visit: Visit, board: Board, job: OfServer): Promise<void> {
  const { size } = await board.readOutput(job, 0, 0)
  const response = visit.download('application/octet-stream')
  try {
    for (let next = 0; next < size && !response.destroyed;) {
      const { from, bytes } = await board.readOutput(job, next, Math.min(MAX_PASSAGE_BYTES, size - next))
      if (bytes.length === 0) break
      if (from > next) await write(response, `\n[${from - next} bytes that were here are no longer kept]\n`)
      await write(response, bytes)
      next = from + bytes.length
    }
    response.end()
  } catch {
    // The client sees that it is not whole.
    response.destroy()
  }
}

async function write(response: ServerResponse, chunk: Buffer | string): Promise<void> {
  if (response.write(chunk)) return
  waitForReader(response, () => {})
  await drained(response)
}

async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  const over = new AbortController()
  const { signal } = over
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  } finally {
    over.abort()
  }
}
