// A session over stdio: the program started as a client would, initialized at one of the revisions, and ended in one of
// two ways: its input is closed, or it is killed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

import { modernRequest } from '../fleet/clients.mjs'
import { withLimit } from '../fleet/wait.mjs'

export const STDIO_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const LIMIT_MS = 120_000

/** `capabilities` are the client's; requests of the server are never answered. */
export async function openStdio({ program, env, cwd }, { revision, capabilities = {} }) {
  const child = spawn(process.execPath, [program], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map()
  const exited = once(child, 'exit').then(([code, signal]) => {
    for (const { reject } of waiting.values()) reject(new Error(`the session ended with ${signal ?? code}`))
  })
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.method === undefined) waiting.get(message.id)?.resolve(message)
  })
  let last = 0
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  async function request(method, params) {
    const id = ++last
    const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    const modern =
      revision === '2026-07-28' ? JSON.parse(modernRequest(method, params, capabilities).body).params : params
    send({ id, method, params: modern })
    try {
      return await withLimit(`an answer to ${method}`, LIMIT_MS, answered)
    } finally {
      waiting.delete(id)
    }
  }
  if (revision !== '2026-07-28') {
    const clientInfo = { name: 'soak', version: '1' }
    await request('initialize', { protocolVersion: revision, capabilities, clientInfo })
    send({ method: 'notifications/initialized' })
  }
  return {
    pid: child.pid,
    kind: `stdio ${revision}`,
    async call(name, args) {
      const { result, error } = await request('tools/call', { name, arguments: args })
      const text = result?.content?.map((block) => block.text ?? '').join('\n') ?? error?.message ?? ''
      return { status: 200, text, isError: result?.isError === true, error, result }
    },
    /** As a client that ends in order. */
    async close() {
      child.stdin.end()
      const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
      await exited
      clearTimeout(late)
    },
    /** As a client that is gone with its server. */
    kill: () => child.kill('SIGKILL'),
  }
}
