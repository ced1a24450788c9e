// The end of plan mode where no user can be reached, by the setting PLAN_APPROVAL.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { ANSWERS_AT_ONCE, FORMS, isForm } from '../questions/support.js'
import { APPROVE, clientIn, endWith, environment, isActive, untilForm } from './approval-support.js'
import { plan } from './support.js'

describe.concurrent('no user can be reached', () => {
  const NOT_ASKED =
    /\nThe user was not asked: .*Plan mode ended without their approval; PLAN_APPROVAL=person requires it\.\n$/

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

  // An automatic answer is one that comes at once: not while other tests start servers.
  test.sequential.each([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['approves', APPROVE],
  ])('a client that %s at once answers without a user', ANSWERS_AT_ONCE, async (_, reply) => {
    const client = await clientIn(environment())
    await plan(client, 'enter')
    const { form, result } = await untilForm(client, 'exit', { plan: 'x' })
    client.send({ jsonrpc: '2.0', id: form.id, result: reply })
    const { text, structured } = await result
    expect(text).toMatch(NOT_ASKED)
    expect(text).toMatch(/the form without a user, after \d+ ms/)
    expect(structured).toMatchObject({ active: false, approval: 'unasked' })
  })

  test.sequential.each([
    ['without forms', {}, undefined],
    ['that declines at once', FORMS, { action: 'decline' }],
    ['that approves at once', FORMS, APPROVE],
  ])('PLAN_APPROVAL=person: with a client %s plan mode stays on', ANSWERS_AT_ONCE, async (_, capabilities, reply) => {
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
        /^NOT APPROVED YET: .*Plan mode stays on[^]*\(scorpiox-code ui, or the page of the HTTP server\) or in the terminal inbox/,
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
