// Machines that are killed, stopped, cut off or drained: nothing is served or written by a machine that lost its
// workspace, callers learn what is known, and the next machine goes on within the lease.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { isPidRunning } from '@scorpiox/mcp/os'
import { postgresRequirement, startPostgres } from '../store/postgres-server.js'
import { eventually } from '../support/eventually.js'
import { callOf, type HttpResponse, initialize, modernCall, rpc, sendRequest, stream } from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import {
  callText,
  type Fleet,
  type Machine,
  openWebSocket,
  SHORT_LEASE,
  startFleet,
  textOf,
  untilServed,
} from './support.js'

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

function readPid(project: string): number {
  const path = join(project, 'pid')
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
}

const WHERE = modernCall('Bash', { command: 'echo on $MACHINE_NAME' })

describe('a machine', requires(postgresRequirement(postgres)), () => {
  let fleet: Fleet | undefined
  afterEach(async () => {
    await fleet?.stop()
    fleet = undefined
  })

  async function begin(env: NodeJS.ProcessEnv): Promise<{ fleet: Fleet; owner: Machine; others: readonly Machine[] }> {
    if (!postgres) throw new Error('no PostgreSQL')
    const started = await startFleet(postgres, ['a', 'b'], env)
    fleet = started
    await untilServed(started.machines, modernCall('TaskManager', { action: 'create', query: 'before' }))
    return { fleet: started, owner: await started.owner(), others: await started.others() }
  }

  test('that is killed, with shared files: another one takes over', async () => {
    const { owner, others } = await begin({ WORKSPACE_FILES: 'shared', ...SHORT_LEASE })
    const [other] = others
    if (!other) throw new Error('no other machine')
    const running = sendRequest(other, modernCall('Bash', { command: 'echo begun > begun; sleep 30' }, 'the-call'))
    await eventually(
      () => callText(other, 'Bash', { command: 'cat begun 2>/dev/null || true' }),
      (text) => text.includes('begun'),
    )
    owner.child.kill('SIGKILL')
    const broken = await running
    expect(broken.json.id).toBe('the-call')
    expect(broken.json.error.message).toContain('it is not known whether it was done')
    // One request: it waits until the lease of the other machine is out.
    expect(textOf(await sendRequest(other, WHERE))).toBe(`on ${other.name}\n`)
    expect(await callText(other, 'TaskManager', { action: 'list', query: '' })).toContain('before')
    const [row] = (await fleet?.sql('SELECT epoch FROM scorpiox.workspaces')) ?? []
    expect(row).toEqual({ epoch: '2' })
  })

  test('that is killed, with files of its own: nobody takes over, until it is back', async () => {
    const { fleet: started, owner, others } = await begin({ WORKSPACE_FILES: 'local', ...SHORT_LEASE })
    const [other] = others
    if (!other) throw new Error('no other machine')
    owner.child.kill('SIGKILL')
    const refused = await sendRequest(other, WHERE)
    expect(refused.status).toBe(503)
    expect(refused.json.error.message).toMatch(
      new RegExp(`^The machine ${owner.name} holds your files and has been silent since \\d{4}-.*; nothing was done`),
    )
    // The same disk, another process, and another name: it has the files.
    const back = await started.start('back', { STATE_DIR: owner.env.STATE_DIR })
    expect(textOf(await sendRequest(other, WHERE))).toBe('on back\n')
    expect(textOf(await sendRequest(back, WHERE))).toBe('on back\n')
  })

  test('that is stopped and comes back: it serves and writes nothing that it lost', async () => {
    const { fleet: started, owner, others } = await begin({ WORKSPACE_FILES: 'shared', ...SHORT_LEASE })
    const [other] = others
    if (!other) throw new Error('no other machine')
    // A write is begun, and ends after the machine came back.
    const late = sendRequest(owner, modernCall('Bash', { command: 'sleep 1; echo late' }))
    const waiting = sendRequest(owner, modernCall('TaskManager', { action: 'create', query: 'at once' }))
    await waiting
    owner.child.kill('SIGSTOP')
    // Received by the system, read by the program when it goes on.
    const queued = Array.from({ length: 5 }, () =>
      sendRequest(owner, modernCall('TaskManager', { action: 'create', query: 'too late' })),
    )
    expect(textOf(await untilServed([other], WHERE))).toBe(`on ${other.name}\n`)
    await callText(other, 'TaskManager', { action: 'create', query: 'on the new owner' })
    owner.child.kill('SIGCONT')
    for (const answer of await Promise.all(queued)) {
      // Refused, or served by the new owner after the machine has registered again; never by itself.
      expect(answer.status === 503 ? answer.json.error.message : 'forwarded').toMatch(/nothing was done|forwarded/)
    }
    await late
    const rows = await started.sql(`SELECT name FROM scorpiox.machines WHERE ending = 'lost'`)
    expect(rows).toEqual([{ name: owner.name }])
    expect(await started.sql('SELECT epoch FROM scorpiox.workspaces')).toEqual([{ epoch: '2' }])
    expect(textOf(await untilServed([owner], WHERE))).toBe(`on ${other.name}\n`)
  })

  test('that lost a workspace cannot write to it', async () => {
    const { fleet: started, owner } = await begin({ WORKSPACE_FILES: 'shared' })
    await started.sql(`UPDATE scorpiox.workspaces SET epoch = epoch + 1`)
    const text = await callText(owner, 'TaskManager', { action: 'create', query: 'with an old epoch' })
    expect(text).toContain('nothing was written')
    expect(await started.sql(`SELECT name FROM scorpiox.tasks WHERE name = 'with an old epoch'`)).toEqual([])
  })

  test('that is drained: calls in flight finish, nothing fails, sessions and streams go on elsewhere', async () => {
    const { fleet: started, owner, others } = await begin({ WORKSPACE_FILES: 'shared', DRAIN_SECONDS: '2' })
    const [other] = others
    if (!other) throw new Error('no other machine')
    const calls = [
      sendRequest(owner, modernCall('Bash', { command: 'sleep 4; echo on $MACHINE_NAME' })),
      sendRequest(other, modernCall('Bash', { command: 'sleep 4; echo on $MACHINE_NAME' })),
    ]
    const webSocket = await openWebSocket(other)
    const events = await stream(owner, { method: 'GET', path: '/board' })
    expect(await eventually(() => callText(other, 'Bash', { command: 'echo begun' }))).toBe('begun\n')
    const printed = started.cli('machines', 'drain', owner.name)
    expect(printed).toContain(owner.name)
    await eventually(
      async () => (await sendRequest(owner, { method: 'GET', path: '/readyz', token: '' })).text,
      (text) => text === 'draining\n',
    )
    expect((await sendRequest(owner, { method: 'GET', path: '/healthz', token: '' })).status).toBe(200)
    const answers: HttpResponse[] = []
    const ended = Promise.all(calls)
    while (owner.child.exitCode === null) {
      answers.push(await sendRequest(other, WHERE))
      await sleep(20)
    }
    for (const answer of await ended) expect(textOf(answer)).toBe(`on ${owner.name}\n`)
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([])
    expect(textOf(await sendRequest(other, WHERE))).toBe(`on ${other.name}\n`)
    expect(await owner.exited).toBe(0)
    await Promise.all([events.ended, webSocket.closed])
    expect(await started.sql(`SELECT ending FROM scorpiox.machines WHERE name = '${owner.name}'`)).toEqual([
      { ending: 'left' },
    ])
  })

  test('that is drained: a call is answered on the stream of 2024-11-05 that it has forwarded', async () => {
    const { owner, others } = await begin({ WORKSPACE_FILES: 'shared' })
    const [other] = others
    if (!other) throw new Error('no other machine')
    const events = await stream(other, { method: 'GET', path: '/sse' })
    const path = (await events.next())?.data ?? ''
    const post = (body: string): Promise<HttpResponse> => sendRequest(owner, { path, body })
    await post(rpc('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c' } }))
    await events.message()
    await post(callOf('Bash', { command: 'echo begun > begun; sleep 3; echo answered' }, 'slow'))
    await eventually(
      () => callText(owner, 'Bash', { command: 'cat begun 2>/dev/null || true' }),
      (text) => text === 'begun\n',
    )
    other.child.kill('SIGTERM')
    const answer = await events.message()
    expect([answer.id, answer.result?.content[0].text]).toEqual(['slow', 'answered\n'])
    await events.ended
    expect(await other.exited).toBe(0)
  })

  test('that is killed: WebSockets and streams that another one has forwarded end with a sentence', async () => {
    const { owner, others } = await begin({ WORKSPACE_FILES: 'shared', ...SHORT_LEASE })
    const [other] = others
    if (!other) throw new Error('no other machine')
    const events = await stream(other, { method: 'GET', path: '/sse' })
    await events.next()
    const { socket } = await openWebSocket(other)
    const closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve(`${code} ${String(reason)}`)),
    )
    owner.child.kill('SIGKILL')
    expect(await closed).toMatch(/^1012 .*it is not known whether they were done/)
    expect((await events.message()).params.data).toContain('it is not known whether it was done')
    await events.ended
  })

  test('that is stopped: the placeholders of its sandbox stay in a shared project', requires(SANDBOX), async () => {
    const { fleet: started, owner } = await begin({ WORKSPACE_FILES: 'shared', SANDBOX: 'workspace' })
    expect(await callText(owner, 'Bash', { command: 'echo sandboxed' })).toBe('sandboxed\n')
    const placeholder = join(started.project, '.vscode')
    expect(existsSync(placeholder)).toBe(true)
    owner.child.kill('SIGTERM')
    expect(await owner.exited).toBe(0)
    expect(existsSync(placeholder)).toBe(true)
  })

  test('that is stopped, with files of its own: its users wait until it is back, or it is drained', async () => {
    const { fleet: started, owner, others } = await begin({ WORKSPACE_FILES: 'local' })
    const [other] = others
    if (!other) throw new Error('no other machine')
    owner.child.kill('SIGTERM')
    expect(await owner.exited).toBe(0)
    const refused = await sendRequest(other, WHERE)
    expect(refused.json.error.message).toMatch(new RegExp(`^The machine ${owner.name} holds your files`))
    expect(started.cli('machines', 'drain', owner.name)).toContain('1 of its users')
    expect(textOf(await sendRequest(other, WHERE))).toBe(`on ${other.name}\n`)
  })

  test('without its database serves nothing, says so, and goes on afterwards', async () => {
    if (!postgres) return
    const { owner, others } = await begin({ WORKSPACE_FILES: 'local', ...SHORT_LEASE })
    const [other] = others
    if (!other) throw new Error('no other machine')
    const started = await callText(owner, 'BackgroundBash', { command: 'sleep 300' })
    expect(started).toMatch(/job \d+/)
    postgres.stop('fast')
    for (const machine of [owner, other]) {
      const answer = await eventually(
        () => sendRequest(machine, WHERE),
        ({ status }) => status === 503,
      )
      expect(answer.json.error.message).toMatch(/nothing was (done|changed)/i)
      expect((await sendRequest(machine, { method: 'GET', path: '/readyz', token: '' })).status).toBe(503)
      expect((await sendRequest(machine, { method: 'GET', path: '/healthz', token: '' })).status).toBe(200)
    }
    postgres.start()
    for (const machine of [other, owner]) expect(textOf(await untilServed([machine], WHERE))).toBe(`on ${owner.name}\n`)
    // The same incarnation, so that its jobs are not lost.
    expect(await callText(other, 'ListBgTasks', {})).toMatch(/running/)
  })

  test('without its database, with shared files: its jobs end, because another one may take over', async () => {
    if (!postgres) return
    const { owner } = await begin({ WORKSPACE_FILES: 'shared', ...SHORT_LEASE })
    const started = await callText(owner, 'BackgroundBash', { command: 'echo $$ > pid; exec sleep 300' })
    expect(started).toMatch(/job \d+/)
    const pid = await eventually(
      () => readPid(fleet?.project ?? ''),
      (number) => number > 0,
    )
    postgres.stop('fast')
    await eventually(
      () => isPidRunning(pid),
      (isRunning) => !isRunning,
    )
    postgres.start()
    expect(textOf(await untilServed([owner], WHERE))).toMatch(/^on [ab]\n$/)
  })

  test('continues a session of another one that was killed only if it is known', async () => {
    const { owner, others } = await begin({ WORKSPACE_FILES: 'shared', ...SHORT_LEASE })
    const [other] = others
    if (!other) throw new Error('no other machine')
    const headers = { 'mcp-session-id': await initialize(other, '2025-06-18') }
    const events = await stream(other, {
      headers,
      body: callOf('Bash', { command: 'sleep 30' }, 5, { progressToken: 1 }),
    })
    owner.child.kill('SIGKILL')
    expect((await events.message()).error.message).toContain('it is not known whether it was done')
    const { status } = await sendRequest(other, { headers, body: rpc('ping') })
    expect([200, 404]).toContain(status)
  })
})
