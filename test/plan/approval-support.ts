// Shared by the tests of the approval of plans: clients that are sent forms, and their answers.

import { setTimeout as sleep } from 'node:timers/promises'

import {
  call,
  type Json,
  newEnvironment,
  type ServerEnvironment,
  startServer,
  type TestClient,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { onClose } from '../support/on-close.js'
import { ANSWER_DELAY_MS, FORMS, untilFormOf } from '../questions/support.js'
import { plan } from './support.js'

export const environment = (env: NodeJS.ProcessEnv = {}): ServerEnvironment =>
  newEnvironment({ ASK_WAIT: '30', ...env })

export async function clientIn({ cwd, env }: ServerEnvironment, capabilities: object = FORMS): Promise<TestClient> {
  const client = startServer({ cwd, env })
  onClose(() => client.close())
  await client.initialize('2025-11-25', capabilities)
  return client
}

/** Calls PlanMode, and waits until the client has received the form. */
export const untilForm = (client: TestClient, action: string, more: object = {}) =>
  untilFormOf(client, () => plan(client, action, more))

export const APPROVE = { action: 'accept', content: { decision: 'Approve' } }
export const rejection = (comment: string): object => ({
  action: 'accept',
  content: { decision: 'Reject', decision_comment: comment },
})

/** As late as a user answers. */
export async function answer(client: TestClient, form: Json, result: Json): Promise<void> {
  await sleep(result.action === 'accept' ? ANSWER_DELAY_MS.accept : ANSWER_DELAY_MS.refuse)
  client.send({ jsonrpc: '2.0', id: form.id, result })
}

export async function endWith(client: TestClient, reply: object, action = 'exit', more: object = { plan: 'Do it.' }) {
  const { form, result } = await untilForm(client, action, more)
  await answer(client, form, reply)
  return { form, result: await result }
}

export const isActive = async (client: TestClient): Promise<boolean> => (await plan(client, 'json')).structured.active

/** The messages in front of the next result. */
export const pendingMessagesOf = async (client: TestClient): Promise<string> =>
  (await call(client, 'TaskManager', { action: 'list', query: '' })).content
    .slice(0, -1)
    .map(({ text }) => text)
    .join('\n')

/** Calls tools until a result comes with a message that matches. */
export const untilMessage = (client: TestClient, pattern: RegExp): Promise<string> =>
  eventually(
    () => pendingMessagesOf(client),
    (text) => pattern.test(text),
  )
