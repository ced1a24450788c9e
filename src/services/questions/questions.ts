// Asks a person on the first way that works: a form of the client; the page or the inbox, if somebody looks at it; else
// the question is kept, to be answered later, by whoever is first. All ways together take no longer than was allowed.

import type { Question, Reply, Surface } from '../../store/state/question-rows.js'
import type { Watchers } from '../board/watchers.js'
import type { Who } from '../who.js'
import { askClient, type ClientTerms, type FormOutcome } from './ask-client.js'
import type { Asker } from './asker.js'
import { heartbeat } from './heartbeat.js'
import { createKeptQuestions, type Kept, type KeptSettings, type Later } from './kept-questions.js'
import { readWish, type Wish } from './read-wish.js'

/** Most clients give up after a minute without a sign of life. */
const MAX_SILENT_MS = 45_000
/** Sessions that are remembered as automatic; more of them are asked once more. */
const MAX_AUTOMATIC = 1000

export interface Questions {
  /** What a model wants, from what it sent; a Failure shows what it should have sent. */
  read(given: unknown): Wish
  ask(questions: readonly Question[], asker: Asker): Promise<Asked>
  /** Answers a kept form with what the model passes on, or just looks; what was said before stays. */
  answer(asker: Pick<Asker, keyof Who | 'whenWritten'>, id: number, answers: unknown): Promise<Later>
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
  /** Undefined where it could not be kept. */
  readonly id: number | undefined
  /** Why it was not answered on any other way, in sentences. */
  readonly reasons: readonly string[]
}

export interface QuestionsSettings extends KeptSettings {
  readonly watchers: Watchers
  readonly waitSeconds: number
}

export function createQuestions(settings: QuestionsSettings): Questions {
  const { watchers, waitSeconds } = settings
  const kept = createKeptQuestions(settings)
  const automatic = createAutomaticSessions()

  async function askForm(questions: readonly Question[], asker: Asker, terms: ClientTerms): Promise<FormOutcome> {
    if (automatic.has(asker)) return { problem: AUTOMATIC }
    const outcome = await askClient(questions, asker, terms)
    if ('isAutomatic' in outcome) automatic.add(asker)
    return outcome
  }

  async function climb(questions: readonly Question[], asker: Asker): Promise<Asked> {
    const ms = asker.wantsLife ? waitSeconds * 1000 : Math.min(waitSeconds * 1000, MAX_SILENT_MS)
    const endsAt = performance.now() + ms
    const isWatched = (): boolean => watchers.isWatched(asker.user)
    let keeping: Promise<Kept> = Promise.resolve({ id: undefined, problem: '' })
    const outcome = await askForm(questions, asker, {
      // Who looks elsewhere is to have a share of the time.
      timeoutMs: isWatched() ? ms / 2 : ms,
      late: (replies) => kept.answerLate(asker, keeping, replies),
    })
    if ('replies' in outcome) return { rung: 'client', surface: 'client', ...outcome }
    const left = endsAt - performance.now()
    const waits = left > 0 && isWatched()
    const { id, ...problem } = await (keeping = kept.keep(asker, questions, waits))
    const heard = waits && id !== undefined ? await askBoard(id, left, asker) : undefined
    return (
      heard ?? { rung: 'text', id, reasons: [outcome.problem, waits ? NOT_IN_TIME : NOBODY, ...whyNotKept(problem)] }
    )
  }

  async function askBoard(id: number, ms: number, asker: Asker): Promise<Heard | undefined> {
    const row = await kept.wait(asker, id, ms)
    if (!row) return undefined
    asker.whenWritten((written) => kept.written(asker, id, written))
    return { rung: 'board', surface: row.surface ?? 'page', replies: row.replies, id }
  }

  return {
    read: readWish,
    async ask(questions, asker) {
      const stop = heartbeat((seconds) => asker.showLife(seconds))
      return climb(questions, asker).finally(stop)
    },
    async answer(asker, id, answers) {
      const later = await kept.answer(asker, id, answers)
      const { replies, deliveredAt, session } = later.row
      // Another session that looks does not take it from the one that asked.
      const isTheirs = session === asker.session
      if (isTheirs && replies && deliveredAt === null) asker.whenWritten((written) => kept.written(asker, id, written))
      return later
    },
    close: () => kept.close(),
  }
}

/** The sessions whose client answers forms by itself. */
function createAutomaticSessions() {
  const sessions = new Set<string>()
  return {
    has: (who: Who): boolean => sessions.has(keyOf(who)),
    add(who: Who): void {
      // Where HTTP is stateless, all clients of a user are one session, and others of them may show forms to a person.
      if (who.session === `user:${who.user}`) return
      const [oldest] = sessions
      if (oldest !== undefined && sessions.size >= MAX_AUTOMATIC) sessions.delete(oldest)
      sessions.add(keyOf(who))
    },
  }
}

function keyOf({ user, session }: Who): string {
  return `${user}\0${session}`
}

const AUTOMATIC = 'This client answers forms by itself: no person sees them.'
const NOBODY = 'Neither the console page nor the terminal inbox is open.'
const NOT_IN_TIME = 'The console page or the terminal inbox is open, but no answer came in time.'

function whyNotKept({ problem }: { readonly problem?: string }): readonly string[] {
  return problem === undefined ? [] : [`It could not be kept: ${problem}`]
}
