// A user approves the end of plan mode on the console. Until then plan mode stays on.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { call, killServer, type TestClient, type ToolResult, toolResultOf } from '../support/client.js'
import {
  type ConsoleStream,
  type Machine,
  newMachine,
  newProject,
  sendCommand,
  startUi,
  watchConsole,
} from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, modern, sendRequest, startProgram, tokenFor } from '../support/http-client.js'
import { onClose } from '../support/on-close.js'
import { isForm } from '../questions/support.js'
import { clientIn, environment, isActive, pendingMessagesOf, untilMessage } from './approval-support.js'
import { plan } from './support.js'

describe.concurrent('on the console', () => {
  interface ConsoleSetup {
    readonly machine: Machine
    readonly project: string
    readonly ui: HttpServer
    readonly watched: ConsoleStream
    readonly client: TestClient
    newClient(): Promise<TestClient>
    decide(decision: object): Promise<{ status: number; error: string }>
  }

  async function openConsole(env: NodeJS.ProcessEnv = {}): Promise<ConsoleSetup> {
    const machine = newMachine()
    const project = newProject(machine, 'one')
    const ui = await startUi(machine)
    onClose(() => ui.stop())
    const newClient = (): Promise<TestClient> =>
      clientIn({ cwd: project, env: { HOME: machine.home, ASK_WAIT: '30', ...env } }, {})
    const client = await newClient()
    const watched = await watchConsole(ui)
    await watched.until(({ servers }) => servers.some(({ pid }) => pid === client.child.pid))
    await plan(client, 'enter', { goal: 'Paint' })
    return {
      machine,
      project,
      ui,
      watched,
      client,
      newClient,
      async decide(decision) {
        const [approval] = watched.view().approvals
        const { json } = await sendCommand(ui, 'approval', { project, id: approval?.id })
        const body = { project, id: approval?.id, hash: json?.hash, ...decision }
        const { status, json: reply } = await sendCommand(ui, 'decide', body)
        return { status, error: reply?.error ?? '' }
      },
    }
  }

  async function begin(
    setup: ConsoleSetup,
    more: object,
    client = setup.client,
  ): Promise<{ readonly result: Promise<ToolResult> }> {
    const before = new Set(setup.watched.view().approvals.map(({ id }) => id))
    const result = call(client, 'PlanMode', more, { progressToken: 1 })
    result.catch(() => undefined)
    await setup.watched.until(({ approvals }) => approvals.some(({ id }) => !before.has(id)))
    return { result }
  }

  test('the plan and its changes are shown, and the approval ends plan mode', async () => {
    const setup = await openConsole()
    const { client, ui, project, watched } = setup
    await plan(client, 'status', { plan: 'one\ntwo\n' })
    const { result } = await begin(setup, { action: 'exit', plan: 'one\n- [ ] three\n' })
    expect(watched.view().approvals).toMatchObject([
      { project, id: 1, action: 'exit', goal: 'Paint', requestedAt: expect.any(Number), waiting: true },
    ])
    const { json } = await sendCommand(ui, 'approval', { project, id: 1 })
    expect(json).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      text: 'one\n- [ ] three\n',
      discarded: null,
      changes: [
        { mark: ' ', text: 'one' },
        { mark: '-', text: 'two' },
        { mark: '+', text: '- [ ] three' },
      ],
    })
    expect(await setup.decide({ outcome: 'approved', hash: '0'.repeat(64) })).toMatchObject({ status: 409 })
    expect(await isActive(client)).toBe(true)
    expect(await setup.decide({ outcome: 'approved' })).toMatchObject({ status: 204 })
    expect((await result).text).toMatch(/\nTask 1 [^]*Approved by the user on the console page\.\n$/)
    expect(await sendCommand(ui, 'decide', { project, id: 1, hash: json.hash, outcome: 'rejected' })).toMatchObject({
      status: 409,
      json: { error: expect.stringMatching(/^Request 1 was already approved at/) },
    })
    await watched.until(({ approvals, messages }) => approvals.length === 0 && messages.length === 0)
    expect(await pendingMessagesOf(client)).toBe('')
  })

  test('an edited plan is the one that is accepted, and the model gets its text', async () => {
    const setup = await openConsole()
    const { result } = await begin(setup, { action: 'exit', plan: '- [ ] red\n' })
    expect(await setup.decide({ outcome: 'approved', text: ' \n' })).toMatchObject({ status: 409 })
    expect(await setup.decide({ outcome: 'approved', text: '- [ ] blue\n- [ ] green\n' })).toMatchObject({
      status: 204,
    })
    const { text, structured } = await result
    expect(text).toMatch(/created from its 2 checklist items[^]*edited the plan\. Follow this text:\n\n- \[ \] blue\n/)
    expect(readFileSync(join(setup.project, structured.plan_file), 'utf8')).toBe('- [ ] blue\n- [ ] green\n')
  })

  test('a rejection keeps plan mode on; the request of another user cannot be decided', async () => {
    const setup = await openConsole()
    const { ui, project, client, machine } = setup
    const { result } = await begin(setup, { action: 'exit', plan: 'red' })
    const server = await startProgram({ env: { HOME: machine.home }, cwd: project })
    onClose(() => server.stop())
    const { json } = await sendCommand(ui, 'approval', { project, id: 1 })
    const body = { project, id: 1, hash: json.hash, outcome: 'approved' }
    const token = tokenFor('mallory', { HOME: machine.home })
    for (const verb of ['approval', 'decide']) {
      expect(await sendCommand(server, verb, body, token)).toMatchObject({ status: 409 })
      expect(await sendCommand(server, verb, body, 'wrong')).toMatchObject({ status: 401 })
    }
    expect(await isActive(client)).toBe(true)
    expect(await setup.decide({ outcome: 'rejected', comment: 'Use blue.' })).toMatchObject({ status: 204 })
    expect((await result).text).toMatch(/^NOT APPROVED: the user rejected the plan on the console page[^]*Use blue\./)
    expect(await isActive(client)).toBe(true)
  })

  test('invalid input decides nothing', async () => {
    const setup = await openConsole()
    await begin(setup, { action: 'exit', plan: 'x' })
    const invalid = [
      { id: undefined },
      { hash: undefined },
      { outcome: 'unasked' },
      { outcome: 'rejected', comment: 5 },
      { text: ['x'] },
    ]
    for (const wrong of invalid)
      expect(await setup.decide({ outcome: 'approved', ...wrong })).toMatchObject({ status: 400 })
    const refused = [{ text: 'x'.repeat(2 ** 20 + 1) }, { outcome: 'rejected', comment: 'x'.repeat(5000) }]
    for (const wrong of refused)
      expect(await setup.decide({ outcome: 'approved', ...wrong })).toMatchObject({ status: 409 })
    expect(await isActive(setup.client)).toBe(true)
  })

  test('it is closed: the call ends, and a later approval is part of the next result', async () => {
    const setup = await openConsole()
    const { result } = await begin(setup, { action: 'exit', plan: 'x' })
    const { id } = setup.watched.view().approvals[0] ?? { id: 0 }
    setup.watched.leave()
    expect((await result).structured).toMatchObject({ active: true, approval: 'pending' })
    expect(await isActive(setup.client)).toBe(true)
    const { json } = await sendCommand(setup.ui, 'approval', { project: setup.project, id })
    const body = { project: setup.project, id, hash: json.hash, outcome: 'approved' }
    expect((await sendCommand(setup.ui, 'decide', body)).status).toBe(204)
    await untilMessage(setup.client, /\(request 1\): Plan mode is off, and commands can write again\. Plan saved to/)
    expect(await isActive(setup.client)).toBe(false)
  })

  test.each(['before', 'after'])('the server is killed %s the approval: the next session gets it', async (when) => {
    const setup = await openConsole()
    await begin(setup, { action: 'exit', plan: '- [ ] x' })
    if (when === 'before') await killServer(setup.client)
    const decided = await eventually(
      async () => {
        if (when === 'after') setup.client.child.kill('SIGSTOP')
        const answer = await setup.decide({ outcome: 'approved', comment: 'Good.' })
        if (isLocked(answer)) setup.client.child.kill('SIGCONT')
        return answer
      },
      (answer) => !isLocked(answer),
    )
    if (when === 'after') await killServer(setup.client)
    expect(decided).toEqual({ status: 204, error: '' })
    const next = await setup.newClient()
    await untilMessage(
      next,
      /\(request 1\): Plan mode is off.*Task 1 was created.*Approved by the user on the console page.*Good\./,
    )
    expect(await pendingMessagesOf(next)).toBe('')
    expect(await isActive(next)).toBe(false)
  })

  test('a decision elsewhere ends the call although the form of the client is open', async () => {
    const setup = await openConsole()
    const where = { cwd: setup.project, env: { HOME: setup.machine.home, ASK_WAIT: '30' } }
    const client = await clientIn(where)
    const { result } = await begin(setup, { action: 'reset' }, client)
    const { id } = await client.waitFor(isForm)
    expect(await setup.decide({ outcome: 'approved' })).toMatchObject({ status: 204 })
    expect((await result).text).toBe('Plan mode reset. No plan saved.\nApproved by the user on the console page.\n')
    await client.waitFor(({ method, params }) => method === 'notifications/cancelled' && params.requestId === id)
  })

  test('over HTTP the user decides on the page of the server, and the next call gets the decision', async () => {
    const { cwd, env } = environment()
    const server = await startProgram({ env, cwd })
    onClose(() => server.stop())
    const callTool = async (args: object): Promise<ToolResult> =>
      toolResultOf((await sendRequest(server, modern('tools/call', { name: 'PlanMode', arguments: args }))).json)
    await callTool({ action: 'enter' })
    for (const action of ['exit', 'reset'])
      expect((await callTool({ action, ...(action === 'exit' && { plan: 'x' }) })).structured).toMatchObject({
        active: true,
        approval: 'pending',
      })
    await callTool({ action: 'exit', plan: 'y' })
    const watched = await watchConsole(server)
    const { approvals } = await watched.until(({ approvals: open }) => open.length === 1)
    const { project, id } = approvals[0] ?? {}
    const { json } = await sendCommand(server, 'approval', { project, id })
    expect(json.text).toBe('y')
    const body = { project, id, hash: json.hash, outcome: 'approved' }
    expect((await sendCommand(server, 'decide', body)).status).toBe(204)
    await eventually(
      async () => (await callTool({ action: 'status' })).content.map(({ text }) => text).join(''),
      (text) => /Your PlanMode exit .*Plan mode is off[^]*Plan mode: INACTIVE/.test(text),
    )
  })

  test('a console that was open before the server started is known at its first call', async () => {
    const setup = await openConsole()
    await setup.client.close()
    const next = await setup.newClient()
    await begin(setup, { action: 'exit', plan: 'x' }, next)
    expect(await isActive(next)).toBe(true)
  })

  test('PLAN_APPROVAL=person: what no user could see at once is decided later', async () => {
    const machine = newMachine()
    const project = newProject(machine, 'one')
    const client = await clientIn({ cwd: project, env: { HOME: machine.home, PLAN_APPROVAL: 'person' } }, {})
    await plan(client, 'enter')
    expect((await plan(client, 'exit', { plan: 'x' })).structured).toMatchObject({ approval: 'pending' })
    const ui = await startUi(machine)
    onClose(() => ui.stop())
    const watched = await watchConsole(ui)
    const { approvals } = await watched.until(({ approvals: open }) => open.length === 1)
    expect(approvals).toMatchObject([{ id: 1, waiting: false }])
    const { json } = await sendCommand(ui, 'approval', { project, id: 1 })
    const body = { project, id: 1, hash: json.hash, outcome: 'approved' }
    expect((await sendCommand(ui, 'decide', body)).status).toBe(204)
    await untilMessage(client, /Plan mode is off/)
  })
})

/** By a server that was stopped in a transaction: it has to continue before anything can be decided. */
function isLocked({ error }: { readonly error: string }): boolean {
  return error.includes('in use by other processes')
}
