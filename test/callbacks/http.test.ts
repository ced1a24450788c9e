// Callbacks over HTTP: a session that ends while the server runs, users without sessions, and a killed server.

import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { cleanEnv, emptyFolder, type Json } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import {
  callOf,
  type HttpRequest,
  type HttpServer,
  initialize,
  modernCall,
  rpc,
  sendRequest,
  startProgram,
  tokenFor,
} from '../support/http-client.js'

const REVISION = '2025-06-18'

/** The texts of a result, one for each block. */
async function textsOf(server: HttpServer, asked: HttpRequest): Promise<readonly string[]> {
  const { json } = await sendRequest(server, asked)
  return json.result.content.map(({ text }: Json) => text)
}

interface Caller {
  call(name: string, args?: object): Promise<readonly string[]>
  leave(): Promise<unknown>
}

async function sessionOn(server: HttpServer, token?: string): Promise<Caller> {
  const own = token === undefined ? {} : { token }
  const headers = { 'mcp-session-id': await initialize(server, REVISION, own) }
  return {
    call: (name, args = {}) => textsOf(server, { body: callOf(name, args), headers, ...own }),
    leave: () => sendRequest(server, { method: 'DELETE', headers, ...own }),
  }
}

async function front({ call }: Pick<Caller, 'call'>): Promise<string> {
  const texts = await call('ListBgTasks')
  return texts.length > 1 ? (texts[0] ?? '').trimEnd() : ''
}

test.concurrent('continues after the client has left, is in an inbox, and is delivered to the next session of that user only', async () => {
  const cwd = emptyFolder()
  mkdirSync(join(cwd, '.git'))
  const env = cleanEnv({ STATE_DIR: emptyFolder(), SANDBOX: 'off' })
  const server = await startProgram({ env, cwd })
  const first = await sessionOn(server)
  const [output] = await first.call('SetCallback', { message: 'left', delay_seconds: 2, repeat_count: 50 })
  expect(output).toContain('Callback scheduled')
  await first.leave()
  const files = (): readonly string[] => readdirSync(cwd, { recursive: true }).map(String)
  await eventually(files, (names) => names.some((name) => /^\.scorpiox.*inbox.*\.json$/.test(name)))
  const other = await sessionOn(server, tokenFor('bob', env))
  expect(await front(other)).toBe('')
  const next = await sessionOn(server)
  await eventually(
    () => front(next),
    (text) => text.includes('left] left'),
  )
  await eventually(
    () => next.call('SetCallback', { action: 'list' }),
    (texts) => texts.at(-1)?.includes('[0] "left"') ?? false,
  )
  expect((await next.call('SetCallback', { action: 'cancel' })).at(-1)).toBe('Cancelled 1 callback.\n')
  expect(await server.stop()).toBe(0)
})

test.concurrent('a user without sessions has slots too, and the next server fires the callbacks of a killed one', async () => {
  const cwd = emptyFolder()
  const env = cleanEnv({ STATE_DIR: emptyFolder(), SANDBOX: 'off' })
  const stateless = (server: HttpServer): Pick<Caller, 'call'> => ({
    call: (name, args = {}) => textsOf(server, modernCall(name, args)),
  })
  const server = await startProgram({ env, cwd })
  const [text] = await stateless(server).call('SetCallback', { message: 'mine', delay_seconds: 2, repeat_count: 50 })
  expect(text).toContain('repeats 50 times')
  server.child.kill('SIGKILL')
  await server.exited
  const next = await startProgram({ env, cwd })
  const delivered = await eventually(() => front(stateless(next)))
  expect(delivered).toMatch(/^\[Callback 0 fired at .*, \d+ left\] mine$/m)
  expect((await stateless(next).call('SetCallback', { action: 'list' })).at(-1)).toContain('"mine"')
  await stateless(next).call('SetCallback', { action: 'cancel' })
  expect(await next.stop()).toBe(0)
})

test.concurrent('nothing counts as pushed that may not have been read', async () => {
  const server = await startProgram({ env: cleanEnv({ STATE_DIR: emptyFolder(), SANDBOX: 'off' }) })
  const capabilities = { experimental: { 'claude/channel': {} } }
  const params = { protocolVersion: REVISION, capabilities, clientInfo: { name: 'test', version: '0' } }
  const { headers: answered } = await sendRequest(server, { body: rpc('initialize', params) })
  const headers = { 'mcp-session-id': String(answered['mcp-session-id']) }
  const call = (name: string, args = {}) => textsOf(server, { body: callOf(name, args), headers })
  const [output] = await call('SetCallback', { message: 'unheard', delay_seconds: 2, repeat_count: 1 })
  expect(output).toContain('before the next result of any tool')
  await eventually(
    () => front({ call }),
    (text) => text.includes('unheard'),
  )
  expect(await server.stop()).toBe(0)
})
