// Asks a user over the first channel that works: a form of the client, then the console page or terminal inbox if one is
// open, or a view of the client in the chat; otherwise the question is stored and can be answered later. All channels
// share one time limit. Used by the tool AskUserQuestion and by permissions; `channels` by plans. Opened by services.ts
// of the app. Sends forms to the client, and reads and writes the database through question-store.

import { type Caller, statelessCaller } from '@scorpiox/mcp/definitions/caller'
import { startHeartbeat } from '../../calls/progress-heartbeat.js'
import type { AnswerChannel, FormQuestion, QuestionReply } from '../../calls/question-form.js'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot } from '../../config/paths.js'
import { type AskingCall, askWithForm, type AskWithFormOptions, type RespondingCall, showForm } from './client-form.js'
import { type AskRequest, parseAskRequest } from './parse-questions.js'
import {
  createQuestionStore,
  type AnswererPresence,
  type FollowUpResult,
  type QuestionStoreDeps,
  type StoreQuestionResult,
  type UserPresence,
  waitForPresence,
} from './question-store.js'
import type { QuestionRow } from './question-table.js'
import { createViewPresence } from './view-presence.js'

/** Most clients give up after a minute without progress. */
const MAX_SILENT_MS = 45_000
const FIRST_HEARTBEAT_MS = 1000
/** Sessions that a set holds; beyond that, the oldest is forgotten. */
const MAX_SESSIONS = 1000

export interface QuestionService {
  /** For other features that ask the user. */
  readonly channels: UserChannels
  /** Parses the tool input; a Failure includes an example of valid input. */
  parseRequest(input: unknown): AskRequest
  ask(questions: readonly FormQuestion[], call: AskingCall): Promise<AskResult>
  /**
   * Answers a stored form with what the model passes on; without answers returns its state. An earlier answer is kept.
   */
  answer(call: RespondingCall, id: number, answers: unknown): Promise<FollowUpResult>
  /** The question with this id, or the open questions of the session, for a view that shows them now. */
  listForView(caller: Caller, id: number | undefined): Promise<readonly QuestionRow[]>
  /** Throws a Failure if it cannot be answered there. */
  answerFromView(caller: Caller, id: number, replies: readonly QuestionReply[]): Promise<QuestionRow>
  close(): Promise<void>
}

/** The ways to a user, which share what is known about clients that answer without one. */
export interface UserChannels {
  readonly presence: UserPresence
  /** Claims the lease of the session before something is stored that may be delivered to it later. */
  claimLease(caller: Caller): Promise<void>
  /** How long a call may wait for the user. */
  waitMs(call: Pick<AskingCall, 'wantsProgress'>): number
  showForm: typeof showForm
}

export type AskResult = AnsweredResult | UnansweredResult

export interface AnsweredResult {
  readonly channel: 'client' | 'board'
  readonly surface: AnswerChannel
  readonly replies: readonly QuestionReply[]
  readonly id?: number
}

export interface UnansweredResult {
  readonly channel: 'text'
  /** Undefined if it could not be stored. */
  readonly id: number | undefined
  /** Why no other channel yielded an answer, in sentences. */
  readonly reasons: readonly string[]
}

export interface QuestionServiceDeps extends QuestionStoreDeps {
  readonly presence: UserPresence
  readonly waitSeconds: number
}

export function createQuestionService(settings: QuestionServiceDeps): QuestionService {
  const { presence, waitSeconds } = settings
  const store = createQuestionStore(settings)
  const views = createViewPresence()
  const automaticSessions = createSessionSet()
  /** Their client declares views, but did not show one for a question. */
  const sessionsWithoutView = createSessionSet()

  const channels: UserChannels = {
    presence,
    claimLease: settings.claimLease,
    waitMs: ({ wantsProgress }) => (wantsProgress ? waitSeconds * 1000 : Math.min(waitSeconds * 1000, MAX_SILENT_MS)),
    async showForm(form, call, options) {
      if (automaticSessions.has(call)) return { problem: CLIENT_IS_AUTOMATIC }
      const shown = await showForm(form, call, options)
      if ('isAutomatic' in shown) automaticSessions.add(call)
      return shown
    },
  }

  async function askChannels(questions: readonly FormQuestion[], call: AskingCall): Promise<AskResult> {
    const ms = channels.waitMs(call)
    const endsAt = performance.now() + ms
    const isWatched = (): boolean => presence.isPresent(call.user)
    const answerers = findAnswerers(questions, call)
    let storing: Promise<StoreQuestionResult> = Promise.resolve({ id: undefined, problem: '' })
    const formOptions: AskWithFormOptions = {
      // Leaves half of the time for the console.
      timeoutMs: isWatched() ? ms / 2 : ms,
      onLateReplies: (replies) => store.recordLateAnswer(call, storing, replies),
    }
    const outcome = await askWithForm(questions, call, formOptions, channels.showForm)
    if ('replies' in outcome) return { channel: 'client', surface: 'client', ...outcome }
    if (!isWatched()) await waitForPresence(presence)
    const remainingMs = endsAt - performance.now()
    const shouldWait = remainingMs > 0 && (isWatched() || answerers.maybeView)
    const { id, ...problem } = await (storing = store.store(call, questions, shouldWait))
    const answered = shouldWait && id !== undefined ? await waitForAnswer(id, remainingMs, call, answerers) : undefined
    return (
      answered ?? {
        channel: 'text',
        id,
        reasons: [
          outcome.problem,
          describeWait(shouldWait, isWatched(), views.isPresent(call)),
          ...storeProblems(problem),
        ],
      }
    )
  }

  /** The console, and a view in the chat, which appears while the call runs. */
  function findAnswerers(questions: readonly FormQuestion[], call: AskingCall): Answerers {
    const maybeView =
      call.supportsViews && !questions.some(({ isApproval }) => isApproval) && !sessionsWithoutView.has(call)
    return {
      maybeView,
      isPresent: () => presence.isPresent(call.user) || (maybeView && views.isPresent(call)),
      onChange(listener) {
        const unsubscribers = [presence.onChange(listener), views.onChange(listener)]
        return () => unsubscribers.forEach((unsubscribe) => unsubscribe())
      },
    }
  }

  async function waitForAnswer(
    id: number,
    ms: number,
    call: AskingCall,
    answerers: Answerers,
  ): Promise<AnsweredResult | undefined> {
    const row = await store.waitForAnswer(call, id, ms, answerers)
    if (answerers.maybeView && !answerers.isPresent()) sessionsWithoutView.add(call)
    if (!row) return undefined
    call.onResponseWritten((written) => store.recordDelivery(call, id, written))
    return { channel: 'board', surface: row.surface ?? 'page', replies: row.replies, id }
  }

  return {
    channels,
    parseRequest: parseAskRequest,
    async ask(questions, call) {
      const heartbeat = startHeartbeat((seconds) => call.reportWaiting(seconds), { firstAfterMs: FIRST_HEARTBEAT_MS })
      return askChannels(questions, call).finally(() => heartbeat.stop())
    },
    async answer(call, id, answers) {
      const followUp = await store.answer(call, id, answers)
      const { replies, deliveredAt, session } = followUp.row
      // A session that only reads the answer does not consume it for the one that asked.
      const isOwnQuestion = session === call.session
      if (isOwnQuestion && replies && deliveredAt === null)
        call.onResponseWritten((written) => store.recordDelivery(call, id, written))
      return followUp
    },
    listForView(caller, id) {
      views.note(caller)
      sessionsWithoutView.delete(caller)
      return store.listForView(caller, id)
    },
    answerFromView: (caller, id, replies) => store.answerFromView(caller, id, replies),
    async close() {
      views.close()
      await store.close()
    },
  }
}

/** A set of sessions with a limit. */
function createSessionSet() {
  const sessions = new Set<string>()
  return {
    has: (caller: Caller): boolean => sessions.has(callerKey(caller)),
    add(caller: Caller): void {
      // On stateless HTTP all clients of a user share one session, and another one may show forms.
      if (caller.session === statelessCaller(caller.user).session) return
      const [oldest] = sessions
      if (oldest !== undefined && sessions.size >= MAX_SESSIONS) sessions.delete(oldest)
      sessions.add(callerKey(caller))
    },
    delete: (caller: Caller): void => void sessions.delete(callerKey(caller)),
  }
}

function callerKey({ user, session }: Caller): string {
  return `${user}\0${session}`
}

interface Answerers extends AnswererPresence {
  /** A view of the client may show the question. */
  readonly maybeView: boolean
}

const CLIENT_IS_AUTOMATIC = 'This client answers forms without a user.'
export const NO_CONSOLE_OPEN = 'Neither the console page nor the terminal inbox is open.'
export const CONSOLE_TIMED_OUT = 'The console page or the terminal inbox is open, but no answer came in time.'

const VIEW_TIMED_OUT = 'The form in the chat was shown, but no answer came in time.'

function describeWait(hasWaited: boolean, isWatched: boolean, isViewShown: boolean): string {
  if (hasWaited && isViewShown) return VIEW_TIMED_OUT
  return hasWaited && isWatched ? CONSOLE_TIMED_OUT : NO_CONSOLE_OPEN
}

function storeProblems({ problem }: { readonly problem?: string }): readonly string[] {
  return problem === undefined ? [] : [`It could not be saved: ${problem}`]
}

export interface OpenQuestionServiceDeps extends Omit<QuestionServiceDeps, 'project' | 'waitSeconds'> {
  readonly config: Config
}

/** Opens the question service of the current project. The database is opened when a question has to be stored. */
export function openQuestionService({ config, ...deps }: OpenQuestionServiceDeps): QuestionService {
  const { cwd, settings } = config
  return createQuestionService({ ...deps, project: findProjectRoot(cwd), waitSeconds: settings.ASK_WAIT })
}
