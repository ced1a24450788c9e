// One server process and the client that talks to it. Requests are bytes made beforehand, and replies are only
// counted or timed while the clock runs, so that the driver is not what is being measured.

import { start } from './start.mjs'

const NEWLINE = 10
const RUN_LIMIT_MS = 30_000
const EXIT_LIMIT_MS = 3_000

const countLines = (chunk) => {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

const endsLine = (chunk) => chunk[chunk.length - 1] === NEWLINE

class Connection {
  #child
  #receive = () => {}
  #stderr = ''
  #closing = false
  #watchdog

  constructor({ command, title, limitMs = RUN_LIMIT_MS, ...options }) {
    this.startedAt = performance.now()
    this.#child = start(command, options)
    this.#child.stdout.on('data', (chunk) => this.#receive(chunk))
    this.#child.stderr.on('data', (chunk) => (this.#stderr = (this.#stderr + chunk).slice(-2000)))
    // A server that dies while being written to is reported by its exit, not by the pipe.
    this.#child.stdin.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', resolve)
      this.#child.once('error', resolve)
    })
    this.broken = new Promise((_, reject) => {
      const name = title === undefined ? '' : `${title}: `
      const fail = (what) => reject(new Error(`${name}${what}\n${this.#stderr}`.trim()))
      this.#child.once('error', (error) => fail(`cannot start: ${error.message}`))
      // 'close' rather than 'exit': by then all of stderr has been read.
      this.#child.once('close', (code, signal) => this.#closing || fail(`exited early (${signal ?? code})`))
      this.#watchdog = setTimeout(() => {
        this.#child.kill('SIGKILL')
        fail(`no result within ${limitMs / 1000} s, killed`)
      }, limitMs)
    })
    // Awaited by `withServers`; a failure after its end is ignored.
    this.broken.catch(() => {})
  }

  get pid() {
    return this.#child.pid
  }

  send(bytes) {
    this.#child.stdin.write(bytes)
  }

  /** Sends one request and resolves with its parsed reply and the moment its last byte arrived. */
  request(message) {
    return new Promise((resolve) => {
      const parts = []
      this.#receive = (chunk) => {
        parts.push(chunk)
        if (!endsLine(chunk)) return
        const at = performance.now()
        const replies = Buffer.concat(parts).toString().trimEnd().split('\n')
        // The server may send other messages; only the reply ends the wait.
        const line = replies.find((text) => JSON.parse(text).id === message.id)
        if (line !== undefined) resolve({ reply: JSON.parse(line), bytes: Buffer.byteLength(line), at })
      }
      this.send(JSON.stringify(message) + '\n')
    })
  }

  /** Hands over every line that comes from now on, with the moment its last byte arrived. */
  hear(onLine) {
    let parts = []
    this.#receive = (chunk) => {
      const at = performance.now()
      const end = chunk.lastIndexOf(NEWLINE)
      if (end === -1) {
        parts.push(chunk)
        return
      }
      const lines = Buffer.concat([...parts, chunk.subarray(0, end)]).toString()
      parts = [chunk.subarray(end + 1)]
      for (const line of lines.split('\n')) onLine(line, at)
    }
  }

  /** Sends one line of any size. Resolves with the time it took and the reply in the pieces it came in. */
  exchange(line) {
    return new Promise((resolve) => {
      const pieces = []
      const sentAt = performance.now()
      this.#receive = (chunk) => {
        pieces.push(chunk)
        if (endsLine(chunk)) resolve({ ms: performance.now() - sentAt, pieces })
      }
      this.send(line)
    })
  }

  /** Calls one after the other: each request leaves when the reply before it is there. */
  sequence(calls, count) {
    return new Promise((resolve) => {
      const ms = new Float64Array(count)
      let done = 0
      let sentAt = 0
      let first
      const sendNext = () => {
        const request = calls.take(1)
        sentAt = performance.now()
        for (const bytes of request) this.send(bytes)
      }
      this.#receive = (chunk) => {
        if (!endsLine(chunk)) return
        ms[done++] = performance.now() - sentAt
        first ??= chunk
        if (done < count) sendNext()
        else resolve({ ms, first, last: chunk })
      }
      sendNext()
    })
  }

  /** Keeps `inFlight` calls under way until `enough(answered)`, then waits for the rest. */
  flood(calls, inFlight, enough) {
    return new Promise((resolve) => {
      let sent = 0
      let answered = 0
      let first
      let tail = Buffer.alloc(0)
      const sendMore = (count) => {
        sent += count
        for (const bytes of calls.take(count)) this.send(bytes)
      }
      const startedAt = performance.now()
      this.#receive = (chunk) => {
        const lines = countLines(chunk)
        answered += lines
        first ??= chunk
        if (!enough(answered)) {
          if (lines > 0) sendMore(lines)
          return
        }
        tail = Buffer.concat([tail, chunk]).subarray(-4096)
        if (answered === sent) resolve({ answered, ms: performance.now() - startedAt, first, last: tail })
      }
      sendMore(inFlight)
    })
  }

  async close() {
    this.#closing = true
    clearTimeout(this.#watchdog)
    this.#child.stdin.end()
    const killTimer = setTimeout(() => this.#child.kill('SIGKILL'), EXIT_LIMIT_MS)
    await this.exited
    clearTimeout(killTimer)
  }
}

/** Starts servers, calls `work` with a connection to each, and stops them in any case. */
export const withServers = async (launches, work) => {
  const connections = launches.map((launch) => new Connection(launch))
  try {
    return await Promise.race([work(connections), ...connections.map(({ broken }) => broken)])
  } finally {
    await Promise.all(connections.map((connection) => connection.close()))
  }
}

export const withServer = (command, work) => withServers([{ command }], ([connection]) => work(connection))

/** Runs a command that ends by itself; resolves with the milliseconds from spawn to exit. */
export const runToExit = (command) =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const child = start(command, { timeout: RUN_LIMIT_MS })
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      const ms = performance.now() - startedAt
      if (code === 0) resolve(ms)
      else reject(new Error(`exited with ${signal ?? code}`))
    })
  })
