// What machines share in PostgreSQL: tokens, task handles, request states, job numbers and records, what legacy sessions
// have negotiated, and callbacks. Each goes on after its machine was killed, or says that it is lost.

import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, describe, expect, test } from 'vitest'

import { ANSWER_DELAY_MS, callOf as questionOf, COLOUR, FORMS } from '../questions/support.js'
import { postgresRequirement, startPostgres } from '../store/postgres-server.js'
import { cleanEnv, type Json, PROGRAM } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import {
  callOf,
  type HttpResponse,
  initialize,
  modern,
  rpc,
  sendRequest,
  stream,
  tokenFor,
} from '../support/http-client.js'
import { onClose } from '../support/on-close.js'
import { requires } from '../support/requirements.js'
import { callText, type Fleet, type Machine, openWebSocket, startFleet, textOf } from './support.js'

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const LOST = 'not known whether it was done'

// Concurrent, because most tests wait until the lease of a killed machine has ended.
describe.concurrent('machines share', requires(postgresRequirement(postgres)), () => {
  interface Begun {
    readonly fleet: Fleet
    readonly owner: Machine
    readonly other: Machine
  }

  /** Two machines with shared files; the first call makes one of them the owner. */
  async function begin(env: NodeJS.ProcessEnv = {}): Promise<Begun> {
    if (!postgres) throw new Error('no PostgreSQL')
    const started = await startFleet(postgres, ['a', 'b'], { WORKSPACE_FILES: 'shared', ...env })
    onClose(() => started.stop())
    // On a very busy machine a lease of a few seconds may run out, and the call is refused.
    await eventually(
      () => callText(started.next(), 'Bash', { command: 'echo first' }),
      (text) => text === 'first\n',
    )
    const [other] = await started.others()
    if (!other) throw new Error('no other machine')
    return { fleet: started, owner: await started.owner(), other }
  }

  test('tokens: a new one works at once everywhere, a revoked one nowhere', async () => {
    const { owner, other } = await begin()
    const token = tokenFor('ann', owner.env)
    const statusOn = async (machine: Machine): Promise<number> =>
      (await sendRequest(machine, { body: rpc('ping'), token })).status
    expect(await Promise.all([owner, other].map(statusOn))).toEqual([200, 200])
    expect(runToken(other, 'list')).toContain('ann')
    runToken(other, 'revoke', 'token-1')
    for (const machine of [owner, other]) {
      await eventually(
        () => statusOn(machine),
        (status) => status === 401,
      )
    }
    expect(runToken(owner, 'list')).toContain('No tokens')
  })

  test('streams and WebSockets end when their token is revoked, wherever they were opened', async () => {
    const { owner, other } = await begin()
    const token = tokenFor('ann', owner.env)
    await sendRequest(owner, { body: rpc('ping'), token })
    const streams = await Promise.all(
      [owner, other].map((machine) => stream(machine, { path: '/sse', method: 'GET', token })),
    )
    const sockets = await Promise.all([owner, other].map((machine) => openWebSocket({ ...machine, token })))
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    runToken(other, 'revoke', 'token-1')
    await Promise.all(streams.map(({ ended }) => ended))
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([1008, 1008])
  })

  test('tokens that are unknown are refused, also if they come in numbers', async () => {
    const { owner, other } = await begin()
    const token = tokenFor('ann', owner.env)
    const unknown = Array.from({ length: 40 }, (_, number) => `sxc_${String(number).padStart(43, 'x')}`)
    const answers = await Promise.all(
      unknown.map((each) => sendRequest(other, { body: rpc('ping'), token: each, method: 'POST' })),
    )
    expect(
      [...new Set(answers.map(({ status }) => status))].filter((status) => status !== 401 && status !== 429),
    ).toEqual([])
    expect((await sendRequest(other, { body: rpc('ping'), token })).status).toBe(200)
  })

  test(
    'task handles: one of a killed machine is lost, but not before its lease is out',
    { tags: ['long'] },
    async () => {
      const { fleet: started, owner, other } = await begin()
      const { taskId } = (await sendRequest(other, longCall('sleep 300'))).json.result
      const read = async (): Promise<Json> => (await sendRequest(other, modern('tasks/get', { taskId }, 1, TASKS))).json
      expect((await read()).result).toMatchObject({ status: 'working' })
      owner.child.kill('SIGKILL')
      const seen: Json[] = []
      const lost = await eventually(
        async () => {
          const answer = await read()
          seen.push(answer)
          return answer.result
        },
        (result) => result !== undefined && result.status !== 'working',
      )
      expect(lost).toMatchObject({
        status: 'failed',
        statusMessage: expect.stringContaining(`with machine ${owner.name}`),
      })
      expect(lost.error.message).toContain(LOST)
      const [row] = await started.sql(
        `SELECT ended_at >= expires_at AS expired, ending FROM scorpiox.machines WHERE name = '${owner.name}'`,
      )
      expect(row, JSON.stringify(seen)).toEqual({ expired: true, ending: 'lost' })
      expect((await read()).result).toMatchObject({ status: 'failed' })
    },
  )

  test('task handles: an outcome is read elsewhere when its machine has stopped', { tags: ['long'] }, async () => {
    const { owner, other } = await begin()
    const { taskId } = (await sendRequest(other, longCall('sleep 12; echo whole'))).json.result
    const read = async (): Promise<Json> =>
      (await sendRequest(other, modern('tasks/get', { taskId }, 1, TASKS))).json.result
    await eventually(read, ({ status }) => status === 'completed')
    await owner.stop()
    const { status, result } = await read()
    expect({ status, text: result.content[0].text }).toEqual({ status: 'completed', text: 'whole\n' })
  })

  test('request states: opened once, by any machine', async () => {
    const { owner, other } = await begin()
    const make = (machine: Machine, more: object): Promise<HttpResponse> =>
      sendRequest(machine, modern('tools/call', { ...questionOf({ questions: [COLOUR] }), ...more }, 1, FORMS))
    const states = [(await make(owner, {})).json.result, (await make(owner, {})).json.result]
    const [used, unused] = states.map(({ requestState }) => requestState)
    const inputResponses = { said: { action: 'accept', content: { question_1: 'Red' } } }
    await sleep(ANSWER_DELAY_MS.accept)
    expect(textOf(await make(owner, { requestState: used, inputResponses }))).toContain('Red')
    owner.child.kill('SIGKILL')
    expect(textOf(await make(other, { requestState: used, inputResponses }))).toContain('it was used before')
    expect(textOf(await make(other, { requestState: unused, inputResponses }))).toContain('Red')
    expect(textOf(await make(other, { requestState: unused, inputResponses }))).toContain('it was used before')
  })

  test('job numbers: unique over machines and restarts; a job of a killed machine is lost, with its last output', async () => {
    const { fleet: started, owner, other } = await begin()
    const command = 'echo begun; sleep 300'
    expect(await callText(other, 'BackgroundBash', { command })).toContain('job 1')
    await eventually(
      () => started.sql('SELECT output FROM scorpiox.jobs WHERE id = 1'),
      ([row]) => row?.output === 'begun\n',
    )
    expect(await callText(other, 'BackgroundBash', { command: 'echo second; exit 3' })).toContain('job 2')
    expect(await callText(other, 'ReadBgOutput', { task_id: 2, wait_for_end: true })).toContain('exit code 3')
    owner.child.kill('SIGKILL')
    expect(await readText(other, 'ListBgTasks')).toMatch(
      new RegExp(`1  lost with machine ${owner.name}  .*sleep 300[^]*2  exit code 3`),
    )
    const read = await callText(other, 'ReadBgOutput', { task_id: 1 })
    expect(read).toContain('begun\n')
    expect(read).toContain(`lost with machine ${owner.name}. It may have completed`)
    expect(await callText(other, 'ReadBgOutput', { task_id: 2 })).toContain('second\n')
    expect(await callText(other, 'BackgroundBash', { command: 'echo third' })).toContain('job 3')
    const back = await started.start('back', { STATE_DIR: owner.env.STATE_DIR })
    await other.stop()
    expect(await callText(back, 'BackgroundBash', { command: 'echo fourth' })).toContain('job 4')
    expect(await callText(back, 'ReadBgOutput', { task_id: 3, wait_for_end: true })).toContain('third\n')
  })

  test('job numbers: a job that ends with its machine is not lost', async () => {
    const { owner, other } = await begin()
    await callText(other, 'BackgroundBash', { command: 'echo begun; sleep 300' })
    await owner.stop()
    expect(await callText(other, 'ListBgTasks', {})).toMatch(/1 {2}killed when its server exited/)
    expect(await callText(other, 'ReadBgOutput', { task_id: 1 })).toContain('begun\n')
  })

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'legacy sessions: one continues after %s of its machine',
    async (signal) => {
      const { owner, other } = await begin()
      const session = await initialize(other, '2025-11-25')
      const headers = { 'mcp-session-id': session }
      await sendRequest(other, { headers, body: rpc('logging/setLevel', { level: 'error' }) })
      await sendRequest(other, { headers, body: rpc('resources/subscribe', { uri: 'scorpiox://jobs' }) })
      const before = await stream(other, { method: 'GET', headers })
      owner.child.kill(signal)
      await before.ended.catch(() => undefined)
      const { id = 'standing.1' } = before.events.at(-1) ?? {}
      const answer = await eventually(
        () => sendRequest(other, { headers, body: callOf('Bash', { command: 'echo again' }) }),
        ({ status }) => status === 200,
      )
      expect(textOf(answer)).toBe('again\n')
      const after = await stream(other, { method: 'GET', headers: { ...headers, 'last-event-id': id } })
      expect(after.status).toBe(200)
      await sendRequest(other, { headers, body: callOf('BackgroundBash', { command: 'echo told' }) })
      expect(await after.message()).toMatchObject({ method: 'notifications/resources/updated' })
      after.disconnect()
      expect((await sendRequest(other, { method: 'DELETE', headers })).status).toBe(204)
      expect((await sendRequest(other, { headers, body: rpc('ping') })).status).toBe(404)
    },
  )

  test('legacy sessions: the id of another user is unknown', async () => {
    const { owner, other } = await begin()
    const headers = { 'mcp-session-id': await initialize(owner, '2025-11-25') }
    const token = tokenFor('ann', owner.env)
    owner.child.kill('SIGKILL')
    expect((await sendRequest(other, { headers, body: rpc('ping'), token })).status).toBe(404)
  })

  test('callbacks: one of a killed machine fires once, without any call', async () => {
    const { fleet: started, owner, other } = await begin()
    // Due after the machine was killed, also if that takes a while, and before its lease has ended.
    expect(await callText(other, 'SetCallback', { message: 'wake up', delay_seconds: 5 })).toContain('scheduled')
    owner.child.kill('SIGKILL')
    await eventually(
      () => started.sql('SELECT text FROM scorpiox.messages'),
      (rows) => rows.length > 0,
    )
    const texts = [
      await callText(other, 'Bash', { command: 'echo one' }),
      await callText(other, 'Bash', { command: 'echo two' }),
    ]
    expect(texts[0]).toMatch(/^\[Callback 0 fired at [^\n]*\] wake up\n+one\n$/)
    expect(texts[1]).toBe('two\n')
    expect(await started.sql('SELECT count(*)::int AS messages FROM scorpiox.messages')).toEqual([{ messages: 1 }])
  })

  test('callbacks: those of a session that goes on elsewhere stay with it', async () => {
    const { fleet: started, owner, other } = await begin()
    const [first, second] = [await initialize(other, '2025-06-18'), await initialize(other, '2025-06-18')]
    const call = async (session: string, tool: string, args: object): Promise<string> => {
      const headers = { 'mcp-session-id': session }
      return textOf(await sendRequest(other, { headers, body: callOf(tool, args) }))
    }
    await call(first, 'SetCallback', { message: 'for the first', delay_seconds: 5 })
    owner.child.kill('SIGKILL')
    // Another session comes first after the loss, and does not take it over.
    await eventually(
      () => call(second, 'Bash', { command: 'echo second' }),
      (text) => text.includes('second'),
    )
    await eventually(
      () => started.sql('SELECT text FROM scorpiox.messages'),
      (rows) => rows.length > 0,
    )
    expect(await call(second, 'Bash', { command: 'echo second' })).toBe('second\n')
    expect(await call(first, 'Bash', { command: 'echo first' })).toMatch(
      /^(\[Callback 0 .*\] for the first\n+)+first\n$/,
    )
  })

  test('callbacks: one fires after its machine has handed the workspace over', async () => {
    const { fleet: started, owner, other } = await begin()
    // Due after the machine has stopped, also if that takes a while.
    await callText(other, 'SetCallback', { message: 'wake up', delay_seconds: 5 })
    await owner.stop()
    await eventually(
      () => started.sql('SELECT text FROM scorpiox.messages'),
      (rows) => rows.length > 0,
    )
    expect(await callText(other, 'Bash', { command: 'echo one' })).toContain('wake up')
    expect(await callText(other, 'Bash', { command: 'echo two' })).toBe('two\n')
  })
})

function longCall(command: string) {
  return modern('tools/call', { name: 'Bash', arguments: { command } }, 1, TASKS)
}

/** Reads until the connection to the killed machine is known to be broken. */
function readText(machine: Machine, tool: string): Promise<string> {
  return eventually(
    () => callText(machine, tool, {}),
    (text) => !text.startsWith('502'),
  )
}

function runToken({ env }: Machine, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [PROGRAM, 'token', ...args], { env: cleanEnv(env), encoding: 'utf8' })
}
