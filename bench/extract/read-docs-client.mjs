// A client of the built program over stdio that calls ReadDocs and takes its results apart.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../dist/scorpiox-code.js', import.meta.url))
const FENCE = /^--- untrusted content; ends at marker ([0-9a-f]{16}) ---\n([^]*?)\n--- \1 end ---$/m
const HEAD = /^(?:Title: .*\n)?(?:Outline:\n[^]*?\n\nText:\n)?/
const DATA = 'io.github.scorpiox/result'

/** `host`: what the program may read on loopback. */
export async function openReadDocs(host, program = PROGRAM) {
  const home = mkdtempSync(join(tmpdir(), 'through-tool-'))
  const env = { PATH: process.env.PATH, HOME: home, FETCH_ALLOW: host, BROWSER_PATH: 'off' }
  const child = spawn(process.execPath, [program], { cwd: home, env, stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map()
  let lastId = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve)
      send({ id: lastId, method, params })
    })
  const clientInfo = { name: 'bench', version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    async read(args) {
      const { result } = await request('tools/call', { name: 'ReadDocs', arguments: args })
      return taken(result)
    },
    async close() {
      child.stdin.end()
      await new Promise((resolve) => child.once('exit', resolve))
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** The text of the page, and how many bytes of the result are header and fence. */
function taken({ content, isError, _meta }) {
  const [{ text }] = content
  const inside = FENCE.exec(text)?.[2] ?? ''
  const head = HEAD.exec(inside)?.[0] ?? ''
  const before = text.split('\n--- untrusted content;')[0] ?? ''
  const fence = FENCE.exec(text)?.[0] ?? ''
  const { status, cursor = null } = _meta?.[DATA] ?? {}
  const overhead = Buffer.byteLength(before) + 1 + Buffer.byteLength(fence) - Buffer.byteLength(inside)
  return {
    text: inside.slice(head.length),
    isError: isError === true,
    status,
    cursor,
    overhead,
    problem: isError ? text : '',
  }
}
