// A user approves the end of plan mode: with a form of the client, on the console, or not at all where no user can be
// reached. Until then plan mode stays on.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterEach, describe, expect, test } from 'vitest'

import {
  call,
  type Json,
  killServer,
  modernMeta,
  newEnvironment,
  type ServerEnvironment,
  startServer,
  type TestClient,
  type ToolResult,
  toolResultOf,
} from '../support/client.js'
import {
  type ConsoleStream,
  type Machine,
  newMachine,
  newProject,
  sendCommand,
  startUi,
  watchConsole,
} from '../support/console-client.js'
import { type HttpServer, modern, sendRequest, startProgram, tokenFor } from '../support/http-client.js'
import { ANSWER_DELAY_MS, FORMS } from '../questions/support.js'
import { plan } from './support.js'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const environment = (env: NodeJS.ProcessEnv = {}): ServerEnvironment => newEnvironment({ ASK_WAIT: '30', ...env })

async function clientIn({ cwd, env }: ServerEnvironment, capabilities: object = FORMS): Promise<TestClient> {
  const client = startServer({ cwd, env })
  closing.push(() => client.close())
  await client.initialize('2025-11-25', capabilities)
  return client
}

const isForm = ({ method, id }: Json): boolean => method === 'elicitation/create' && id !== undefined

/** Calls PlanMode until the client is sent a form. */
async function untilForm(
  client: TestClient,
  action: string,
  more: object = {},
): Promise<{ form: Json; result: Promise<ToolResult> }> {
  const before = new Set(client.received.filter(isForm))
  const result = plan(client, action, more)
  // Not every test waits for it.
  result.catch(() => undefined)
  const form = await client.waitFor((message) => isForm(message) && !before.has(message))
  return { form, result }
}

const APPROVE = { action: 'accept', content: { decision: 'Approve' } }
const rejection = (comment: string): object => ({
  action: 'accept',
  content: { decision: 'Reject', decision_comment: comment },
})

/** As late as a user answers. */
async function answer(client: TestClient, form: Json, result: Json): Promise<void> {
  await sleep(result.action === 'accept' ? ANSWER_DELAY_MS.accept : ANSWER_DELAY_MS.refuse)
  client.send({ jsonrpc: '2.0', id: form.id, result })
}

async function endWith(client: TestClient, reply: object, action = 'exit', more: object = { plan: 'Do it.' }) {
  const { form, result } = await untilForm(client, action, more)
  await answer(client, form, reply)
  return { form, result: await result }
}

const isActive = async (client: TestClient): Promise<boolean> => (await plan(client, 'json')).structured.active

/** The messages in front of the next result. */
const pendingMessagesOf = async (client: TestClient): Promise<string> =>
  (await call(client, 'TaskManager', { action: 'list', query: '' })).content
    .slice(0, -1)
    .map(({ text }) => text)
    .join('\n')

describe('in a form of the client', () => {
  test('the plan is shown with what changed, and approved', async () => {
    const client = await clientIn(environment())
    await plan(client, 'enter', { goal: 'Paint the fence', plan: '# Fence\n\n- [ ] buy red paint\n' })
    const text = '# Fence\n\n- [ ] buy blue paint\n- [ ] paint\n'
    const { form, result } = await untilForm(client, 'exit', { plan: text })
    expect(form.params.message).toContain('Approve this plan')
    expect(form.params.message).toContain('Goal: Paint the fence')
    expect(form.params.message).toContain(text.trimEnd())
    expect(form.params.message).toMatch(
      /Changes since the last draft:\n[^]*- - \[ \] buy red paint\n\+ - \[ \] buy blue/,
    )
    expect(form.params.requestedSchema).toMatchObject({
      properties: { decision: { type: 'string', enum: ['Approve', 'Reject'] }, decision_comment: { type: 'string' } },
      required: ['decision'],
    })
    expect(await isActive(client)).toBe(true)
    expect((await plan(client, 'status')).text).toMatch(
      /\nWaiting for the user to approve exit since \S+Z \(request 1,/,
    )
    await answer(client, form, APPROVE)
    const approved = await result
    expect(approved.text).toMatch(
      /^Plan saved to \S+plan\.md\nExiting plan mode\. Returning to execution\.\nTask 1 [^\n]*\nApproved by the user in a form of the client\.\n$/,
    )
    expect(approved.structured).toMatchObject({ active: false, task_id: 1, approval: 'approved' })
    expect(await isActive(client)).toBe(false)
    expect(await pendingMessagesOf(client)).toBe('')
  })

  test('a rejection goes back to the model with its comment, and the next form shows what changed since', async () => {
    const client = await clientIn(environment())
    await plan(client, 'enter', { goal: 'Paint' })
    const { result } = await endWith(client, rejection('Use blue,\nnot red.'), 'exit', { plan: 'Paint it red.' })
    expect(result.isError).toBe(false)
    expect(result.text).toMatch(
      /^NOT APPROVED: the user rejected the plan in a form of the client\. Plan mode stays on/,
    )
    expect(result.text).toContain("The user's comment: Use blue,\nnot red.")
    expect(result.structured).toMatchObject({ active: true, approval: 'rejected', comment: 'Use blue,\nnot red.' })
    expect(await isActive(client)).toBe(true)
    await plan(client, 'status', { plan: 'A draft that the user has not seen.' })
    const { form, result: second } = await endWith(client, APPROVE, 'exit', { plan: 'Paint it blue.' })
    expect(form.params.message).toContain('- Paint it red.\n+ Paint it blue.')
    expect(second.structured).toMatchObject({ active: false, approval: 'approved' })
  })

  test('a long plan is shown in part, with where the rest is, and without control characters', async () => {
    const client = await clientIn(environment())
    await plan(client, 'enter', { goal: 'two\nlines \u001b[31m' })
    const text = `\u001b]0;not hidden\u0007\u202eShown\n${'x'.repeat(30_000)}`
    const { form, result } = await untilForm(client, 'exit', { plan: text })
    const { message } = form.params
    expect(message).toContain('Goal: two lines [31m\n')
    expect(message).toContain(']0;not hidden')
    // oxlint-disable-next-line no-control-regex -- looks for control characters
    expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
    expect(message).toMatch(
      /\[20000 of \d+ characters are shown\. The console page \(scorpiox-code ui\) shows the whole plan/,
    )
    expect(message.length).toBeLessThan(21_000)
    await answer(client, form, APPROVE)
    expect((await result).structured).toMatchObject({ approval: 'approved' })
  })

  test('to decline is to reject; a form that is closed leaves the request open', async () => {
    const client = await clientIn(environment())
    await plan(client, 'enter')
    const { result: declined } = await endWith(client, { action: 'decline' })
    expect(declined.text).toMatch(/^NOT APPROVED: the user rejected the plan/)
    const { result: closed } = await endWith(client, { action: 'cancel' })
    expect(closed.text).toMatch(/^NOT APPROVED YET: .*The user closed the form without a decision\./)
    expect(closed.structured).toMatchObject({ active: true, approval: 'pending' })
    expect((await plan(client, 'status')).text).toContain('Waiting for the user to approve exit')
  })

  test('reset needs the same approval', async () => {
    const client = await clientIn(environment())
    await plan(client, 'enter', { plan: 'A draft.' })
    const { form, result } = await endWith(client, rejection('Go on.'), 'reset', {})
    expect(form.params.message).toMatch(/^Leave plan mode without a plan/)
    expect(result.text).toMatch(/^NOT APPROVED: the user rejected leaving plan mode without a plan[^]*comment: Go on\./)
    expect(await isActive(client)).toBe(true)
    const { result: second } = await endWith(client, APPROVE, 'reset', {})
    expect(second.text).toBe('Plan mode reset. No plan saved.\nApproved by the user in a form of the client.\n')
    expect(await isActive(client)).toBe(false)
  })

  test('the text that was shown is accepted, whatever is written to plan.md meanwhile', async () => {
    const where = environment()
    const client = await clientIn(where)
    const { session } = (await plan(client, 'enter')).structured
    const folder = join(where.cwd, '.scorpiox', 'sessions', session)
    writeFileSync(join(folder, 'plan.md'), 'Shown.')
    const { form, result } = await untilForm(client, 'exit')
    writeFileSync(join(folder, 'plan.md'), 'Not shown.')
    await answer(client, form, APPROVE)
    expect((await result).structured).toMatchObject({ active: false, approval: 'approved' })
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('Shown.')
    expect(readdirSync(folder).filter((name) => /^plan\.\d/.test(name))).toHaveLength(1)
  })

  test('of two calls with different plans the later one is decided on; the same plan is asked about once', async () => {
    const client = await clientIn(environment())
    await plan(client, 'enter')
    const first = await untilForm(client, 'exit', { plan: 'One.' })
    const second = await untilForm(client, 'exit', { plan: 'Two.' })
    await answer(client, first.form, APPROVE)
    expect((await first.result).text).toMatch(/^NOT APPROVED: a later PlanMode call replaced this request/)
    expect(await isActive(client)).toBe(true)
    await answer(client, second.form, APPROVE)
    expect((await second.result).structured).toMatchObject({ active: false, approval: 'approved' })
    await plan(client, 'enter')
    const same = [
      await untilForm(client, 'exit', { plan: 'Same.' }),
      await untilForm(client, 'exit', { plan: 'Same.' }),
    ]
    await answer(client, same[1]?.form, APPROVE)
    for (const { result } of same) expect((await result).structured).toMatchObject({ approval: 'approved' })
  })

  test('a cancelled call withdraws the request, and plan mode stays on', async () => {
    const client = await clientIn(environment())
    await plan(client, 'enter')
    const params = { name: 'PlanMode', arguments: { action: 'exit', plan: 'x' } }
    client.send({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params })
    const form = await client.waitFor(isForm)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } })
    await expect.poll(async () => (await plan(client, 'status')).text).not.toContain('Waiting for the user')
    await answer(client, form, APPROVE)
    expect(await isActive(client)).toBe(true)
  })

  test('an approval after the time is up counts, and is part of the next result', async () => {
    const client = await clientIn(environment({ ASK_WAIT: '1' }))
    await plan(client, 'enter')
    const { form, result } = await untilForm(client, 'exit', { plan: 'Late.' })
    expect((await result).structured).toMatchObject({ active: true, approval: 'pending' })
    await answer(client, form, APPROVE)
    await expect
      .poll(() => pendingMessagesOf(client), { timeout: 10_000 })
      .toMatch(/Your PlanMode exit of \S+Z \(request 1\): Plan mode is off.*Approved by the user in a form/)
    expect(await isActive(client)).toBe(false)
  })

  test('Codex, which cannot submit a form that ends with an empty text field, gets none', async () => {
    const { cwd, env } = environment()
    const client = startServer({ cwd, env })
    closing.push(() => client.close())
    const clientInfo = { name: 'codex-mcp-client', version: '0' }
    await client.request('initialize', { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo })
    await plan(client, 'enter')
    const { form } = await endWith(client, APPROVE)
    expect(Object.keys(form.params.requestedSchema.properties)).toEqual(['decision'])
    expect(await isActive(client)).toBe(false)
  })

  test('the model cannot pass on an approval as the answer to a question', async () => {
    const client = await clientIn(environment())
    await plan(client, 'enter')
    await untilForm(client, 'exit', { plan: 'x' })
    for (const id of [0, 1, 2]) {
      const answers = JSON.stringify({ id, answers: ['Approve'] })
      expect((await call(client, 'AskUserQuestion', { questions_json: answers })).isError).toBe(true)
    }
    expect(await isActive(client)).toBe(true)
  })
})

describe('no user can be reached', () => {
  const NOT_ASKED =
    /\nThe user was not asked: .*It counts without their approval; PLAN_APPROVAL=person would require it\.\n$/

  test('a client without forms: the result says that the model decided', async () => {
    const client = await clientIn(environment(), {})
    await plan(client, 'enter')
    const { text, structured } = await plan(client, 'exit', { plan: 'x' })
    expect(text).toMatch(NOT_ASKED)
    expect(text).toContain('does not support forms. Neither the console page nor the terminal inbox is open.')
    expect(structured).toMatchObject({ active: false, approval: 'unasked' })
    await plan(client, 'enter')
    expect((await plan(client, 'reset')).text).toMatch(/^Plan mode reset\. No plan saved\.\nThe user was not asked/)
  })

  test.each([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['approves', APPROVE],
  ])('a client that %s at once answers without a user', async (_, reply) => {
    const client = await clientIn(environment())
    await plan(client, 'enter')
    const { form, result } = await untilForm(client, 'exit', { plan: 'x' })
    client.send({ jsonrpc: '2.0', id: form.id, result: reply })
    const { text, structured } = await result
    expect(text).toMatch(NOT_ASKED)
    expect(text).toMatch(/the form without a user, after \d+ ms/)
    expect(structured).toMatchObject({ active: false, approval: 'unasked' })
  })

  test.each([
    ['without forms', {}, undefined],
    ['that declines at once', FORMS, { action: 'decline' }],
    ['that approves at once', FORMS, APPROVE],
  ])('PLAN_APPROVAL=person: with a client %s plan mode stays on', async (_, capabilities, reply) => {
    const client = await clientIn(environment({ PLAN_APPROVAL: 'person' }), capabilities)
    await plan(client, 'enter')
    for (const action of ['exit', 'reset']) {
      const result = plan(client, action, action === 'exit' ? { plan: 'x' } : {})
      if (reply && action === 'exit') {
        const { id } = await client.waitFor(isForm)
        client.send({ jsonrpc: '2.0', id, result: reply })
      }
      const { text, structured } = await result
      expect(text).toMatch(
        /^NOT APPROVED YET: .*Plan mode stays on[^]*\(scorpiox-code ui, or that of the HTTP server\) or in the terminal inbox/,
      )
      expect(structured).toMatchObject({ active: true, approval: 'pending' })
    }
    expect(await isActive(client)).toBe(true)
  })

  test('PLAN_APPROVAL=model: the published text, and no form', async () => {
    const client = await clientIn(environment({ PLAN_APPROVAL: 'model' }))
    await plan(client, 'enter')
    expect((await plan(client, 'exit', { plan: 'x' })).text).toMatch(
      /^Plan saved to \S+\nExiting plan mode\. Returning to execution\.\n$/,
    )
    await plan(client, 'enter')
    expect((await plan(client, 'reset')).text).toBe('Plan mode reset. No plan saved.\n')
    expect(client.received.filter(isForm)).toEqual([])
  })

  test.each(['rejected', 'not answered in time', 'closed without a decision'])(
    'a plan that a user was asked about, %s, is not ended by a model elsewhere',
    async (what) => {
      const where = environment({ ASK_WAIT: what === 'not answered in time' ? '1' : '30' })
      const client = await clientIn(where)
      await plan(client, 'enter')
      if (what === 'not answered in time') await plan(client, 'exit', { plan: 'x' })
      else await endWith(client, what === 'rejected' ? { action: 'decline' } : { action: 'cancel' })
      const other = await clientIn(where, {})
      for (const action of ['exit', 'reset']) {
        const { structured } = await plan(other, action, action === 'exit' ? { plan: 'y' } : {})
        expect(structured).toMatchObject({ active: true, approval: 'pending' })
      }
      expect(await isActive(client)).toBe(true)
    },
  )

  test('a project cannot set PLAN_APPROVAL', async () => {
    const where = environment({ PLAN_APPROVAL: 'person' })
    mkdirSync(join(where.cwd, '.scorpiox'))
    writeFileSync(join(where.cwd, '.scorpiox', 'scorpiox-env.txt'), 'PLAN_APPROVAL=model\n')
    writeFileSync(join(where.cwd, 'scorpiox-env.txt'), 'PLAN_APPROVAL=model\n')
    const client = await clientIn(where, {})
    await plan(client, 'enter')
    expect((await plan(client, 'exit', { plan: 'x' })).structured).toMatchObject({ active: true, approval: 'pending' })
  })
})

describe.each(['stdio', 'HTTP'])('at the modern revision over %s', (transport) => {
  const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

  interface ModernClient {
    call(name: string, args: object, more?: object, capabilities?: object): Promise<Json>
    readonly cwd: string
  }

  async function start(): Promise<ModernClient> {
    const { cwd, env } = environment()
    if (transport === 'HTTP') {
      const server = await startProgram({ env, cwd })
      closing.push(() => server.stop())
      return {
        cwd,
        call: async (name, args, more = {}, capabilities = FORMS) =>
          (await sendRequest(server, modern('tools/call', { name, arguments: args, ...more }, 1, capabilities))).json,
      }
    }
    const client = startServer({ cwd, env })
    closing.push(() => client.close())
    return {
      cwd,
      call: (name, args, more = {}, capabilities = FORMS) =>
        client.request('tools/call', {
          name,
          arguments: args,
          ...modernMeta({ [CAPABILITIES]: capabilities }),
          ...more,
        }),
    }
  }

  const active = async (client: ModernClient): Promise<boolean> =>
    toolResultOf(await client.call('PlanMode', { action: 'json' })).structured.active

  test('the call ends with the form and is repeated with the approval', async () => {
    const client = await start()
    await client.call('PlanMode', { action: 'enter' })
    const exit = { action: 'exit', plan: 'Do it.' }
    const { result } = await client.call('PlanMode', exit)
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { approval_1: {} } })
    expect(await active(client)).toBe(true)
    await sleep(ANSWER_DELAY_MS.accept)
    const inputResponses = { approval_1: APPROVE }
    const approved = await client.call('PlanMode', exit, { requestState: result.requestState, inputResponses })
    expect(toolResultOf(approved).structured).toMatchObject({ active: false, approval: 'approved' })
  })

  test('an approval of an earlier text is not one of the text that plan.md has now', async () => {
    const client = await start()
    const { session } = toolResultOf(await client.call('PlanMode', { action: 'enter' })).structured
    const file = join(client.cwd, '.scorpiox', 'sessions', session, 'plan.md')
    writeFileSync(file, 'Shown.')
    const { requestState } = (await client.call('PlanMode', { action: 'exit' })).result
    writeFileSync(file, 'Not shown.')
    await sleep(ANSWER_DELAY_MS.accept)
    const inputResponses = { approval_1: APPROVE }
    const { result } = await client.call('PlanMode', { action: 'exit' }, { requestState, inputResponses })
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { approval_2: {} } })
    expect(result.inputRequests.approval_2.params.message).toContain('Not shown.')
    expect(await active(client)).toBe(true)
  })

  test('an approval without the state of the call is none', async () => {
    const client = await start()
    await client.call('PlanMode', { action: 'enter' })
    const exit = { action: 'exit', plan: 'Do it.' }
    await client.call('PlanMode', exit)
    const result = toolResultOf(await client.call('PlanMode', exit, { inputResponses: { approval_1: APPROVE } }))
    expect(result.structured).toMatchObject(
      transport === 'HTTP' ? { active: true, approval: 'pending' } : { active: false, approval: 'unasked' },
    )
  })

  test('a client without forms', async () => {
    const client = await start()
    await client.call('PlanMode', { action: 'enter' })
    const result = toolResultOf(await client.call('PlanMode', { action: 'exit', plan: 'x' }, {}, {}))
    expect(result.structured).toMatchObject(
      transport === 'HTTP' ? { active: true, approval: 'pending' } : { active: false, approval: 'unasked' },
    )
  })
})

describe('on the console', () => {
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
    closing.push(() => ui.stop())
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
    expect(watched.view().approvals).toEqual([
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
      json: { error: expect.stringMatching(/^Request 1 was approved before/) },
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
    expect(text).toMatch(
      /made from its 2 checklist items[^]*edited the plan before; follow this text:\n\n- \[ \] blue\n/,
    )
    expect(readFileSync(join(setup.project, structured.plan_file), 'utf8')).toBe('- [ ] blue\n- [ ] green\n')
  })

  test('a rejection keeps plan mode on; the request of another user cannot be decided', async () => {
    const setup = await openConsole()
    const { ui, project, client, machine } = setup
    const { result } = await begin(setup, { action: 'exit', plan: 'red' })
    const server = await startProgram({ env: { HOME: machine.home }, cwd: project })
    closing.push(() => server.stop())
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
    await expect
      .poll(() => pendingMessagesOf(setup.client), { timeout: 10_000 })
      .toMatch(/\(request 1\): Plan mode is off, and commands can write again\. Plan saved to/)
    expect(await isActive(setup.client)).toBe(false)
  })

  test.each(['before', 'after'])('the server is killed %s the approval: the next session gets it', async (when) => {
    const setup = await openConsole()
    await begin(setup, { action: 'exit', plan: '- [ ] x' })
    if (when === 'after') setup.client.child.kill('SIGSTOP')
    else await killServer(setup.client)
    expect(await setup.decide({ outcome: 'approved', comment: 'Good.' })).toMatchObject({ status: 204 })
    if (when === 'after') await killServer(setup.client)
    const next = await setup.newClient()
    await expect
      .poll(() => pendingMessagesOf(next), { timeout: 15_000 })
      .toMatch(/\(request 1\): Plan mode is off.*Task 1 was made.*Approved by the user on the console page.*Good\./)
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
    closing.push(() => server.stop())
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
    await expect
      .poll(async () => (await callTool({ action: 'status' })).content.map(({ text }) => text).join(''), {
        timeout: 10_000,
      })
      .toMatch(/Your PlanMode exit .*Plan mode is off[^]*Plan mode: INACTIVE/)
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
    closing.push(() => ui.stop())
    const watched = await watchConsole(ui)
    const { approvals } = await watched.until(({ approvals: open }) => open.length === 1)
    expect(approvals).toMatchObject([{ id: 1, waiting: false }])
    const { json } = await sendCommand(ui, 'approval', { project, id: 1 })
    const body = { project, id: 1, hash: json.hash, outcome: 'approved' }
    expect((await sendCommand(ui, 'decide', body)).status).toBe(204)
    await expect.poll(() => pendingMessagesOf(client), { timeout: 10_000 }).toContain('Plan mode is off')
  })
})
