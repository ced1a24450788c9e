// How what fires reaches somebody: pushed, in front of a result, from an inbox, besides by a command or a request; each
// once, also when servers are killed and others come.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { killHard, startJob } from '../shell/support.js'
import { emptyFolder, startServer, type Json, type TestClient } from '../support.js'
import { emptyWorld, serverIn, type World } from '../tasks/support.js'
import { callback, fired, frontOf, logged, toldTo, until } from './support.js'

async function clientIn(world: World, capabilities: object = {}): Promise<TestClient> {
  const client = serverIn(world)
  await client.initialize('2025-06-18', capabilities)
  return client
}

async function ended(client: TestClient): Promise<void> {
  expect(await client.close()).toBe(0)
  // That it cleaned up after one that was killed is no complaint.
  expect(client.stderr().replaceAll(/^.*: info: .*\n/gm, '')).toBe('')
}

const pushes = ({ received }: TestClient): readonly Json[] =>
  received.filter(({ method }: Json) => method === 'notifications/claude/channel')

test.concurrent('is pushed to a client that takes that, and then stands in front of nothing', async () => {
  const client = await clientIn(emptyWorld(), { experimental: { 'claude/channel': {} } })
  const { text, structured } = await callback(client, { message: 'wake up', delay_seconds: 1, repeat_count: 1 })
  expect(text).toContain('pushed into this conversation')
  expect(structured.delivery).toBe('channel')
  await fired(client, 'wake up')
  const { params } = await client.waitFor(({ method }) => method === 'notifications/claude/channel')
  expect(params.content).toMatch(/^\[Callback 0 fired at .*\] wake up$/)
  for (const [name, value] of Object.entries(params.meta)) {
    expect(name).toMatch(/^\w+$/)
    expect(typeof value).toBe('string')
  }
  expect(await frontOf(client)).toBe('')
  expect(pushes(client)).toHaveLength(1)
  await ended(client)
})

test.concurrent('is pushed at the end of the call during which it fell due, and not told again', async () => {
  const client = await clientIn(emptyWorld(), { experimental: { 'claude/channel': {} } })
  await callback(client, { message: 'due', delay_seconds: 1, repeat_count: 1 })
  expect(await frontOf(client, 'sleep 1.5')).toBe('')
  expect(pushes(client).map(({ params }: Json) => params.content)).toEqual([expect.stringMatching(/\] due$/)])
  expect(await frontOf(client)).toBe('')
  await ended(client)
})

test.concurrent('is pushed to Claude Code where its user told us to', async () => {
  const client = await clientIn(emptyWorld({ CLAUDE_CHANNEL: 'true' }))
  await callback(client, { message: 'wake up', delay_seconds: 1, repeat_count: 1 })
  await client.waitFor(({ method }) => method === 'notifications/claude/channel')
  expect(await frontOf(client)).toBe('')
  await ended(client)
})

test.concurrent('goes on after kill -9: what is due later fires in time, what was due fires once', async () => {
  const world = emptyWorld()
  const first = await clientIn(world)
  await callback(first, { message: 'overdue', delay_seconds: 2, repeat_count: 5 })
  await callback(first, { message: 'later', delay_seconds: 6, repeat_count: 1 })
  const setAt = Date.now()
  await killHard(first)
  await sleep(3500)
  const second = await clientIn(world)
  await fired(second, 'overdue')
  await fired(second, 'later')
  expect(Date.now() - setAt).toBeGreaterThanOrEqual(5900)
  const front = await toldTo(second)
  await callback(second, { action: 'cancel' })
  expect(front).toContain('4 left] overdue')
  expect(front.match(/4 left\] overdue/g)).toHaveLength(1)
  expect(front).toContain('0 left] later')
  await ended(second)
})

test.concurrent('what waits goes to the next session, and what was told to nobody after it', async () => {
  const world = emptyWorld()
  const first = await clientIn(world)
  await callback(first, { message: 'told', delay_seconds: 1, repeat_count: 1 })
  await fired(first, 'told')
  expect(await toldTo(first)).toContain('told')
  await callback(first, { message: 'untold', delay_seconds: 3, repeat_count: 1 })
  await fired(first, 'untold')
  await ended(first)
  const second = await clientIn(world)
  await fired(second, 'untold')
  expect(await toldTo(second)).toMatch(/^\[Callback 0 fired at [^\n]*\] untold$/)
  // It is written down that it was told just after it was.
  await sleep(500)
  await killHard(second)
  const third = await clientIn(world)
  await sleep(800)
  expect(await frontOf(third)).toBe('')
  expect(logged(third)).toEqual([])
  await ended(third)
})

test.concurrent('two servers of a project: each fires its own, and one alone takes over from a third', async () => {
  const world = emptyWorld()
  const gone = await clientIn(world)
  for (const message of ['g1', 'g2', 'g3']) await callback(gone, { message, delay_seconds: 2, repeat_count: 1 })
  await killHard(gone)
  const [one, two] = await Promise.all([clientIn(world), clientIn(world)])
  const all = await Promise.all([
    callback(one, { message: 'o1', delay_seconds: 1, repeat_count: 1 }),
    callback(two, { message: 't1', delay_seconds: 1, repeat_count: 1 }),
  ])
  expect(all.every(({ isError }) => !isError)).toBe(true)
  const words = (): readonly string[] => [...logged(one), ...logged(two)].map((line) => line.slice(-2)).toSorted()
  await until(() => words().length >= 5, 'five that fired')
  await sleep(1500)
  expect(words()).toEqual(['g1', 'g2', 'g3', 'o1', 't1'])
  const told = await Promise.all([toldTo(one), toldTo(two)])
  expect(told[0]).toContain('o1')
  expect(told[1]).toContain('t1')
  expect(told.join('\n').match(/\[Callback \d fired/g)).toHaveLength(5)
  await Promise.all([ended(one), ended(two)])
})

const inboxesIn = (cwd: string): readonly string[] => {
  const sessions = join(cwd, '.scorpiox', 'sessions')
  return readdirSync(sessions)
    .filter((name) => name !== '.gitignore')
    .map((name) => join(sessions, name, 'inbox'))
}
const messagesIn = (inbox: string): readonly string[] => readdirSync(inbox).filter((name) => name.endsWith('.json'))

test.concurrent('lies in the inbox of the session until it is told; what was read there is not told again', async () => {
  const world = emptyWorld({ SCORPIOX_INBOX: '1' })
  const client = await clientIn(world)
  const { text, structured } = await callback(client, { message: 'one', delay_seconds: 2, repeat_count: 1 })
  expect(text).toContain(`it is also in ${structured.inbox}`)
  await fired(client, 'one')
  const [inbox = ''] = inboxesIn(world.cwd)
  await until(() => messagesIn(inbox).length === 1, 'a file in the inbox')
  const [name = ''] = messagesIn(inbox)
  expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}\.json$/)
  expect(statSync(join(inbox, name)).mode & 0o077).toBe(0)
  const content: Json = JSON.parse(readFileSync(join(inbox, name), 'utf8'))
  expect(content).toEqual({ mode: 'queue', text: expect.stringMatching(/^\[Callback 0 .*\] one$/) })
  expect(await toldTo(client)).toContain('one')
  await until(() => readdirSync(inbox).length === 0, 'an empty inbox')

  await callback(client, { message: 'two', delay_seconds: 2, repeat_count: 1 })
  await fired(client, 'two')
  await until(() => messagesIn(inbox).length === 1, 'another file in the inbox')
  mkdirSync(join(inbox, 'done'))
  const [next = ''] = messagesIn(inbox)
  renameSync(join(inbox, next), join(inbox, 'done', next))
  expect(await frontOf(client)).toBe('')
  await killHard(client)
  const heir = await clientIn(world)
  await sleep(800)
  expect(await frontOf(heir)).toBe('')
  await ended(heir)
})

test.concurrent('goes to the session that started us, and follows no link there', async () => {
  const folder = emptyFolder()
  const client = await clientIn(emptyWorld({ SX_SESSION_DIR: folder }))
  const { structured } = await callback(client, { message: 'hello', delay_seconds: 2, repeat_count: 1 })
  expect(structured.inbox).toBe(join(folder, 'inbox'))
  await until(() => readdirSync(folder).includes('inbox') && messagesIn(join(folder, 'inbox')).length === 1, 'a file')
  expect(await toldTo(client)).toContain('hello')
  await ended(client)

  const [linked, elsewhere] = [emptyFolder(), emptyFolder()]
  symlinkSync(elsewhere, join(linked, 'inbox'))
  const other = await clientIn(emptyWorld({ SX_SESSION_DIR: linked }))
  await callback(other, { message: 'hello', delay_seconds: 2, repeat_count: 1 })
  await until(() => other.stderr().includes('not a link'), 'a warning')
  expect(readdirSync(elsewhere)).toEqual([])
  expect(await toldTo(other)).toContain('hello')
  expect(await other.close()).toBe(0)
})

test.concurrent('runs a command and sends a request besides; what goes wrong with them is logged', async () => {
  const bodies: Json[] = []
  const hook = createServer((request: IncomingMessage, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      bodies.push(JSON.parse(body))
      response.end()
    })
  })
  await new Promise<void>((resolve) => void hook.listen(0, '127.0.0.1', resolve))
  const address = hook.address()
  const port = typeof address === 'object' ? address?.port : 0
  const world = emptyWorld({
    CALLBACK_COMMAND: 'printf "%s\\n" "$CALLBACK_MESSAGE" >> told.txt; exit 3',
    CALLBACK_WEBHOOK: `http://127.0.0.1:${port}/hook`,
  })
  const client = await clientIn(world)
  const message = 'it\'s $(date) `id` "quoted"'
  await callback(client, { message, delay_seconds: 1, repeat_count: 1 })
  await until(() => bodies.length === 1, 'a request')
  expect(bodies[0]).toMatchObject({ callback_id: 0, message, repeats_left: 0, text: expect.stringContaining(message) })
  await until(() => client.stderr().includes('CALLBACK_COMMAND: exit code 3'), 'a warning')
  expect(readFileSync(join(world.cwd, 'told.txt'), 'utf8')).toBe(`${message}\n`)
  expect(await toldTo(client)).toContain(message)
  expect(await client.close()).toBe(0)
  hook.close()
})

test.concurrent('waits for a job of a server that was killed, and says what became of it', async () => {
  const world = emptyWorld()
  const client = await clientIn(world)
  const task_id = await startJob(client, 'sleep 60')
  await callback(client, { message: 'job', task_id })
  await killHard(client)
  const heir = await clientIn(world)
  await fired(heir, 'job')
  expect(await toldTo(heir)).toMatch(new RegExp(`background task ${task_id} ended, .*\\] job$`))
  expect(await heir.close()).toBe(0)
})

test.concurrent('says so where nothing can be kept', async () => {
  const client = startServer({ env: { STATE_DIR: '/proc/nowhere' } })
  await client.initialize('2025-06-18')
  const { text, isError } = await callback(client, { message: 'm', delay_seconds: 5 })
  expect(isError).toBe(true)
  expect(text.split('\n')[0]).toBe('Error: callback slots not available')
  await client.close()
})

test('a server that has nothing to wait for opens nothing', async () => {
  const world = emptyWorld()
  const client = await clientIn(world)
  await sleep(600)
  expect(await frontOf(client)).toBe('')
  expect(spawnSync('ls', [world.env.STATE_DIR ?? '']).stdout.toString()).not.toContain('state.db')
  await ended(client)
})
