// Pending messages if the transport does not report whether the result arrived; stdio and HTTP show this only by
// chance.

import { expect, test } from 'vitest'

import type { MessageQueue } from '../definitions/message-queue.js'
import { defineTool } from '../definitions/tool.js'
import { parseMessage, TrackedAnswer } from '../jsonrpc/message.js'
import { createMcpServer } from '../server/mcp-server.js'
import { createSession } from '../session/session.js'

const tool = defineTool({
  name: 'run',
  title: 'Run',
  description: 'Runs.',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: { type: 'object' },
  run: ({ waits }) => (waits === true ? new Promise<string>(() => {}) : 'done'),
  format: String,
})

function open({ isPrepared = false } = {}) {
  const outcomes: string[] = []
  let text = 'messages'
  let resolve = (): void => {}
  const preparing = new Promise<void>((done) => (resolve = done))
  const announce = (becameDue: string): void => {
    text = becameDue
    resolve()
  }
  const messageQueue: MessageQueue = {
    takeBatch: () => ({ text, confirm: () => outcomes.push('delivered'), release: () => outcomes.push('returned') }),
    ...(isPrepared && { prepare: () => preparing }),
  }
  const server = createMcpServer({ name: 'test', version: '0', tools: [tool], messageQueue })
  const session = createSession(server, { user: 'ann', session: 'one' })
  const call = (args: object) =>
    session.receive(
      parseMessage(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run', arguments: args } }),
      ),
      {
        notify: () => {},
      },
    )
  return { fates: outcomes, session, call, due: announce }
}

test.each([
  [true, 'delivered'],
  [false, 'returned'],
])('an answer that was written (%s) is %s, once', async (written, fate) => {
  const { call, fates: outcomes } = open()
  const answer = await call({})
  if (!(answer instanceof TrackedAnswer)) throw new Error('not registered')
  expect(answer.text).toContain('"content":[{"type":"text","text":"messages\\n\\n"},{"type":"text","text":"done"}]')
  answer.reportWritten(written)
  answer.reportWritten(!written)
  expect(outcomes).toEqual([fate])
})

test('a call that is never answered takes no messages', async () => {
  const { call, fates: outcomes, session } = open()
  const answer = call({ waits: true })
  session.disconnect('gone')
  session.answerUnfinished()
  expect(await answer).toBeUndefined()
  expect(outcomes).toEqual([])
})

test('messages that become due before the result are sent with it', async () => {
  const { call, due: announce } = open({ isPrepared: true })
  announce('due')
  const answer = await call({})
  if (!(answer instanceof TrackedAnswer)) throw new Error('not registered')
  expect(answer.text).toContain('"text":"due\\n\\n"')
  answer.reportWritten(true)
})

test('a call cancelled while messages are prepared takes none', async () => {
  const { call, due: announce, fates: outcomes, session } = open({ isPrepared: true })
  const answer = call({})
  session.disconnect('gone')
  announce('due')
  expect(await answer).toBeUndefined()
  expect(outcomes).toEqual([])
})

test('an unknown tool is a protocol error and carries no messages', async () => {
  const { session, fates: outcomes } = open()
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'none' } })
  expect(await session.receive(parseMessage(text), { notify: () => {} })).not.toBeInstanceOf(TrackedAnswer)
  expect(outcomes).toEqual([])
})
