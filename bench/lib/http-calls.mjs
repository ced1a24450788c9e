// The closed loop: every connection sends its next call when the answer to its last is there. Every answer is checked.
// The first one is parsed; after that an answer is right when it is the first one byte for byte, but for its date and
// the digits of its id. What differs is parsed too, so the short way never decides that an answer is wrong.

import { connect } from 'node:net'

import { callRequest, firstIdOf, ID_DIGITS, placesOf } from './http-requests.mjs'
import { messageOf, readResponse, sharedBuffer } from './http-responses.mjs'
import { cpuMilliseconds, watchBystanders } from './system.mjs'

const DATE_LENGTH = 'Sun, 06 Nov 1994 08:49:37 GMT'.length

const isRight = (response, id, method) => {
  if (response.status !== 200) return false
  const { id: echoed, result } = messageOf(response) ?? {}
  if (String(echoed) !== id) return false
  if (method === 'tools/list') return Array.isArray(result?.tools)
  return result?.content?.[0]?.text?.endsWith(id) === true
}

/** Answers like `sample` but for date and id; undefined when such a comparison is not possible. */
const patternOf = (sample, id) => {
  const bytes = Buffer.from(sample)
  const found = /^date: /im.exec(bytes.toString('latin1'))
  // Without a date there is nothing to leave out.
  const dateAt = found === null ? 0 : found.index + 'date: '.length
  const dateEnd = found === null ? 0 : dateAt + DATE_LENGTH
  const places = placesOf(bytes, id)
  return {
    matches(chunk, currentId) {
      if (chunk.length !== bytes.length) return false
      for (const place of places) bytes.latin1Write(currentId, place, ID_DIGITS)
      return (
        bytes.compare(chunk, dateEnd, chunk.length, dateEnd, bytes.length) === 0 &&
        bytes.compare(chunk, 0, dateAt, 0, dateAt) === 0
      )
    },
  }
}

class Caller {
  #socket
  #request
  #places
  #load
  #nextId
  #id = ''
  #sentAt = 0
  #pieces = []

  constructor(load, number) {
    this.#load = load
    this.#request = callRequest(load.port, load.era, load.method)
    this.#places = placesOf(this.#request)
    this.#nextId = firstIdOf(number)
    const onread = { buffer: sharedBuffer, callback: (size, buffer) => this.#receive(buffer.subarray(0, size)) }
    this.#socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true, onread })
    this.ready = new Promise((resolve) => this.#socket.once('connect', resolve))
    this.#socket.on('error', (error) => load.fail(error.message))
    this.#socket.on('close', () => load.fail('the server closed a connection'))
  }

  send() {
    this.#id = String(this.#nextId++)
    for (const place of this.#places) this.#request.latin1Write(this.#id, place, ID_DIGITS)
    this.#sentAt = performance.now()
    // In place is safe: an answer means that the whole request had left.
    this.#socket.write(this.#request)
  }

  end() {
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }

  #receive(chunk) {
    if (this.#pieces.length === 0 && this.#load.pattern?.matches(chunk, this.#id)) {
      this.#answered()
      return
    }
    this.#pieces.push(Buffer.from(chunk))
    const bytes = Buffer.concat(this.#pieces)
    const response = readResponse(bytes)
    if (response === undefined) return
    this.#pieces = []
    this.#load.parsed++
    if (!isRight(response, this.#id, this.#load.method) || response.end !== bytes.length) {
      this.#load.fail(`wrong answer to ${this.#id}: ${bytes.toString().slice(0, 400)}`)
      return
    }
    this.#load.pattern ??= patternOf(bytes, this.#id)
    this.#answered()
  }

  #answered() {
    const now = performance.now()
    if (this.#load.note(now, now - this.#sentAt)) this.send()
  }
}

/**
 * Keeps the event loop turning without ever sleeping; the returned function returns the share of the time in which there
 * was something to do. A generator that sleeps must be woken, and on a virtual machine the server pays for that: up to half
 * of its own cost per call, and the more, the less it has to do.
 */
const stayAwake = (answered) => {
  const startedAt = performance.now()
  let awake = true
  let idleMs = 0
  let seen = 0
  let turnAt = startedAt
  const turn = () => {
    const now = performance.now()
    if (answered() === seen) idleMs += now - turnAt
    seen = answered()
    turnAt = now
    if (awake) setImmediate(turn)
  }
  turn()
  return () => {
    awake = false
    return 1 - idleMs / (performance.now() - startedAt)
  }
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

/**
 * Calls the server `pid` at `port` for `ms`, or until `calls` are done if that takes longer than `ms` but no longer than
 * `atMostMs`. The connections are made before the clock starts.
 */
export const runCalls = async ({ port, pid, era, method, connections, ms, calls = 0, atMostMs = ms }) => {
  const latencies = []
  let startedAt = 0
  let open = connections
  let settle
  const finished = new Promise((resolve, reject) => (settle = { resolve, reject }))
  const load = {
    port,
    era,
    method,
    pattern: undefined,
    parsed: 0,
    fail: (what) => settle.reject(new Error(what)),
    note(now, latency) {
      latencies.push(latency)
      const elapsed = now - startedAt
      if (elapsed < ms || (latencies.length < calls && elapsed < atMostMs)) return true
      if (--open === 0) settle.resolve(now)
      return false
    },
  }
  const callers = Array.from({ length: connections }, (_, number) => new Caller(load, number))
  let busyShare = () => 0
  try {
    await Promise.race([Promise.all(callers.map((caller) => caller.ready)), finished])
    const bystanders = watchBystanders(pid)
    const serverBefore = cpuMilliseconds(pid)
    busyShare = stayAwake(() => latencies.length)
    startedAt = performance.now()
    for (const caller of callers) caller.send()
    const elapsed = (await finished) - startedAt
    const busy = busyShare()
    const serverAfter = cpuMilliseconds(pid)
    const others = bystanders()
    const sorted = Float64Array.from(latencies).sort()
    return {
      calls: latencies.length,
      ms: elapsed,
      parsed: load.parsed,
      serverMs: serverAfter === null ? null : serverAfter - serverBefore,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      others,
      busy,
    }
  } finally {
    busyShare()
    for (const caller of callers) caller.end()
  }
}
