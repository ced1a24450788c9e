// Shared by the question tests: clients that are asked, an environment with a database, and another process that reads
// it.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { getOsUser } from '@scorpiox/mcp/os'
import { findProjectRoot } from '@scorpiox/server/config/paths'
import type { QuestionRow } from '@scorpiox/server/features/questions/question-table'
import type { PendingMessage } from '@scorpiox/server/sessions/message-table'
import { openStateDatabase, type Scope, type StateDatabase, type StateTables } from '@scorpiox/server/state'
import {
  type Json,
  newEnvironment,
  type ServerEnvironment,
  startServer,
  type TestClient,
  type ToolResult,
  toolResultOf,
} from '../support/client.js'

export const FORMS = { elicitation: { form: {}, url: {} } }

export const COLOUR = { text: 'Which colour?', options: ['Red', { label: 'Blue', description: 'like the sky' }] }
export const SIZES = { question: 'Which sizes?', header: 'Size', options: ['S', 'M', 'L'], multiSelect: true }

/** Questions wait for at most a second by default. */
export function questionEnvironment(env: NodeJS.ProcessEnv = {}): ServerEnvironment {
  return newEnvironment({ ASK_WAIT: '1', ...env })
}

export async function legacyIn(
  { cwd, env }: ServerEnvironment,
  revision = '2025-11-25',
  capabilities: object = FORMS,
): Promise<TestClient> {
  const client = startServer({ cwd, env })
  await client.initialize(revision, capabilities)
  return client
}

export function callOf(questions: unknown): object {
  return {
    name: 'AskUserQuestion',
    arguments: { questions_json: typeof questions === 'string' ? questions : JSON.stringify(questions) },
  }
}

export async function ask(client: TestClient, questions: unknown, meta?: object): Promise<ToolResult> {
  return toolResultOf(await client.request('tools/call', { ...callOf(questions), ...(meta && { _meta: meta }) }))
}

export const isForm = ({ method, id }: Json): boolean => method === 'elicitation/create' && id !== undefined

interface ShownForm {
  readonly form: Json
  readonly result: Promise<ToolResult>
}

/** Makes a call, and waits until the client has received its form. */
export async function untilFormOf(client: TestClient, makeCall: () => Promise<ToolResult>): Promise<ShownForm> {
  const before = new Set(client.received.filter(isForm))
  const result = makeCall()
  // Not every test waits for it.
  result.catch(() => undefined)
  const form = await client.waitFor((message) => isForm(message) && !before.has(message))
  return { form, result }
}

export const untilForm = (client: TestClient, questions: unknown): Promise<ShownForm> =>
  untilFormOf(client, () => ask(client, questions))

export async function answerForm(
  client: TestClient,
  questions: unknown,
  answer: object,
): Promise<{ form: Json; result: ToolResult }> {
  const { form, result } = await untilForm(client, questions)
  await sleep(answerDelayMs(answer))
  client.send({ jsonrpc: '2.0', id: form.id, ...answer })
  return { form, result: await result }
}

/** For tests of automatic answers: on a busy machine one may arrive so late that it counts as an answer of a user. */
export const ANSWERS_AT_ONCE = { retry: 5 }

/** Milliseconds that count as an answer of a user; an automatic answer is faster. */
export const ANSWER_DELAY_MS = { accept: 300, refuse: 1100 }

/** The delay of a user for an answer; an invalid one is sent at once. */
function answerDelayMs({ result }: Json): number {
  if (result?.action === 'accept') return ANSWER_DELAY_MS.accept
  return result?.action === 'decline' || result?.action === 'cancel' ? ANSWER_DELAY_MS.refuse : 0
}

/** The text of all blocks. */
export function allText({ content }: ToolResult): string {
  return content.map(({ text }) => text).join('\n')
}

export interface StoreReader {
  write<T>(work: (rows: StateTables) => Promise<T>): Promise<T>
  question(id: number): Promise<QuestionRow | undefined>
  open(): Promise<readonly QuestionRow[]>
  messages(): Promise<readonly PendingMessage[]>
  close(): Promise<void>
}

/** Another process on the same database, as the console is one. */
export async function openStoreReader({ cwd, env }: ServerEnvironment): Promise<StoreReader> {
  const state: StateDatabase = await openStateDatabase({
    file: join(String(env.STATE_DIR), 'state.db'),
    databaseUrl: '',
  })
  const scope: Scope = { project: findProjectRoot(cwd), user: getOsUser() }
  return {
    write: (work) => state.write(scope, work),
    question: (id) => state.read(scope, (rows) => rows.questions.find(id)),
    open: () => state.read(scope, (rows) => rows.questions.listOpen()),
    messages: () => state.read(scope, (rows) => rows.messages.listPending()),
    close: () => state.close(),
  }
}
