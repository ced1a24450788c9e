// Asks a user over the first channel that works: a form of the client, then the console page or terminal inbox if one is
// open; otherwise the question is stored and can be answered later. All channels share one time limit.

import type { Question, Reply, Surface } from '../../store/state/question-rows.js'
import type { Who } from '../who.js'
import { askClient, type ClientTerms, type FormOutcome } from './ask-client.js'
import type { Asker, RespondingCall } from './asker.js'
import { heartbeat } from './heartbeat.js'
import { createKeptQuestions, type Kept, type KeptSettings, type Later } from './kept-questions.js'
import { readWish, type Wish } from './read-wish.js'

/** Most clients give up after a minute without progress. */
const MAX_SILENT_MS = 45_000
/** Sessions remembered as automatic; beyond that, the oldest is asked again. */
const MAX_AUTOMATIC = 1000

export interface Questions {
  /** Parses the tool input; a Failure includes an example of valid input. */
  read(input: unknown): Wish
  ask(questions: readonly Question[], call: Asker): Promise<Asked>
  /**
   * Answers a stored form with what the model passes on; without answers returns its state. An earlier answer is kept.
   */
  answer(call: RespondingCall, id: number, answers: unknown): Promise<Later>
  close(): Promise<void>
}

export type Asked = Heard | Unheard

export interface Heard {
  readonly rung: 'client' | 'board'
  readonly surface: Surface
  readonly replies: readonly Reply[]
  readonly id?: number
}

export interface Unheard {
  readonly rung: 'text'
  /** Undefined if it could not be stored. */
  readonly id: number | undefined
  /** Why no other channel yielded an answer, in sentences. */
  readonly reasons: readonly string[]
}

export interface QuestionsSettings extends KeptSettings {
  readonly waitSeconds: number
}

export function createQuestions(settings: QuestionsSettings): Questions {
  const { watchers, waitSeconds } = settings
  const store = createKeptQuestions(settings)
  const automaticSessions = createAutomaticSessions()

  async function askWithClientForm(
    questions: readonly Question[],
    call: Asker,
    options: ClientTerms,
  ): Promise<FormOutcome> {
    if (automaticSessions.has(call)) return { problem: CLIENT_IS_AUTOMATIC }
    const outcome = await askClient(questions, call, options)
    if ('isAutomatic' in outcome) automaticSessions.add(call)
    return outcome
  }

  async function askChannels(questions: readonly Question[], call: Asker): Promise<Asked> {
    const ms = call.wantsLife ? waitSeconds * 1000 : Math.min(waitSeconds * 1000, MAX_SILENT_MS)
    const endsAt = performance.now() + ms
    const isWatched = (): boolean => watchers.isWatched(call.user)
    let storing: Promise<Kept> = Promise.resolve({ id: undefined, problem: '' })
    const outcome = await askWithClientForm(questions, call, {
      // Leaves half of the time for the console.
      timeoutMs: isWatched() ? ms / 2 : ms,
      late: (replies) => store.answerLate(call, storing, replies),
    })
    if ('replies' in outcome) return { rung: 'client', surface: 'client', ...outcome }
    const remainingMs = endsAt - performance.now()
    const shouldWait = remainingMs > 0 && isWatched()
    const { id, ...problem } = await (storing = store.keep(call, questions, shouldWait))
    const answered = shouldWait && id !== undefined ? await waitForConsole(id, remainingMs, call) : undefined
    return (
      answered ?? {
        rung: 'text',
        id,
        reasons: [outcome.problem, shouldWait ? CONSOLE_TIMED_OUT : NO_CONSOLE_OPEN, ...storeProblems(problem)],
      }
    )
  }

  async function waitForConsole(id: number, ms: number, call: Asker): Promise<Heard | undefined> {
    const row = await store.wait(call, id, ms)
    if (!row) return undefined
    call.whenWritten((written) => store.written(call, id, written))
    return { rung: 'board', surface: row.surface ?? 'page', replies: row.replies, id }
  }

  return {
    read: readWish,
    async ask(questions, call) {
      const stopHeartbeat = heartbeat((seconds) => call.showLife(seconds))
      return askChannels(questions, call).finally(stopHeartbeat)
    },
    async answer(call, id, answers) {
      const followUp = await store.answer(call, id, answers)
      const { replies, deliveredAt, session } = followUp.row
      // A session that only reads the answer does not consume it for the one that asked.
      const isOwnQuestion = session === call.session
      if (isOwnQuestion && replies && deliveredAt === null)
        call.whenWritten((written) => store.written(call, id, written))
      return followUp
    },
    close: () => store.close(),
  }
}

/** Sessions whose client answers forms without a user. */
function createAutomaticSessions() {
  const sessions = new Set<string>()
  return {
    has: (caller: Who): boolean => sessions.has(callerKey(caller)),
    add(caller: Who): void {
      // On stateless HTTP all clients of a user share one session, and another one may show forms.
      if (caller.session === `user:${caller.user}`) return
      const [oldest] = sessions
      if (oldest !== undefined && sessions.size >= MAX_AUTOMATIC) sessions.delete(oldest)
      sessions.add(callerKey(caller))
    },
  }
}

function callerKey({ user, session }: Who): string {
  return `${user}\0${session}`
}

const CLIENT_IS_AUTOMATIC = 'This client answers forms without a user.'
const NO_CONSOLE_OPEN = 'Neither the console page nor the terminal inbox is open.'
const CONSOLE_TIMED_OUT = 'The console page or the terminal inbox is open, but no answer came in time.'

function storeProblems({ problem }: { readonly problem?: string }): readonly string[] {
  return problem === undefined ? [] : [`It could not be saved: ${problem}`]
}
