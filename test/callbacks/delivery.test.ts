// How a fired callback is delivered: pushed, in front of a result, in an inbox, and in addition by a command or an HTTP
// request; once each, also when servers are killed and replaced.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { openStoreReader } from '../questions/support.js'
import {
  emptyFolder,
  type Json,
  killServer,
  newEnvironment,
  type ServerEnvironment,
  startJob,
  startServer,
  startServerIn,
  type TestClient,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { callback, callbacksDeliveredTo, fired, logged, messageBeforeResult, openCallbacks } from './support.js'

async function clientIn(environment: ServerEnvironment, capabilities: object = {}): Promise<TestClient> {
  const client = startServerIn(environment)
  await client.initialize('2025-06-18', capabilities)
  return client
}

async function ended(client: TestClient): Promise<void> {
  expect(await client.close()).toBe(0)
  // The cleanup after a killed server is not a warning.
  expect(client.stderr().replaceAll(/^.*: info: .*\n/gm, '')).toBe('')
}

const pushes = ({ received }: TestClient): readonly Json[] =>
  received.filter(({ method }: Json) => method === 'notifications/claude/channel')

test.concurrent('is pushed to a client that supports it, and is then not part of any result', async () => {
  const client = await clientIn(newEnvironment(), { experimental: { 'claude/channel': {} } })
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
  expect(await messageBeforeResult(client)).toBe('')
  expect(pushes(client)).toHaveLength(1)
  await ended(client)
})

test.concurrent('is pushed at the end of the call during which it became due, and not delivered again', async () => {
  const client = await clientIn(newEnvironment(), { experimental: { 'claude/channel': {} } })
  await callback(client, { message: 'due', delay_seconds: 1, repeat_count: 1 })
  expect(await messageBeforeResult(client, 'sleep 1.5')).toBe('')
  expect(pushes(client).map(({ params }: Json) => params.content)).toEqual([expect.stringMatching(/\] due$/)])
  expect(await messageBeforeResult(client)).toBe('')
  await ended(client)
})

test.concurrent('is pushed to Claude Code if that is configured', async () => {
  const client = await clientIn(newEnvironment({ CLAUDE_CHANNEL: 'true' }))
  await callback(client, { message: 'wake up', delay_seconds: 1, repeat_count: 1 })
  await client.waitFor(({ method }) => method === 'notifications/claude/channel')
  expect(await messageBeforeResult(client)).toBe('')
  await ended(client)
})

test.concurrent('continues after kill -9: later callbacks fire in time, overdue ones fire once', async () => {
  const environment = newEnvironment()
  const first = await clientIn(environment)
  await openCallbacks(first)
  await callback(first, { message: 'overdue', delay_seconds: 4, repeat_count: 5 })
  await callback(first, { message: 'later', delay_seconds: 8, repeat_count: 1 })
  const setAt = Date.now()
  await killServer(first)
  // One becomes overdue while no server runs.
  await sleep(5500)
  const second = await clientIn(environment)
  await fired(second, 'overdue')
  await fired(second, 'later')
  expect(Date.now() - setAt).toBeGreaterThanOrEqual(7900)
  const front = await callbacksDeliveredTo(second)
  await callback(second, { action: 'cancel' })
  expect(front).toContain('4 left] overdue')
  expect(front.match(/4 left\] overdue/g)).toHaveLength(1)
  expect(front).toContain('0 left] later')
  await ended(second)
})

test.concurrent('pending messages are delivered to the next session, undelivered ones again', async () => {
  const environment = newEnvironment()
  const first = await clientIn(environment)
  await callback(first, { message: 'first', delay_seconds: 1, repeat_count: 1 })
  await fired(first, 'first')
  expect(await callbacksDeliveredTo(first)).toContain('first')
  await callback(first, { message: 'untold', delay_seconds: 4, repeat_count: 1 })
  await fired(first, 'untold')
  await ended(first)
  const second = await clientIn(environment)
  await fired(second, 'untold')
  expect(await callbacksDeliveredTo(second)).toMatch(/^\[Callback 0 fired at [^\n]*\] untold$/)
  // The delivery is recorded just after it happened.
  const storeReader = await openStoreReader(environment)
  await eventually(
    () => storeReader.messages(),
    ({ length }) => length === 0,
  )
  await storeReader.close()
  await killServer(second)
  const third = await clientIn(environment)
  await expectOnlyNewCallbacks(third)
  await ended(third)
})

test.concurrent('two servers of a project: each fires its own callbacks, and only one takes over from a third', async () => {
  const environment = newEnvironment()
  const gone = await clientIn(environment)
  await openCallbacks(gone)
  for (const message of ['g1', 'g2', 'g3']) await callback(gone, { message, delay_seconds: 6, repeat_count: 1 })
  await killServer(gone)
  const [one, two] = await Promise.all([clientIn(environment), clientIn(environment)])
  const all = await Promise.all([
    callback(one, { message: 'o1', delay_seconds: 1, repeat_count: 1 }),
    callback(two, { message: 't1', delay_seconds: 1, repeat_count: 1 }),
  ])
  expect(all.filter(({ isError }) => isError)).toEqual([])
  const namesDelivered = async (): Promise<readonly (readonly string[])[]> => {
    const texts = await Promise.all([callbacksDeliveredTo(one), callbacksDeliveredTo(two)])
    return texts.map((text) => [...text.matchAll(/\] (\w\d)$/gm)].map(([, name = '']) => name))
  }
  await eventually(namesDelivered, (names) => names.flat().length >= 5)
  // These fire after whatever else is due.
  await callback(one, { message: 'o2', delay_seconds: 1, repeat_count: 1 })
  await callback(two, { message: 't2', delay_seconds: 1, repeat_count: 1 })
  const [ofOne = [], ofTwo = []] = await eventually(
    namesDelivered,
    (names) => names.flat().includes('o2') && names.flat().includes('t2'),
  )
  expect([...ofOne, ...ofTwo].toSorted()).toEqual(['g1', 'g2', 'g3', 'o1', 'o2', 't1', 't2'])
  expect(ofOne).toEqual(expect.arrayContaining(['o1', 'o2']))
  expect(ofTwo).toEqual(expect.arrayContaining(['t1', 't2']))
  await Promise.all([ended(one), ended(two)])
})

/** Nothing of an earlier session is delivered before a callback that is set now. */
async function expectOnlyNewCallbacks(client: TestClient): Promise<void> {
  await callback(client, { message: 'the new one', delay_seconds: 1, repeat_count: 1 })
  const delivered = await eventually(
    () => callbacksDeliveredTo(client),
    (text) => text.includes('the new one'),
  )
  expect(delivered).toMatch(/^\[Callback \d+ fired at [^\n]*\] the new one$/)
  expect(logged(client).filter((line) => !line.endsWith('the new one'))).toEqual([])
}

const inboxesIn = (cwd: string): readonly string[] => {
  const sessions = join(cwd, '.scorpiox', 'sessions')
  return readdirSync(sessions)
    .filter((name) => name !== '.gitignore')
    .map((name) => join(sessions, name, 'inbox'))
}
const messagesIn = (inbox: string): readonly string[] => readdirSync(inbox).filter((name) => name.endsWith('.json'))

test.concurrent('is in the inbox of the session until it is delivered; a message read there is not delivered again', async () => {
  const environment = newEnvironment({ SCORPIOX_INBOX: '1' })
  const client = await clientIn(environment)
  await openCallbacks(client)
  const { text, structured } = await callback(client, { message: 'one', delay_seconds: 4, repeat_count: 1 })
  expect(text).toContain(`it is also in ${structured.inbox}`)
  await fired(client, 'one')
  const [inbox = ''] = inboxesIn(environment.cwd)
  const [name = ''] = await eventually(
    () => messagesIn(inbox),
    ({ length }) => length === 1,
  )
  expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}\.json$/)
  expect(statSync(join(inbox, name)).mode & 0o077).toBe(0)
  const content: Json = JSON.parse(readFileSync(join(inbox, name), 'utf8'))
  expect(content).toEqual({ mode: 'queue', text: expect.stringMatching(/^\[Callback 0 .*\] one$/) })
  expect(await callbacksDeliveredTo(client)).toContain('one')
  await eventually(
    () => readdirSync(inbox),
    ({ length }) => length === 0,
  )

  await callback(client, { message: 'two', delay_seconds: 4, repeat_count: 1 })
  await fired(client, 'two')
  const [next = ''] = await eventually(
    () => messagesIn(inbox),
    ({ length }) => length === 1,
  )
  mkdirSync(join(inbox, 'done'))
  renameSync(join(inbox, next), join(inbox, 'done', next))
  expect(await messageBeforeResult(client)).toBe('')
  await killServer(client)
  const successor = await clientIn(environment)
  await expectOnlyNewCallbacks(successor)
  await ended(successor)
})

test.concurrent('goes to the session that started this server, and follows no link there', async () => {
  const folder = emptyFolder()
  const client = await clientIn(newEnvironment({ SX_SESSION_DIR: folder }))
  await openCallbacks(client)
  const { structured } = await callback(client, { message: 'hello', delay_seconds: 4, repeat_count: 1 })
  expect(structured.inbox).toBe(join(folder, 'inbox'))
  const messages = (): readonly string[] =>
    readdirSync(folder).includes('inbox') ? messagesIn(join(folder, 'inbox')) : []
  await eventually(messages, ({ length }) => length === 1)
  expect(await callbacksDeliveredTo(client)).toContain('hello')
  await ended(client)

  const [linked, elsewhere] = [emptyFolder(), emptyFolder()]
  symlinkSync(elsewhere, join(linked, 'inbox'))
  const other = await clientIn(newEnvironment({ SX_SESSION_DIR: linked }))
  await openCallbacks(other)
  await callback(other, { message: 'hello', delay_seconds: 4, repeat_count: 1 })
  await eventually(
    () => other.stderr(),
    (text) => text.includes('not a link'),
  )
  expect(readdirSync(elsewhere)).toEqual([])
  expect(await callbacksDeliveredTo(other)).toContain('hello')
  expect(await other.close()).toBe(0)
})

test.concurrent('also runs a command and sends a request; their errors are logged', async () => {
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
  const environment = newEnvironment({
    CALLBACK_COMMAND: 'printf "%s\\n" "$CALLBACK_MESSAGE" >> messages.txt; exit 3',
    CALLBACK_WEBHOOK: `http://127.0.0.1:${port}/hook`,
  })
  const client = await clientIn(environment)
  const message = 'it\'s $(date) `id` "quoted"'
  await callback(client, { message, delay_seconds: 1, repeat_count: 1 })
  await eventually(
    () => bodies,
    ({ length }) => length === 1,
  )
  expect(bodies[0]).toMatchObject({ callback_id: 0, message, repeats_left: 0, text: expect.stringContaining(message) })
  await eventually(
    () => client.stderr(),
    (text) => text.includes('CALLBACK_COMMAND: exit code 3'),
  )
  expect(readFileSync(join(environment.cwd, 'messages.txt'), 'utf8')).toBe(`${message}\n`)
  expect(await callbacksDeliveredTo(client)).toContain(message)
  expect(await client.close()).toBe(0)
  hook.close()
})

test.concurrent('waits for a job of a killed server and reports how it ended', async () => {
  const environment = newEnvironment()
  const client = await clientIn(environment)
  const task_id = await startJob(client, 'sleep 60')
  await callback(client, { message: 'job', task_id })
  await killServer(client)
  const successor = await clientIn(environment)
  await fired(successor, 'job')
  expect(await callbacksDeliveredTo(successor)).toMatch(new RegExp(`job ${task_id} ended, .*\\] job$`))
  expect(await successor.close()).toBe(0)
})

test.concurrent('reports that nothing can be stored', async () => {
  const client = startServer({ env: { STATE_DIR: '/proc/nowhere' } })
  await client.initialize('2025-06-18')
  const { text, isError } = await callback(client, { message: 'm', delay_seconds: 5 })
  expect(isError).toBe(true)
  expect(text.split('\n')[0]).toBe('Error: callback slots not available')
  await client.close()
})

test('a server without callbacks opens nothing', async () => {
  const environment = newEnvironment()
  const client = await clientIn(environment)
  // Time in which it would look for callbacks.
  await sleep(600)
  expect(await messageBeforeResult(client)).toBe('')
  expect(spawnSync('ls', [environment.env.STATE_DIR ?? '']).stdout.toString()).not.toContain('state.db')
  await ended(client)
})
