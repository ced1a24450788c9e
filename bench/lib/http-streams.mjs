// Many open streams, held by one client process: opened a few hundred at a time, each on a connection of its own, then
// listened to. A stream is reached when the name of the event has come, dropped if it closed or received nothing.

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import {
  getRequest,
  initializedNotice,
  initializeRequest,
  listenRequest,
  tokenOf,
  touchRequest,
} from './http-requests.mjs'
import { headerOf, readResponse, sharedBuffer } from './http-responses.mjs'

const EVENT = 'notifications/tools/list_changed'
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const AT_ONCE = 256
const OPEN_LIMIT_MS = 20_000
const EVENT_LIMIT_MS = 10_000
const ECHO_MS = 200

class Stream {
  #socket
  #receive = () => {}
  #tail = ''
  #fail

  constructor(port) {
    this.events = 0
    this.closed = false
    const onread = { buffer: sharedBuffer, callback: (size, buffer) => this.#receive(buffer.subarray(0, size)) }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    this.broken = new Promise((_, reject) => (this.#fail = reject))
    this.broken.catch(() => {})
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => {
      this.closed = true
      this.#fail(new Error('the server closed a stream'))
    })
  }

  /** Sends a request and resolves with what `isComplete` makes of the bytes that came back. */
  ask(request, isComplete) {
    return new Promise((resolve, reject) => {
      let bytes = Buffer.alloc(0)
      this.broken.catch(reject)
      this.#receive = (chunk) => {
        bytes = Buffer.concat([bytes, chunk])
        try {
          const answer = isComplete(bytes)
          if (answer !== undefined) resolve(answer)
        } catch (error) {
          reject(error)
        }
      }
      this.#socket.write(request)
    })
  }

  /** From now on events are counted, even one that comes in two pieces. */
  listen(onEvent) {
    this.#receive = (chunk) => {
      const text = this.#tail + chunk.latin1Slice()
      let from = 0
      for (let at = text.indexOf(EVENT); at !== -1; at = text.indexOf(EVENT, from)) {
        from = at + EVENT.length
        this.events++
        onEvent(this)
      }
      this.#tail = text.slice(Math.max(from, text.length - EVENT.length + 1))
    }
  }

  end() {
    this.#socket.destroy()
  }
}

const complete = (status) => (bytes) => {
  const response = readResponse(bytes)
  if (response !== undefined && response.status !== status) throw new Error(`got ${bytes.toString().slice(0, 300)}`)
  return response
}

const streamBegins = (needle) => (bytes) => {
  const text = bytes.latin1Slice()
  if (!text.includes('\r\n\r\n')) return undefined
  if (!text.startsWith('HTTP/1.1 200') || !/^content-type: *text\/event-stream/im.test(text)) {
    throw new Error(`no stream: ${text.slice(0, 300)}`)
  }
  return text.includes(needle) ? true : undefined
}

const openers = {
  modern: (stream, port, number) =>
    stream.ask(listenRequest(port, tokenOf(number), number + 1), streamBegins(ACKNOWLEDGED)),
  async legacy(stream, port, number) {
    const token = tokenOf(number)
    const { head } = await stream.ask(initializeRequest(port, token), complete(200))
    const session = headerOf(head, 'mcp-session-id')
    if (session === undefined) throw new Error('initialize gave no session')
    await stream.ask(initializedNotice(port, token, session), complete(202))
    await stream.ask(getRequest(port, token, session), streamBegins(''))
  },
}

let streams = []
let onEvent = () => {}

/** Opens `count` streams. Resolves when all are open, rejects with the first that could not be. */
export const openStreams = async ({ port, era, count }) => {
  const startedAt = performance.now()
  let next = 0
  const worker = async () => {
    while (next < count) {
      const number = next++
      const stream = new Stream(port)
      streams.push(stream)
      await openers[era](stream, port, number)
      stream.listen((events) => onEvent(events))
    }
  }
  const workers = Promise.all(Array.from({ length: AT_ONCE }, worker))
  const late = sleep(OPEN_LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`only ${streams.length} of ${count} streams opened within ${OPEN_LIMIT_MS / 1000} s`)
  })
  await Promise.race([workers, late])
  return { ms: performance.now() - startedAt }
}

/** Calls the tool that changes the list; resolves when every stream has received the event, or after the time limit. */
export const broadcast = async ({ port }) => {
  for (const stream of streams) stream.events = 0
  let waiting = streams.length
  let lastAt = 0
  const allReached = new Promise((resolve) => {
    onEvent = ({ events }) => {
      if (events > 1) return
      lastAt = performance.now()
      if (--waiting === 0) resolve()
    }
  })
  const caller = new Stream(port)
  const sentAt = performance.now()
  const touched = caller.ask(touchRequest(port), complete(200))
  await Promise.race([Promise.all([allReached, touched]), sleep(EVENT_LIMIT_MS, undefined, { ref: false })])
  caller.end()
  // Long enough for an event that is sent twice to be noticed.
  await sleep(ECHO_MS)
  return {
    ms: lastAt - sentAt,
    dropped: streams.filter(({ events, closed }) => events === 0 || closed).length,
    repeated: streams.filter(({ events }) => events > 1).length,
  }
}

/** How many streams are still open; the silence between two broadcasts must not cost any. */
export const countOpen = () => ({ open: streams.filter(({ closed }) => !closed).length })

export const closeStreams = () => {
  for (const stream of streams) stream.end()
  streams = []
  return {}
}
