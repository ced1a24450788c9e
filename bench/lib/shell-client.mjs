// A client of servers with a Bash tool: any number of requests under way at once, each with the time it took.

import { withServers } from './driver.mjs'
import { expectResult, initialize, initialized } from './messages.mjs'
import { project } from './start.mjs'

// The last revision with both `ping` and sessions that every client knows.
const REVISION = '2025-06-18'
const LIMIT_MS = 120_000

class ShellClient {
  #connection
  #waiting = new Map()
  #lastId = 0

  constructor(connection, key) {
    this.key = key
    this.#connection = connection
    connection.hear((line, at) => this.#settle(line, at))
  }

  get pid() {
    return this.#connection.pid
  }

  async open() {
    const params = { ...initialize.params, protocolVersion: REVISION }
    expectResult((await this.request(initialize.method, params)).reply, 'serverInfo')
    this.#connection.send(initialized)
  }

  ping() {
    return this.request('ping')
  }

  /** Resolves also when the command failed: `result` is undefined when the call itself did. */
  bash(command) {
    return this.request('tools/call', { name: 'Bash', arguments: { command } })
  }

  request(method, params) {
    const id = ++this.#lastId
    const line = JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n'
    return new Promise((resolve) => {
      this.#waiting.set(id, { resolve, sentAt: performance.now() })
      this.#connection.send(line)
    })
  }

  #settle(line, at) {
    const reply = JSON.parse(line)
    const waiting = this.#waiting.get(reply.id)
    // The server may send other messages.
    if (waiting === undefined) return
    this.#waiting.delete(reply.id)
    waiting.resolve({ reply, result: reply.result, bytes: Buffer.byteLength(line), ms: at - waiting.sentAt })
  }
}

/** Starts servers (`key`, `command`, perhaps `env`), all alive at once, and calls `work` with their clients. */
export const withShellServers = (launches, work) => {
  const all = launches.map(({ key, command, env }) => ({ title: key, command, env, cwd: project, limitMs: LIMIT_MS }))
  return withServers(all, async (connections) => {
    const clients = connections.map((connection, index) => new ShellClient(connection, launches[index].key))
    for (const client of clients) await client.open()
    return work(clients)
  })
}

export const textOf = ({ reply, result }) => result?.content?.[0]?.text ?? reply.error?.message ?? ''

/** The data for programs in a result. */
export const dataOf = ({ result }) => result?._meta?.['io.github.scorpiox/result']

export const expectSuccess = (answer) => {
  if (dataOf(answer)?.exitCode === 0) return answer
  throw new Error(`not a success: ${JSON.stringify(answer.reply).slice(0, 300)}`)
}
