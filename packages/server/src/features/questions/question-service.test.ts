// Questions answered on the console, with a real database: the console is a second connection to the same file.
// Whatever happens to the call, an accepted answer is returned by the call or queued as a message, and not both.

import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { emptyFolder } from '../../../../../test/support/client.js'
import type { FormQuestion, QuestionReply } from '../../calls/question-form.js'
import type { Settings } from '../../config/options.js'
import { createLazyDatabase, type LazyStateDatabase } from '../../lazy-state.js'
import type { PendingMessage } from '../../sessions/message-table.js'
import { openStateDatabase, type StateDatabase } from '../../state.js'
import { answerQuestion } from './answer-question.js'
import type { AskFormOptions, AskingCall, FormReply } from './client-form.js'
import { type AskResult, createQuestionService, NO_CONSOLE_OPEN, type QuestionService } from './question-service.js'
import type { UserPresence } from './question-store.js'
import type { QuestionRow } from './question-table.js'

const SCOPE = { project: '/srv/project', user: 'ann' }
const FORM: readonly FormQuestion[] = [
  {
    text: 'Which colour?',
    header: null,
    multiple: false,
    choices: ['Red', 'Blue'].map((label) => ({ label, description: null })),
  },
]
const reply = (label: string): readonly QuestionReply[] => [{ outcome: 'answered', selected: [label] }]

const settingsAt = (path: string): Settings => ({ STATE_DIR: dirname(path), DATABASE_URL: '' }) as Settings
const claimedSessions: string[] = []
const openSession = async ({ session }: Caller): Promise<void> => void claimedSessions.push(session)

let file: string
let states: StateDatabase[]
let consoleDatabase: StateDatabase
let presentUsers: Set<string>
let notifyPresence: () => void

async function open(): Promise<StateDatabase> {
  const state = await openStateDatabase({ file, databaseUrl: '' })
  states.push(state)
  return state
}

/** The question service of one server. */
async function serverAt(waitSeconds = 30, isBroken = (): boolean => false): Promise<QuestionService> {
  const opened = await createLazyDatabase({ settings: settingsAt(file) }).open()
  states.push(opened)
  const writing: StateDatabase = {
    ...opened,
    write: (scope, work) => (isBroken() ? Promise.reject(new Failure('The disk is full.')) : opened.write(scope, work)),
  }
  const state: LazyStateDatabase = { open: async () => writing, onOpen: (use) => use(writing), close: async () => {} }
  const listeners = new Set<() => void>()
  const before = notifyPresence
  notifyPresence = () => [before, ...listeners].forEach((listener) => listener())
  const presence: UserPresence = {
    isPresent: (user) => presentUsers.has(user),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    connectsUntil: 0,
  }
  return createQuestionService({
    state,
    project: SCOPE.project,
    presence,
    claimLease: openSession,
    waitSeconds,
    retryMs: 50,
  })
}

interface TestCall extends AskingCall {
  readonly controller: AbortController
  /** Reports whether the response was written. */
  settle(written: boolean): void
  readonly life: number[]
}

function createCall(more: Partial<AskingCall> = {}): TestCall {
  const controller = new AbortController()
  const listeners: ((written: boolean) => void)[] = []
  const progress: number[] = []
  return {
    user: SCOPE.user,
    session: 'one',
    signal: controller.signal,
    controller,
    life: progress,
    client: '',
    supportsForms: false,
    supportsViews: false,
    wantsProgress: true,
    reportWaiting: (seconds) => progress.push(seconds),
    askForm: () => Promise.reject(new Failure('The client refused: Method not found')),
    onResponseWritten: (listener) => listeners.push(listener),
    settle: (written) => listeners.splice(0).forEach((listener) => listener(written)),
    ...more,
  }
}

const openQuestions = (): Promise<readonly QuestionRow[]> =>
  consoleDatabase.read(SCOPE, (rows) => rows.questions.listOpen())
const find = (id: number): Promise<QuestionRow | undefined> =>
  consoleDatabase.read(SCOPE, (rows) => rows.questions.find(id))
const messages = (): Promise<readonly PendingMessage[]> =>
  consoleDatabase.read(SCOPE, (rows) => rows.messages.listPending())
const answer = (id: number, label = 'Red'): Promise<QuestionRow> =>
  consoleDatabase.write(SCOPE, (rows) => answerQuestion(rows, id, reply(label), 'page', Date.now()))

async function untilOpen(count = 1): Promise<readonly QuestionRow[]> {
  return vi.waitFor(async () => {
    const rows = await openQuestions()
    expect(rows).toHaveLength(count)
    return rows
  }, 5000)
}

beforeEach(async () => {
  file = join(emptyFolder(), 'state.db')
  states = []
  presentUsers = new Set([SCOPE.user])
  claimedSessions.splice(0)
  notifyPresence = () => {}
  consoleDatabase = await open()
})
afterEach(async () => void (await Promise.all(states.map((state) => state.close()))))

describe('a form reply', () => {
  const replying = (more: Partial<FormReply>): AskingCall['askForm'] => {
    const content = { question_1: 'Red' }
    return () => Promise.resolve({ action: 'accept', content, ...more } as FormReply)
  }

  test('a form for Codex has no text field, because Codex cannot submit an empty one', async () => {
    const askForm = vi.fn(replying({}))
    const questions = await serverAt()
    for (const client of ['codex-mcp-client', 'claude-code'])
      await questions.ask(FORM, createCall({ supportsForms: true, askForm, client, session: client }))
    const fields = askForm.mock.calls.map(([form]) => Object.keys(Object(form.schema['properties'])))
    expect(fields).toEqual([['question_1'], ['question_1', 'question_other']])
  })

  test.each([
    ['accept', 249, 'filled in'],
    ['decline', 999, 'declined'],
    ['cancel', 999, 'cancelled'],
  ] as const)(
    '%s after %i ms counts as automatic, and the session gets no further form',
    async (action, afterMs, did) => {
      presentUsers.clear()
      const questions = await serverAt()
      const askForm = vi.fn(replying({ action, afterMs }))
      const first = await questions.ask(FORM, createCall({ supportsForms: true, askForm }))
      expect(first).toMatchObject({
        channel: 'text',
        reasons: [`The client ${did} the form without a user, after ${afterMs} ms.`, expect.any(String)],
      })
      const second = await questions.ask(FORM, createCall({ supportsForms: true, askForm }))
      expect(second).toMatchObject({
        channel: 'text',
        reasons: ['This client answers forms without a user.', expect.any(String)],
      })
      expect(askForm).toHaveBeenCalledTimes(1)
      const other = createCall({ supportsForms: true, askForm: replying({}), session: 'another' })
      expect(await questions.ask(FORM, other)).toMatchObject({ channel: 'client' })
    },
  )

  test.each([
    ['accept', 250, 'answered'],
    ['decline', 1000, 'declined'],
    ['cancel', 1000, 'cancelled'],
    ['decline', undefined, 'declined'],
  ] as const)('%s after %s ms counts as a reply of the user', async (action, afterMs, outcome) => {
    const questions = await serverAt()
    const asked = await questions.ask(FORM, createCall({ supportsForms: true, askForm: replying({ action, afterMs }) }))
    expect(asked).toMatchObject({ channel: 'client', replies: [{ outcome }] })
  })

  test('a session shared by all clients of a user gets a form again', async () => {
    presentUsers.clear()
    const questions = await serverAt()
    const askForm = vi.fn(replying({ action: 'decline', afterMs: 5 }))
    const shared = { supportsForms: true, askForm, session: `user:${SCOPE.user}` }
    for (let asked = 0; asked < 2; asked++) await questions.ask(FORM, createCall(shared))
    expect(askForm).toHaveBeenCalledTimes(2)
  })
})

describe('with an open console', () => {
  test('an answer is returned by the call and recorded as delivered once it is written', async () => {
    const questions = await serverAt()
    const caller = createCall()
    const asked = questions.ask(FORM, caller)
    const [row] = await untilOpen()
    expect(row).toMatchObject({ id: 1, session: 'one', waiting: true, questions: FORM })
    expect(claimedSessions).toEqual(['one'])
    await answer(1)
    expect(await asked).toEqual({ channel: 'board', surface: 'page', replies: reply('Red'), id: 1 })
    expect(await find(1)).toMatchObject({ deliveredAt: null })
    caller.settle(true)
    await questions.close()
    expect(await find(1)).toMatchObject({ deliveredAt: expect.any(Number) })
    expect(await messages()).toEqual([])
    expect(caller.life.length).toBeLessThan(2)
  })

  test('an answer becomes a message if the client is gone', async () => {
    const questions = await serverAt()
    const caller = createCall()
    const asked = questions.ask(FORM, caller)
    await untilOpen()
    await answer(1)
    await asked
    caller.settle(false)
    await questions.close()
    expect(await messages()).toMatchObject([
      { session: 'one', kind: 'answer', text: expect.stringContaining('"selected":"Red"') },
    ])
    expect(await find(1)).toMatchObject({ deliveredAt: expect.any(Number) })
  })

  test('declining counts as an answer', async () => {
    const questions = await serverAt()
    const asked = questions.ask(FORM, createCall())
    await untilOpen()
    const declined = [{ outcome: 'declined', selected: [] }] as const
    await consoleDatabase.write(SCOPE, (rows) => answerQuestion(rows, 1, declined, 'inbox', Date.now()))
    expect(await asked).toMatchObject({ channel: 'board', surface: 'inbox', replies: declined })
  })

  test('after a timeout the question stays open, and a later answer is delivered', async () => {
    const questions = await serverAt(0.05)
    expect(await questions.ask(FORM, createCall())).toMatchObject({
      channel: 'text',
      id: 1,
      reasons: [expect.any(String), expect.stringContaining('no answer came in time')],
    })
    expect(await find(1)).toMatchObject({ waiting: false, replies: null })
    await answer(1)
    expect(await messages()).toHaveLength(1)
  })

  test('cancelling the call withdraws the question, and answering it then fails', async () => {
    const questions = await serverAt()
    const caller = createCall()
    const asked = questions.ask(FORM, caller)
    await untilOpen()
    caller.controller.abort(new Error('cancelled by the client'))
    await expect(asked).rejects.toThrow('cancelled by the client')
    await questions.close()
    expect(await openQuestions()).toEqual([])
    await expect(answer(1)).rejects.toThrow(/There is no question 1: it was withdrawn/)
  })

  test('the console is asked after a client failed to show its form', async () => {
    const questions = await serverAt()
    const asked = questions.ask(FORM, createCall({ supportsForms: true }))
    await untilOpen()
    await answer(1, 'Blue')
    expect(await asked).toMatchObject({ channel: 'board', replies: reply('Blue') })
  })

  test('a silent client has half of the time; its late reply is accepted while the console is asked', async () => {
    const questions = await serverAt(20)
    let options: AskFormOptions | undefined
    const askForm: AskingCall['askForm'] = (_, given) => {
      options = given
      return Promise.reject(new Failure('The client did not answer within 10 s.'))
    }
    const asked = questions.ask(FORM, createCall({ supportsForms: true, askForm }))
    expect(options?.timeoutMs).toBe(10_000)
    await untilOpen()
    options?.onLateReply({ action: 'cancel' })
    options?.onLateReply({ action: 'accept', content: { question_1: 'Blue' } })
    expect(await asked).toMatchObject({ channel: 'board', surface: 'client', replies: reply('Blue') })
    await questions.close()
  })

  test('without progress a call does not wait longer than clients do', async () => {
    presentUsers.clear()
    const questions = await serverAt(600)
    const given: number[] = []
    const askForm: AskingCall['askForm'] = (_, { timeoutMs }) => {
      given.push(timeoutMs)
      return Promise.resolve({ action: 'decline' })
    }
    await questions.ask(FORM, createCall({ supportsForms: true, askForm, wantsProgress: false }))
    await questions.ask(FORM, createCall({ supportsForms: true, askForm }))
    expect(given).toEqual([45_000, 600_000])
  })
})

test('without an open console it is skipped', async () => {
  presentUsers.clear()
  const questions = await serverAt(600)
  const caller = createCall({ user: 'bob' })
  presentUsers.add(SCOPE.user)
  expect(await questions.ask(FORM, caller)).toMatchObject({ channel: 'text', id: 1 })
  expect(await openQuestions()).toEqual([])
})

test('a database failure while waiting returns the question as text', async () => {
  const lazy = createLazyDatabase({ settings: settingsAt(file) })
  const broken: LazyStateDatabase = { ...lazy, open: () => Promise.reject(new Failure('The disk is full.')) }
  const presence: UserPresence = { isPresent: () => true, onChange: () => () => {}, connectsUntil: 0 }
  const questions = createQuestionService({
    state: broken,
    project: '/srv/project',
    presence,
    claimLease: openSession,
    waitSeconds: 30,
  })
  expect(await questions.ask(FORM, createCall())).toMatchObject({
    channel: 'text',
    id: undefined,
    reasons: expect.arrayContaining(['It could not be saved: The disk is full.']),
  })
})

test.each(['never', 'meanwhile'])(
  'a full disk at the end of the wait, question answered %s: the answer is delivered',
  async (when) => {
    let isFull = false
    const questions = await serverAt(1, () => isFull)
    const asked = questions.ask(FORM, createCall())
    await untilOpen()
    isFull = true
    expect(await asked).toMatchObject({ channel: 'text', id: 1 })
    // Another process answered first.
    if (when === 'meanwhile') await answer(1)
    isFull = false
    await vi.waitFor(async () => expect(await find(1)).toMatchObject(when === 'never' ? { waiting: false } : {}), 5000)
    if (when === 'never') await answer(1)
    await vi.waitFor(async () => expect(await messages()).toHaveLength(1), 5000)
    await questions.close()
    expect(await messages()).toHaveLength(1)
  },
)

test('60 questions of two servers with cancelled calls, failed writes and racing consoles: no answer is lost or delivered twice', async () => {
  const servers = await Promise.all([serverAt(), serverAt()])
  const consoles = [consoleDatabase, await open(), await open()]
  const outcomes = Array.from(
    { length: 60 },
    (_, index) => (['written', 'unwritten', 'cancelled'] as const)[index % 3]!,
  )
  const delivered = new Map<number, string>()
  const asks = outcomes.map(async (fate, index) => {
    const caller = createCall({ session: `session-${index % 2}` })
    const asked = servers[index % 2]!.ask(FORM, caller)
    if (fate === 'cancelled') setTimeout(() => caller.controller.abort(new Error('cancelled')), 100 + index * 10)
    const answeredIds: AskResult | undefined = await asked.catch(() => undefined)
    if (!answeredIds || !('replies' in answeredIds) || answeredIds.id === undefined) return
    if (fate === 'written') delivered.set(answeredIds.id, String(answeredIds.replies[0]?.selected[0]))
    caller.settle(fate === 'written')
  })
  const accepted = new Map<number, string>()
  const over = new AbortController()
  const answering = consoles.map(async (each, index) => {
    const label = index === 1 ? 'Blue' : 'Red'
    while (!over.signal.aborted) {
      for (const { id } of await each.read(SCOPE, (rows) => rows.questions.listOpen())) {
        const given = each.write(SCOPE, (rows) => answerQuestion(rows, id, reply(label), 'page', Date.now()))
        const returned = await given.then(
          () => true,
          (error: unknown) => (expect(error).toBeInstanceOf(Failure), false),
        )
        if (!returned) continue
        expect(accepted.has(id)).toBe(false)
        accepted.set(id, label)
      }
      await sleep(5)
    }
  })
  await Promise.all(asks)
  await Promise.all(servers.map((each) => each.close()))
  over.abort()
  await Promise.all(answering)
  const queued = (await messages()).map(
    ({ text }) => [Number(/Question (\d+)/.exec(text)?.[1]), String(/"selected":"(\w+)"/.exec(text)?.[1])] as const,
  )
  const all = [...delivered, ...queued]
  expect(all.map(([id]) => id).sort((a, b) => a - b)).toEqual([...accepted.keys()].sort((a, b) => a - b))
  expect(new Map(all)).toEqual(new Map(accepted))
  expect(await openQuestions()).toEqual([])
}, 60_000)

describe('a view in the chat', () => {
  const viewer = (): TestCall => createCall({ supportsViews: true })
  beforeEach(() => presentUsers.clear())

  test('answers the waiting call', async () => {
    const questions = await serverAt()
    const caller = viewer()
    const asked = questions.ask(FORM, caller)
    await untilOpen()
    expect(await questions.listForView(caller, undefined)).toMatchObject([{ id: 1, waiting: true }])
    expect(await questions.listForView({ ...caller, session: 'two' }, undefined)).toEqual([])
    await questions.answerFromView(caller, 1, reply('Red'))
    expect(await asked).toEqual({ channel: 'board', surface: 'view', replies: reply('Red'), id: 1 })
    await questions.close()
  })

  test('that never appears is not waited for again, until one does', async () => {
    const questions = await serverAt()
    const first = questions.ask(FORM, viewer())
    expect(await untilOpen()).toMatchObject([{ waiting: true }])
    expect(await first).toMatchObject({ channel: 'text', id: 1, reasons: expect.arrayContaining([NO_CONSOLE_OPEN]) })
    const second = questions.ask(FORM, viewer())
    expect((await untilOpen(2))[1]).toMatchObject({ waiting: false })
    await second
    await questions.listForView(viewer(), 1)
    const third = questions.ask(FORM, viewer())
    expect((await untilOpen(3))[2]).toMatchObject({ waiting: true })
    await questions.answerFromView(viewer(), 3, reply('Blue'))
    expect(await third).toMatchObject({ surface: 'view', replies: reply('Blue') })
    await questions.close()
  })

  test('takes no approvals', async () => {
    const questions = await serverAt()
    const asked = questions.ask(
      FORM.map((question) => ({ ...question, isApproval: true })),
      viewer(),
    )
    expect(await untilOpen()).toMatchObject([{ waiting: false }])
    expect(await asked).toMatchObject({ channel: 'text', id: 1 })
    await expect(questions.answerFromView(viewer(), 1, reply('Red'))).rejects.toThrow(
      'Question 1 is an approval: answer it on the console page or in the terminal inbox.',
    )
    expect(await find(1)).toMatchObject({ replies: null })
    await questions.close()
  })
})
