// Asks a user over the first channel that works: a form of the client, then the console page or terminal inbox if one is
// open; otherwise the question is stored and can be answered later. All channels share one time limit.

import type { Question, Reply, Surface } from '../../store/state/question-rows.js'
import type { Watchers } from '../board/watchers.js'
import type { Who } from '../who.js'
import { askClient, type ClientTerms, type FormOutcome } from './ask-client.js'
import type { Asker } from './asker.js'
import { heartbeat } from './heartbeat.js'
import { createKeptQuestions, type Kept, type KeptSettings, type Later } from './kept-questions.js'
import { readWish, type Wish } from './read-wish.js'

/** Most clients give up after a minute without progress. */
const MAX_SILENT_MS = 45_000
/** Sessions remembered as automatic; beyond that, the oldest is asked again. */
const MAX_AUTOMATIC = 1000

export interface Questions {
  /** Parses the tool input; a Failure includes an example of valid input. */
  read(given: unknown): Wish
  ask(questions: readonly Question[], asker: Asker): Promise<Asked>
  /**
   * Answers a stored form with what the model passes on; without answers returns its state. An earlier answer is kept.
   */
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
  /** Undefined if it could not be stored. */
  readonly id: number | undefined
  /** Why no other channel yielded an answer, in sentences. */
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
      // Leaves half of the time for the console.
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
      // A session that only reads the answer does not consume it for the one that asked.
      const isTheirs = session === asker.session
      if (isTheirs && replies && deliveredAt === null) asker.whenWritten((written) => kept.written(asker, id, written))
      return later
    },
    close: () => kept.close(),
  }
}

/** Sessions whose client answers forms without a user. */
function createAutomaticSessions() {
  const sessions = new Set<string>()
  return {
    has: (who: Who): boolean => sessions.has(keyOf(who)),
    add(who: Who): void {
      // On stateless HTTP all clients of a user share one session, and another one may show forms.
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
