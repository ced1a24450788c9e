// A hundred questions of two servers of one project, answered on the page, in the inbox and by later calls at once,
// while one of the servers is killed. Each is answered once, and every answer is delivered.

import { expect, onTestFinished, test, vi } from 'vitest'

import type { UserConsole } from '@scorpiox/console/user-console'
import { openUserConsoles } from '@scorpiox/console/user-consoles'
import type { QuestionView } from '@scorpiox/console/view'
import { getOsUser } from '@scorpiox/mcp/os'
import { loadConfig } from '@scorpiox/server/config/load-config'
import { findProjectRoot } from '@scorpiox/server/config/paths'
import { createLazyDatabase } from '@scorpiox/server/lazy-state'
import { type Json, resultData, type TestClient } from '../support/client.js'
import { type HttpServer, sendRequest as post, startProgram, stream, TOKEN } from '../support/http-client.js'
import { callOf, legacyIn, questionEnvironment } from './support.js'

const HALF = 50
/** The channel that answers first; the other tries too. */
const ORDERS = ['call', 'page', 'inbox', 'both'] as const

type Order = (typeof ORDERS)[number] | undefined

const CHOICES = ['by page', 'by inbox', 'by call']

const formOf = (name: string): object => ({ questions: [{ text: name, options: CHOICES }] })
const nameOf = ({ questions }: QuestionView): string => questions[0]?.text ?? ''

test('each is answered once, none is lost', async () => {
  const environment = questionEnvironment({ ASK_WAIT: '40' })
  const page = await startProgram({ env: environment.env, cwd: environment.cwd })
  onTestFinished(() => void page.child.kill())
  const events = await stream(page, { method: 'GET', path: '/board' })
  const config = loadConfig({
    programDir: environment.cwd,
    cwdFlag: environment.cwd,
    overrides: [`STATE_DIR=${environment.env.STATE_DIR}`],
  })
  const state = createLazyDatabase(config)
  const scope = { project: findProjectRoot(environment.cwd), user: getOsUser() }
  const wasAsked = async (id: number): Promise<boolean> =>
    (await state.open()).read(scope, async ({ questions }) => (await questions.find(id)) !== undefined)
  const consoles = openUserConsoles({ config, state, localFeed: undefined })
  const inbox = consoles.forUser(getOsUser(), true)
  const open = new Map<string, QuestionView>()
  const stopWatching = inbox.watch(({ questions = [] }) => questions.forEach((each) => open.set(nameOf(each), each)))

  const [one, two] = [await legacyIn(environment, '2025-06-18', {}), await legacyIn(environment, '2025-06-18', {})]
  onTestFinished(() => [one, two].forEach(({ child }) => child.kill()))
  // Both must know that the console is open before they ask.
  await vi.waitFor(() => expect(shownServers(events.events)).toBe(3), { timeout: 10_000 })
  const asked = [askAll(one, 'one'), askAll(two, 'two')]

  const winners = new Map<string, string[]>()
  const win = (name: string, choice: string): void => void winners.set(name, [...(winners.get(name) ?? []), choice])
  const channels = { page, inbox, open, win, won: winners }
  // The console shows some of them at a time; a quarter is left to the calls.
  await answerShown(channels, HALF / 2)
  await vi.waitFor(async () => expect(await wasAsked(2 * HALF)).toBe(true), { timeout: 10_000 })
  two.child.kill('SIGKILL')
  await answerShown(channels, 2 * HALF)
  const names = [...open.keys()]
  expect(names).toHaveLength(2 * HALF)

  // The next session answers the rest, and gets the answers for the killed one.
  const three = await legacyIn(environment, '2025-06-18', {})
  onTestFinished(() => void three.child.kill())
  const left = names.filter((name) => !winners.has(name))
  for (const name of left) await byCall(three, open.get(name), win)
  const delivered = [...(await Promise.all(asked)).flat(), ...textsOf(three)]
  await vi.waitFor(
    async () => {
      await three.request('tools/call', { name: 'TaskManager', arguments: { action: 'list', query: '' } })
      expect(missing(names, winners, [...delivered, ...textsOf(three)])).toEqual([])
    },
    { timeout: 15_000, interval: 500 },
  )
  expect([...winners.values()].filter((choices) => choices.length !== 1)).toEqual([])
  expect([...new Set([...winners.values()].flat())]).toHaveLength(3)

  stopWatching()
  events.disconnect()
  await Promise.all([consoles.close(), one.close(), three.close(), page.stop()])
})

function shownServers(events: readonly { readonly json: Json }[]): number {
  return events.map(({ json }) => json?.servers?.length).findLast((count) => count !== undefined) ?? 0
}

/** The text of every answer before the end. */
async function askAll(client: TestClient, label: string): Promise<string[]> {
  const calls = [...Array(HALF).keys()].map((at) =>
    client
      .request('tools/call', { ...callOf(formOf(`${label} ${at}`)), _meta: { progressToken: `${label}${at}` } })
      .then(JSON.stringify, () => ''),
  )
  return Promise.all(calls)
}

interface Channels {
  readonly page: HttpServer
  readonly inbox: UserConsole
  readonly open: ReadonlyMap<string, QuestionView>
  readonly win: (name: string, choice: string) => void
  readonly won: ReadonlyMap<string, string[]>
}

/** Until this many have been shown. */
async function answerShown(channels: Channels, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const name = await vi.waitFor(() => [...channels.open.keys()].at(at) ?? Promise.reject(new Error(`not ${at}`)), {
      timeout: 10_000,
    })
    const first = ORDERS[at % ORDERS.length]
    if (first !== 'call' && !channels.won.has(name)) await race(name, first, channels)
  }
}

/** The page and the inbox answer differently, at once or one after the other. */
async function race(name: string, first: Order, { page, inbox, open, win }: Channels): Promise<void> {
  const question = open.get(name)
  if (!question) throw new Error(`${name} is not shown`)
  const { project, id } = question
  const replyOf = (choice: string) => ({ outcome: 'answered', selected: [choice] }) as const
  const body = JSON.stringify({ project, id, replies: [replyOf('by page')] })
  const byPage = async (): Promise<void> => {
    const { status } = await post(page, { path: '/board/answer', body, token: TOKEN })
    if (status === 204) win(name, 'by page')
  }
  const byInbox = (): Promise<void> =>
    inbox.answer({ project, id }, [replyOf('by inbox')], 'inbox').then(
      () => win(name, 'by inbox'),
      (error: unknown) => expect(String(error)).toContain('already answered'),
    )
  const [one, two] = first === 'inbox' ? [byInbox, byPage] : [byPage, byInbox]
  const begun = one()
  if (first !== 'both') await begun
  await Promise.all([begun, two()])
}

async function byCall(client: TestClient, question: QuestionView | undefined, win: Channels['win']): Promise<void> {
  const { id = 0 } = question ?? {}
  const { result } = await client.request('tools/call', callOf({ id, answers: ['by call'] }))
  expect(resultData(result).answers[0]).toMatchObject({ outcome: 'answered', selected: ['by call'] })
  win(question ? nameOf(question) : '', 'by call')
}

const textsOf = ({ received }: TestClient): readonly string[] => received.map((message) => JSON.stringify(message))

/** Questions whose one answer was not delivered to a model. */
function missing(
  names: readonly string[],
  winners: ReadonlyMap<string, string[]>,
  delivered: readonly string[],
): string[] {
  const reads = (text: string, name: string, choice: string): boolean =>
    text.includes(`${name}\\`) && text.includes(choice)
  return names.filter((name) => !delivered.some((text) => reads(text, name, winners.get(name)?.[0] ?? 'none')))
}
