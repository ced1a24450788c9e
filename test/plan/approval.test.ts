// A user approves the end of plan mode with a form of the client. Until then plan mode stays on.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { call, type Json, modernMeta, startServer, toolResultOf } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { modern, sendRequest, startProgram } from '../support/http-client.js'
import { onClose } from '../support/on-close.js'
import { ANSWER_DELAY_MS, FORMS, isForm } from '../questions/support.js'
import {
  answer,
  APPROVE,
  clientIn,
  endWith,
  environment,
  isActive,
  pendingMessagesOf,
  rejection,
  untilForm,
  untilMessage,
} from './approval-support.js'
import { plan } from './support.js'

describe.concurrent('in a form of the client', () => {
  test('the plan is shown with what changed, and approved', async () => {
    const client = await clientIn(environment())
    await plan(client, 'enter', { goal: 'Paint the fence', plan: '# Fence\n\n- [ ] buy red paint\n' })
    const text = '# Fence\n\n- [ ] buy blue paint\n- [ ] paint\n'
    const { form, result } = await untilForm(client, 'exit', { plan: text })
    expect(form.params.message).toContain('Approve this plan')
    expect(form.params.message).toContain('Goal: Paint the fence')
    expect(form.params.message).toContain(text.trimEnd())
    expect(form.params.message).toMatch(/Changes:\n[^]*- - \[ \] buy red paint\n\+ - \[ \] buy blue/)
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
      /^Plan saved to \S+plan\.md\nExiting plan mode\. Returning to execution\.\nTask 1 [^\n]*\nApproved by the user in the client's form\.\n$/,
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
    expect(result.text).toMatch(/^NOT APPROVED: the user rejected the plan in the client's form\. Plan mode stays on/)
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
      /\[20000 of \d+ characters shown\. The console page \(scorpiox-code ui\) shows the whole plan/,
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
    expect(second.text).toBe("Plan mode reset. No plan saved.\nApproved by the user in the client's form.\n")
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
    expect(readdirSync(folder).filter((name) => /^plan\.\d/.test(name))).toEqual([expect.anything()])
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
    await eventually(
      async () => (await plan(client, 'status')).text,
      (text) => !text.includes('Waiting for the user'),
    )
    await answer(client, form, APPROVE)
    expect(await isActive(client)).toBe(true)
  })

  test('an approval after the time is up counts, and is part of the next result', async () => {
    const client = await clientIn(environment({ ASK_WAIT: '1' }))
    await plan(client, 'enter')
    const { form, result } = await untilForm(client, 'exit', { plan: 'Late.' })
    expect((await result).structured).toMatchObject({ active: true, approval: 'pending' })
    await answer(client, form, APPROVE)
    await untilMessage(
      client,
      /Your PlanMode exit of \S+Z \(request 1\): Plan mode is off.*Approved by the user in the client/,
    )
    expect(await isActive(client)).toBe(false)
  })

  test('Codex, which cannot submit a form that ends with an empty text field, gets none', async () => {
    const { cwd, env } = environment()
    const client = startServer({ cwd, env })
    onClose(() => client.close())
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

describe.concurrent.each(['stdio', 'HTTP'])('at the modern revision over %s', (transport) => {
  const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

  interface ModernClient {
    call(name: string, args: object, more?: object, capabilities?: object): Promise<Json>
    readonly cwd: string
  }

  async function start(): Promise<ModernClient> {
    const { cwd, env } = environment()
    if (transport === 'HTTP') {
      const server = await startProgram({ env, cwd })
      onClose(() => server.stop())
      return {
        cwd,
        call: async (name, args, more = {}, capabilities = FORMS) =>
          (await sendRequest(server, modern('tools/call', { name, arguments: args, ...more }, 1, capabilities))).json,
      }
    }
    const client = startServer({ cwd, env })
    onClose(() => client.close())
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
