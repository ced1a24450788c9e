// Three machines behind a round robin: whatever a client begins on one continues on the others, because every request
// reaches the machine that owns the user's workspace.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ANSWER_DELAY_MS, callOf as questionOf, COLOUR, FORMS } from '../questions/support.js'
import { postgresRequirement, startPostgres } from '../store/postgres-server.js'
import { emptyFolder, type Json } from '../support/client.js'
import { sendCommand, watchConsole } from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { callOf, initialize, modern, modernCall, rpc, sendRequest, stream } from '../support/http-client.js'
import { requires } from '../support/requirements.js'
import { callText, type Fleet, freePort, openWebSocket, SHORT_LEASE, startFleet, textOf } from './support.js'

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

describe('three machines', requires(postgresRequirement(postgres)), () => {
  let fleet: Fleet

  beforeAll(async () => {
    if (postgres) fleet = await startFleet(postgres, ['a', 'b', 'c'], { PLAN_APPROVAL: 'model' })
  })
  afterAll(() => fleet.stop())

  test('one owner, claimed once although all are asked at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => callText(fleet.next(), 'Bash', { command: 'echo on $MACHINE_NAME' })),
    )
    expect(answers.filter((text) => !/^on [abc]$/m.test(text))).toEqual([])
    const rows = await fleet.sql('SELECT epoch FROM scorpiox.workspaces')
    expect(rows).toEqual([{ epoch: '1' }])
  })

  test('modern calls, and the jobs that they start', async () => {
    const started = await callText(fleet.next(), 'BackgroundBash', { command: 'echo begun; sleep 300' })
    const id = Number(/\d+/.exec(started)?.[0])
    for (let round = 0; round < 3; round++) {
      expect(await callText(fleet.next(), 'ListBgTasks', {})).toContain('sleep 300')
    }
    expect(await callText(fleet.next(), 'KillBgTask', { task_id: id })).toMatch(/killed|ended/i)
  })

  test('a legacy session', async () => {
    const session = await initialize(fleet.next(), '2025-06-18')
    const headers = { 'mcp-session-id': session }
    for (let round = 0; round < 9; round++) {
      const answer = await sendRequest(fleet.next(), { headers, body: callOf('Bash', { command: 'echo hi' }) })
      expect(textOf(answer)).toBe('hi\n')
    }
    expect((await sendRequest(fleet.next(), { method: 'DELETE', headers })).status).toBe(204)
    const gone = await sendRequest(fleet.next(), { headers, body: rpc('ping') })
    expect(gone.status).toBe(404)
  })

  test('/sse and /messages', async () => {
    const events = await stream(fleet.next(), { method: 'GET', path: '/sse' })
    const path = String((await events.next())?.data)
    for (let round = 1; round <= 6; round++) {
      const accepted = await sendRequest(fleet.next(), { path, body: rpc('ping', undefined, round) })
      expect(accepted.status).toBe(202)
      expect(await events.message()).toEqual({ jsonrpc: '2.0', id: round, result: {} })
    }
    events.disconnect()
  })

  test('a WebSocket through a machine that does not own the workspace', async () => {
    for (const machine of fleet.machines) {
      const { socket, next, closed } = await openWebSocket(machine)
      const clientInfo = { name: 'test', version: '0' }
      socket.send(rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, 'i'))
      expect((await next()).result.protocolVersion).toBe('2025-11-25')
      // More than the buffers of the sockets hold.
      const payload = randomBytes(3_000_000).toString('hex')
      socket.send(callOf('Bash', { command: `: ${payload}; echo ok` }, 'c'))
      expect((await next()).result.content[0].text).toMatch(/ok|Argument list too long|too long/)
      socket.close()
      expect(await closed).toBe(1005)
    }
  })

  test('progress of a call arrives while it runs', async () => {
    const [machine] = await fleet.others()
    if (!machine) throw new Error('no other machine')
    const session = await initialize(machine, '2025-06-18')
    const command = 'echo first; sleep 2; echo second'
    const events = await stream(machine, {
      headers: { 'mcp-session-id': session },
      body: callOf('Bash', { command }, 7, { progressToken: 'p' }),
    })
    expect((await events.message()).method).toBe('notifications/progress')
    const seen: Json[] = []
    for (let message = await events.message(); message.id !== 7; message = await events.message()) seen.push(message)
    expect(events.events.at(-1)?.json.result.content[0].text).toBe('first\nsecond\n')
  })

  test('a stream that broke is resumed on another machine', async () => {
    const [one, two] = await fleet.others()
    if (!one || !two) throw new Error('no other machines')
    const session = await initialize(one, '2025-11-25')
    const headers = { 'mcp-session-id': session }
    const command = 'echo first; sleep 1; echo second'
    const events = await stream(one, { headers, body: callOf('Bash', { command }, 7, { progressToken: 'p' }) })
    await events.message()
    const { id = '' } = events.events.at(-1) ?? {}
    events.disconnect()
    const rest = await stream(two, { method: 'GET', headers: { ...headers, 'last-event-id': id } })
    const answer = await eventually(
      () => rest.events.find(({ json }) => json?.id === 7),
      (event) => event !== undefined,
    )
    expect(answer?.json.result.content[0].text).toBe('first\nsecond\n')
    rest.disconnect()
  })

  test('plan mode', async () => {
    expect(await callText(fleet.next(), 'PlanMode', { action: 'enter', goal: 'a plan' })).toMatch(/plan/i)
    for (let round = 0; round < 3; round++) {
      expect(await callText(fleet.next(), 'PlanMode', { action: 'status' })).toContain('a plan')
    }
    expect(await callText(fleet.next(), 'PlanMode', { action: 'reset' })).toBe('Plan mode reset. No plan saved.\n')
  })

  test('tasks', async () => {
    for (let number = 0; number < 6; number++) {
      await callText(fleet.next(), 'TaskManager', { action: 'create', query: `task ${number}` })
    }
    expect(await callText(fleet.next(), 'TaskManager', { action: 'list', query: '' })).toContain('task 5')
  })

  test('a question, answered on the page of another machine', async () => {
    const [one, two] = await fleet.others()
    if (!one || !two) throw new Error('no other machines')
    const watched = await watchConsole(two)
    const session = await initialize(one, '2025-06-18', {
      body: rpc('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 't', version: '0' },
      }),
    })
    const asked = sendRequest(one, {
      headers: { 'mcp-session-id': session },
      body: rpc('tools/call', { ...questionOf([COLOUR]), _meta: { progressToken: 1 } }, 9),
    })
    const { questions } = await watched.until((view) => view.questions.length > 0)
    const replies = [{ outcome: 'answered', selected: ['Red'] }]
    const id = questions[0]?.id
    expect((await sendCommand(fleet.next(), 'answer', { project: fleet.project, id, replies })).status).toBe(204)
    expect(textOf(await asked)).toContain('Red')
    watched.leave()
  })

  test('a request state that one machine sealed is opened on another', async () => {
    const make = (more: object) =>
      sendRequest(fleet.next(), modern('tools/call', { ...questionOf([COLOUR]), ...more }, 1, FORMS))
    const { requestState, inputRequests } = (await make({})).json.result
    const [key = ''] = Object.keys(inputRequests)
    await sleep(ANSWER_DELAY_MS.accept)
    const inputResponses = { [key]: { action: 'accept', content: { question_1: 'Red' } } }
    expect(textOf(await make({ requestState, inputResponses }))).toContain('Red')
  })

  test('a caller gains nothing with the header of machines', async () => {
    const owner = await fleet.owner()
    const [other] = await fleet.others()
    if (!other) throw new Error('no other machine')
    const [row] = await fleet.sql(`SELECT incarnation FROM scorpiox.machines WHERE name = '${other.name}'`)
    const address = Buffer.from('9.9.9.9').toString('base64url')
    const forged = `1;${'0'.repeat(32)};${row.incarnation};${Date.now()};${address};${'A'.repeat(43)}`
    for (const value of [forged, 'anything', `${forged}, ${forged}`]) {
      const headers = { 'x-scorpiox-forwarded': value }
      const answer = await sendRequest(other, {
        ...modernCall('Bash', { command: 'echo on $MACHINE_NAME' }),
        headers: { ...modernCall('Bash', {}).headers, ...headers },
      })
      // Served by the owner, although the header says that it was forwarded.
      expect(textOf(answer)).toBe(`on ${owner.name}\n`)
    }
    const unauthenticated = await sendRequest(other, {
      body: rpc('ping'),
      token: '',
      headers: { 'x-scorpiox-forwarded': forged },
    })
    expect(unauthenticated.status).toBe(401)
  })

  test('metrics and readiness name the machine', async () => {
    const machine = fleet.next()
    const metrics = await sendRequest(machine, { method: 'GET', path: '/metrics' })
    expect(metrics.text).toContain(`scorpiox_build_info{machine="${machine.name}",version=`)
    expect((await sendRequest(machine, { method: 'GET', path: '/readyz', token: '' })).text).toBe('ready\n')
  })

  test('`machines` lists them', async () => {
    const owner = await fleet.owner()
    const listed = JSON.parse(fleet.cli('machines', '--json'))
    expect(listed.machines.map(({ name, state }: Json) => [name, state]).sort()).toEqual([
      ['a', 'serving'],
      ['b', 'serving'],
      ['c', 'serving'],
    ])
    expect(listed.workspaces.map(({ machine }: Json) => machine)).toEqual([owner.name])
    expect(fleet.cli('machines')).toContain(`http://127.0.0.1:${owner.port}`)
  })
})

test('one bucket for the rate limit', requires(postgresRequirement(postgres)), async () => {
  if (!postgres) return
  const fleet = await startFleet(postgres, ['a', 'b', 'c'], { RATE_LIMIT: '1', RATE_BURST: '10' })
  const answers = await Promise.all(Array.from({ length: 45 }, () => sendRequest(fleet.next(), modern('ping'))))
  const refused = answers.filter(({ status }) => status === 429).length
  // With a bucket for each machine 15 would be refused at most.
  expect(refused).toBeGreaterThan(20)
  await fleet.stop()
})

test('HTTPS between machines, with a certificate of their own', requires(postgresRequirement(postgres)), async () => {
  if (!postgres) return
  const folder = emptyFolder()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=machines', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
  execFileSync('openssl', ['req', '-x509', ...key, '-out', certFile, '-days', '2', ...subject], { stdio: 'ignore' })
  const fleet = await startFleet(postgres, [])
  const trusting = await fleet.start('trusting', { MACHINE_CA: certFile, WORKSPACE_FILES: 'shared' })
  const strict = await fleet.start('strict', { WORKSPACE_FILES: 'shared', ...SHORT_LEASE })
  const port = await freePort()
  const secure = await fleet.start(
    'secure',
    {
      TLS_CERT: certFile,
      TLS_KEY: keyFile,
      ADVERTISE_URL: `https://localhost:${port}`,
      HTTP_PORT: String(port),
    },
    port,
  )
  // The workspace is claimed by the machine that is asked first.
  const claim = modernCall('Bash', { command: 'echo on $MACHINE_NAME' })
  const headers = { ...claim.headers, 'content-type': 'application/json', authorization: `Bearer ${secure.token}` }
  const request = httpsRequest(`https://localhost:${port}/mcp`, { method: 'POST', headers, ca: readFileSync(certFile) })
  request.end(claim.body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  response.resume()
  expect(textOf(await sendRequest(trusting, claim))).toBe('on secure\n')
  // Without the certificate nothing is sent, so it is known that nothing was done.
  expect(textOf(await sendRequest(strict, claim))).toContain('nothing was done')
  await fleet.stop()
})
