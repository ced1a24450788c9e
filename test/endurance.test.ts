// Memory, slow readers and large messages: the effects of a careless or hostile peer on a long-running server.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import {
  cleanEnv,
  emptyFolder,
  HAS_PROC,
  PROGRAM,
  residentMegabytes,
  startServer,
  type TestClient,
} from './support/client.js'
import { eventually } from './support/eventually.js'
import { underLoad } from './support/load.js'
import { MISSING, skipIfMissing } from './support/runtime.js'

const FIXTURE = resolve(import.meta.dirname, 'fixture/server.mjs')

const fixture = (): TestClient => startServer({ args: [FIXTURE] })

const callOf = (id: unknown, name: string, args: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

test.skipIf(!HAS_PROC).each(['2025-03-26', '2025-11-25'])(
  'a batch of eight million numbers is refused once at %s',
  async (revision) => {
    const client = startServer()
    await client.initialize(revision)
    client.write(`[${'1,'.repeat(8_000_000)}1]\n`)
    expect(await client.waitFor(({ id }) => id === null)).toMatchObject({ error: { code: -32700 } })
    expect(residentMegabytes(client)).toBeLessThan(600)
    await client.request('ping')
    expect(client.received).toHaveLength(3)
    await client.close()
  },
)

test('a batch of more than a thousand messages is refused with the limit', async () => {
  const client = startServer()
  await client.initialize('2025-03-26')
  client.send(Array.from({ length: 1001 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })))
  expect((await client.waitFor(({ id }) => id === null)).error.message).toContain('1000')
  await client.close()
})

test('a client that reads late gets all answers completely', async () => {
  const cwd = emptyFolder()
  const command = 'head -c 29000 /dev/zero | tr "\\0" x'
  const requests = [1, 2, 3, 4].map((id) => JSON.stringify(callOf(id, 'Bash', { command })))
  writeFileSync(join(cwd, 'requests'), `${requests.join('\n')}\n`)
  const late = spawn('bash', ['-c', `"$0" "$1" < requests | (sleep 2; cat)`, process.execPath, PROGRAM], {
    cwd,
    env: cleanEnv(),
  })
  let text = ''
  late.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(late, 'close')
  const lines = text.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { id: number }).id).sort((a, b) => a - b)).toEqual([1, 2, 3, 4])
})

test('the end of input is detected also while the client does not read', { tags: ['long'] }, async () => {
  const child = spawn(process.execPath, [FIXTURE], { env: cleanEnv(), stdio: ['pipe', 'pipe', 'inherit'] })
  const args = { text: 'x'.repeat(1000), times: 100 }
  for (let id = 0; id < 200; id++) child.stdin.write(`${JSON.stringify(callOf(id, 'echo', args))}\n`)
  // It answers, and what it answers is not read.
  await once(child.stdout, 'readable')
  const ended = Date.now()
  child.stdin.end()
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(0)
  expect(Date.now() - ended).toBeLessThan(underLoad(15_000))
})

test('excessive concurrent requests are refused, and the rest are served', async () => {
  const client = fixture()
  const lines = Array.from({ length: 2100 }, (_, id) => JSON.stringify(callOf(id, 'wait', { label: String(id) })))
  client.write(`${lines.join('\n')}\n`)
  await client.waitFor(({ id }) => id === 2099)
  expect(client.received).toHaveLength(100)
  expect(client.received[0].error.message).toContain('Too many requests at once')
  expect((await client.request('tools/call', { name: 'echo', arguments: { text: 'x' } })).error.message).toContain(
    'Wait for some',
  )
  for (let id = 0; id < 2000; id++)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
  expect((await client.request('tools/call', { name: 'echo', arguments: { text: 'x' } })).result.isError).toBe(false)
  await client.close()
})

test.skipIf(!HAS_PROC)('a small pending call does not keep the large message it came with in memory', async () => {
  const client = fixture()
  const filler = JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/filler',
    params: { x: 'x'.repeat(10_000_000) },
  })
  for (let id = 0; id < 40; id++)
    client.write(`${filler}\n${JSON.stringify(callOf(id, 'wait', { label: `l${id}` }))}\n`)
  await client.request('ping')
  await eventually(
    () => residentMegabytes(client),
    (megabytes) => megabytes < 300,
  )
  for (let id = 0; id < 40; id++)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
  await client.close()
})

test('two servers connected to each other stop after one bad line', async () => {
  const [a, b] = [startServer(), startServer()]
  a.child.stdout.pipe(b.child.stdin)
  b.child.stdout.pipe(a.child.stdin)
  a.write('nonsense\n')
  await a.waitFor(({ error }) => error !== undefined)
  // Each answer is read by the other server before the next request to it.
  for (let round = 0; round < 3; round++) for (const server of [a, b]) await server.request('ping')
  const pong = { result: {} }
  expect(a.received).toMatchObject([{ error: { code: -32700 } }, pong, pong, pong])
  expect(b.received).toMatchObject([pong, pong, pong])
  a.child.kill()
  b.child.kill()
  await Promise.all([a.close(), b.close()])
})

test.skipIf(!HAS_PROC)('a leftover process that prints without end costs almost nothing', async () => {
  const client = startServer()
  await client.request('tools/call', { name: 'Bash', arguments: { command: 'yes & echo started' } })
  const before = cpuSeconds(client)
  // The time over which it is measured.
  await sleep(1000)
  expect(cpuSeconds(client) - before).toBeLessThan(0.25)
  expect(await client.close()).toBe(0)
})

test('without free file descriptors a command reports it and the server continues', async (context) => {
  skipIfMissing(context, MISSING.fewFiles)
  const args = ['-c', 'ulimit -n 40; exec "$0" "$1"', process.execPath, PROGRAM]
  const client = startServer({ file: 'bash', args })
  await client.request('ping')
  for (let id = 0; id < 30; id++) client.send(callOf(id, 'Bash', { command: 'sleep 1' }))
  const refused = await client.waitFor(({ id, result }) => typeof id === 'number' && id < 30 && result?.isError)
  expect(refused.result.content[0].text).toContain('too many open files')
  await Promise.all(Array.from({ length: 30 }, (_, id) => client.waitFor((message) => message.id === id)))
  expect(await client.close()).toBe(0)
  expect(client.stderr()).toBe('')
})

function cpuSeconds(client: TestClient): number {
  const fields = readFileSync(`/proc/${client.child.pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
