// The second delivery channel: servers that ask, `scorpiox-code ui` as the console that answers, and answers to a
// server that was killed.

import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import {
  call,
  type Json,
  killServer,
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
import { eventually } from '../support/eventually.js'
import type { HttpServer } from '../support/http-client.js'
import { onClose } from '../support/on-close.js'
import { ANSWER_DELAY_MS, ask, callOf, COLOUR } from './support.js'

interface ConsoleSetup {
  readonly machine: Machine
  readonly project: string
  readonly ui: HttpServer
  watch(): Promise<ConsoleStream>
  /** A client without forms. */
  client(): Promise<TestClient>
  answer(id: number, label: string): Promise<number>
}

async function openConsole(env: NodeJS.ProcessEnv = { ASK_WAIT: '30' }): Promise<ConsoleSetup> {
  const machine = newMachine()
  const project = newProject(machine, 'one')
  const ui = await startUi(machine)
  onClose(() => ui.stop())
  return {
    machine,
    project,
    ui,
    watch: () => watchConsole(ui),
    async client() {
      const client = startServer({ cwd: project, env: { HOME: machine.home, ...env } })
      onClose(() => client.close())
      await client.initialize('2025-11-25')
      return client
    },
    async answer(id, label) {
      const replies = [{ outcome: 'answered', selected: [label] }]
      return (await sendCommand(ui, 'answer', { project, id, replies })).status
    },
  }
}

/** Starts a question; the console shows it. */
async function begin(
  client: TestClient,
  consoleStream: ConsoleStream,
): Promise<{ id: number; result: Promise<ToolResult> }> {
  const before = new Set(consoleStream.view().questions.map(({ id }) => id))
  const result = ask(client, [COLOUR], { progressToken: 1 })
  const { questions } = await consoleStream.until((view) => view.questions.some(({ id }) => !before.has(id)))
  return { id: questions.find((question) => !before.has(question.id))?.id ?? 0, result }
}

const jsonOf = ({ content }: ToolResult): Json =>
  JSON.parse(content.find(({ text }) => text.startsWith('{"answers"')).text)

/** Any call, and the messages in front of its result. */
const pendingMessagesOf = async (client: TestClient): Promise<string> =>
  (await call(client, 'TaskManager', { action: 'list', query: '' })).content
    .slice(0, -1)
    .map(({ text }) => text)
    .join('\n')

const untilMessage = (client: TestClient, pattern: RegExp): Promise<string> =>
  eventually(
    () => pendingMessagesOf(client),
    (text) => pattern.test(text),
  )

/** The server knows that the console is open. */
async function untilSeen(client: TestClient, consoleStream: ConsoleStream): Promise<void> {
  await client.request('ping')
  await consoleStream.until(({ servers }) => servers.some(({ pid }) => pid === client.child.pid))
}

describe.concurrent('the console is open', () => {
  test('and the call returns the chosen answer', async () => {
    const setup = await openConsole()
    const client = await setup.client()
    const consoleStream = await setup.watch()
    await untilSeen(client, consoleStream)
    const { id, result } = await begin(client, consoleStream)
    expect(consoleStream.view().questions).toMatchObject([
      { id, waiting: true, questions: [{ text: 'Which colour?' }] },
    ])
    expect(await setup.answer(id, 'Blue')).toBe(204)
    const answered = await result
    expect(jsonOf(answered)).toEqual({
      answers: [{ question: 'Which colour?', selected: 'Blue' }],
    })
    expect(answered.content[1].text).toBe(`Answered on the console page (question ${id}).\n`)
    expect(answered.structured).toMatchObject({ rung: 'board', surface: 'page' })
    expect(await setup.answer(id, 'Red')).toBe(409)
    await consoleStream.until(({ questions, messages }) => questions.length === 0 && messages.length === 0)
    expect(await pendingMessagesOf(client)).toBe('')
  })

  test('and is closed: the call ends with the text, and a later answer is part of the next result', async () => {
    const setup = await openConsole()
    const client = await setup.client()
    const consoleStream = await setup.watch()
    await untilSeen(client, consoleStream)
    const { id, result } = await begin(client, consoleStream)
    consoleStream.leave()
    expect((await result).structured).toMatchObject({ rung: 'text', id })
    expect(await setup.answer(id, 'Red')).toBe(204)
    await untilMessage(client, new RegExp(`Question ${id} of AskUserQuestion`))
    expect(await pendingMessagesOf(client)).toBe('')
  })

  test('and the client cancels: the question is withdrawn', async () => {
    const setup = await openConsole()
    const client = await setup.client()
    const consoleStream = await setup.watch()
    await untilSeen(client, consoleStream)
    client.send({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: callOf([COLOUR]) })
    await consoleStream.until(({ questions }) => questions.length === 1)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } })
    await consoleStream.until(({ questions }) => questions.length === 0)
    expect(await setup.answer(1, 'Red')).toBe(409)
  })
})

describe.concurrent('the server that asked is killed', () => {
  test.each(['before it is answered', 'after'])('%s: the next session gets the answer', async (when) => {
    const setup = await openConsole()
    const client = await setup.client()
    const consoleStream = await setup.watch()
    await untilSeen(client, consoleStream)
    const { id, result } = await begin(client, consoleStream)
    result.catch(() => {})
    if (when === 'after') client.child.kill('SIGSTOP')
    else await killServer(client)
    expect(await setup.answer(id, 'Blue')).toBe(204)
    if (when === 'after') await killServer(client)
    const next = await setup.client()
    await untilMessage(next, /Question 1 .*"selected":"Blue"/)
    expect(await pendingMessagesOf(next)).toBe('')
    expect(jsonOf(await ask(next, { id })).answers[0].selected).toBe('Blue')
  })

  test('and another session already exists: it gets the answer', async () => {
    const setup = await openConsole({ ASK_WAIT: '1' })
    const client = await setup.client()
    const { structured } = await ask(client, [COLOUR])
    await killServer(client)
    const next = await setup.client()
    await pendingMessagesOf(next)
    expect(await setup.answer(structured.id, 'Red')).toBe(204)
    await untilMessage(next, /"selected":"Red"/)
  })
})

test.concurrent("a late reply to a client's form is part of the next result", async () => {
  const setup = await openConsole({ ASK_WAIT: '1' })
  const client = startServer({ cwd: setup.project, env: { HOME: setup.machine.home, ASK_WAIT: '1' } })
  onClose(() => client.close())
  await client.initialize('2025-11-25', { elicitation: { form: {} } })
  const due = client.request('tools/call', callOf([COLOUR]))
  const form = await client.waitFor(({ method }) => method === 'elicitation/create')
  expect(toolResultOf(await due).structured).toMatchObject({ rung: 'text', id: 1 })
  await sleep(ANSWER_DELAY_MS.accept)
  client.send({ jsonrpc: '2.0', id: form.id, result: { action: 'accept', content: { question_1: 'Red' } } })
  await untilMessage(client, /Question 1 .* in the client: .*"selected":"Red"/)
})
