// Asks the client during one call. On legacy revisions it sends requests; on the modern revision it ends the call with
// the questions and the client repeats the call with the answers; a deferred call asks through its task handle. Only
// declared capabilities are used, and every answer is validated.

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import { compileSchema } from '../lib/json-schema/compile.js'
import type { Who } from '../services/who.js'
import type { Abilities, AskOptions, Question, Questions } from '../tools/call.js'
import type { Client } from './client.js'
import { ClientRequests, type Sent } from './client-requests.js'
import type { Ticket } from './live-ticket.js'
import type { Request, WireQuestion } from './message.js'
import type { Outlet } from './outlet.js'
import { INVALID_PARAMS, ProtocolError } from './protocol-error.js'
import { checkAbilities, fromWire, problemWith, usable, wireQuestion } from './questions.js'
import { memberText, Reply } from './reply.js'
import type { Bond, RequestStates } from './request-state.js'
import { MODERN_REVISION } from './revision.js'
import type { Compile } from './schema-check.js'

const DEFAULT_TIMEOUT_MS = 10 * 60 * 1000
// The longest delay setTimeout supports.
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Ends a call whose questions go to a modern client, which repeats the call with the answers. */
class InputRequired extends Error {
  override readonly name = 'InputRequired'
}

interface AskContext {
  readonly ms: number
  readonly compile: Compile
  readonly options: AskOptions
}

/** What is needed of the request in progress. */
export interface AskHost {
  readonly request: Request
  readonly params: JsonObject
  readonly client: Client
  readonly outlet: Outlet
  readonly signal: AbortSignal
  readonly can: Abilities
  readonly ticket: Ticket | undefined
  readonly answered: boolean
  readonly conversation: AskSession
}

/** What is needed of the session. */
export interface AskSession {
  readonly server: AskServer
  readonly peer: Who
  requests: ClientRequests | undefined
}

/** What is needed of the server. */
export interface AskServer {
  readonly model: string
  states(): Promise<RequestStates>
}

export class Asking {
  /** The answers a modern client sent, not yet validated. */
  #receivedAnswers: JsonObject = {}
  /** The answers this run has used; only these are carried into the next round. */
  readonly #usedAnswers = new Map<string, unknown>()
  readonly #openQuestions = new Map<string, Question>()
  /** The keys asked in earlier rounds; undefined if the client sent no request state. */
  #askedKeys: ReadonlySet<unknown> | undefined = new Set()
  /** Response time of each answer in milliseconds. */
  readonly #times = new Map<string, number>()
  #stateLifetimeMs = 0
  readonly #sent = new Set<Sent>()

  constructor(private readonly context: AskHost) {}

  /** Whether the call must end because the client has to be asked first. */
  get interrupts(): boolean {
    return this.#openQuestions.size > 0
  }

  async ask(questions: Questions, options: AskOptions = {}): Promise<JsonObject> {
    const { context } = this
    checkAbilities(questions, context.can)
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = options
    const askContext = { ms: Math.min(timeoutMs, MAX_TIMEOUT_MS), compile: compileSchema, options }
    const answers = await this.#getAnswers(questions, askContext)
    const timedKeys = Object.keys(questions).filter((key) => this.#times.has(key))
    options.timing?.(Object.fromEntries(timedKeys.map((key) => [key, this.#times.get(key)])))
    return answers
  }

  #getAnswers(questions: Questions, askContext: AskContext): JsonObject | Promise<JsonObject> {
    const { ticket: taskHandle, answered, client } = this.context
    if (taskHandle) return this.#askByTask(taskHandle, questions, askContext)
    if (answered) throw new Failure('This call has been answered; its client is not asked any more.')
    return client.revision === MODERN_REVISION
      ? this.#askByRetry(questions, askContext)
      : this.#askByRequest(questions, askContext)
  }

  /** Ends the work again if it continues although the client has to be asked first. */
  interrupt(): never {
    throw new InputRequired('the client must be asked first')
  }

  /** Reads the answers a modern client sent with the repeated call. */
  async resume(): Promise<void> {
    const { params, conversation } = this.context
    const { requestState, inputResponses = {} } = params
    if (!isObject(inputResponses)) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'inputResponses' must be an object")
    }
    // Answers without `requestState` are accepted: the state only protects answers of earlier rounds.
    if (requestState === undefined) {
      this.#receivedAnswers = inputResponses
      this.#askedKeys = undefined
      return
    }
    const { answers, asked, before, askedAt, times } = (await conversation.server.states()).open(
      this.#requestBinding(),
      requestState,
    )
    const keys = Array.isArray(asked) ? asked.filter((key) => Object.hasOwn(inputResponses, String(key))) : []
    const brought = keys.map((key) => [key, inputResponses[key]])
    const earlierTimes = isObject(times) ? Object.entries(times) : []
    for (const [key, ms] of earlierTimes) if (typeof ms === 'number') this.#times.set(key, ms)
    // A state is sealed and opened by the same process, so its monotonic clock is valid.
    if (typeof askedAt === 'number') for (const key of keys) this.#times.set(String(key), performance.now() - askedAt)
    this.#askedKeys = new Set([asked, before].flatMap((list) => (Array.isArray(list) ? list : [])))
    this.#receivedAnswers = { ...(isObject(answers) ? answers : {}), ...Object.fromEntries(brought) }
  }

  /** The result of an interrupted call. */
  async inputRequired(): Promise<Reply> {
    const inputRequests = Object.fromEntries(
      [...this.#openQuestions].map(([key, question]) => [key, this.#toWireRequest(question)]),
    )
    const before = [...(this.#askedKeys ?? [])]
    const content = {
      answers: Object.fromEntries(this.#usedAnswers),
      times: Object.fromEntries(this.#times),
      asked: [...this.#openQuestions.keys()],
      askedAt: performance.now(),
      before,
    }
    const states = await this.context.conversation.server.states()
    const requestState = states.seal(this.#requestBinding(), content, this.#stateLifetimeMs)
    return new Reply('input_required', memberText({ inputRequests, requestState }))
  }

  /** Cancels requests that are still open when the call ends. */
  end(): void {
    for (const sent of this.#sent) sent.takeBack('the call is over')
  }

  async #askByRequest(questions: Questions, { ms: timeoutMs, compile, options }: AskContext): Promise<JsonObject> {
    const { conversation, outlet, signal, client } = this.context
    const requests = (conversation.requests ??= new ClientRequests())
    const read = (question: Question, answer: unknown): unknown =>
      requireUsable(question, fromWire(question, answer, client.revision), compile)
    const wired = Object.entries(questions).map(([key, question]) => ({
      key,
      question,
      wire: this.#toWireRequest(question),
    }))
    const asked = wired.map(({ key, question, wire }) => {
      const late = options.late && ((result: unknown) => options.late?.(readOrEmpty(key, () => read(question, result))))
      const askedAt = performance.now()
      const sent = requests.send({ ...wire, outlet, timeoutMs, signal, late })
      this.#sent.add(sent)
      return { key, question, sent, askedAt }
    })
    try {
      const answers = asked.map(async ({ key, question, sent, askedAt }) => {
        const answer = await sent.result
        this.#times.set(key, performance.now() - askedAt)
        return [key, read(question, answer)]
      })
      return Object.fromEntries(await Promise.all(answers))
    } finally {
      for (const { sent } of asked) {
        sent.takeBack('another question of this call was not answered')
        this.#sent.delete(sent)
      }
    }
  }

  #askByRetry(questions: Questions, { ms, compile, options }: AskContext): JsonObject {
    const missing: [string, Question][] = []
    for (const [key, question] of Object.entries(questions)) {
      const brought = Object.hasOwn(this.#receivedAnswers, key) ? this.#receivedAnswers[key] : undefined
      const answer = fromWire(question, brought, MODERN_REVISION)
      if (problemWith(question, answer, compile) === undefined) this.#usedAnswers.set(key, usable(question, answer))
      else missing.push([key, question])
    }
    if (missing.length === 0)
      return Object.fromEntries(Object.keys(questions).map((key) => [key, this.#usedAnswers.get(key)]))
    if (options.once && missing.some(([key]) => this.#askedKeys?.has(key) ?? true)) {
      throw new Failure('The client came back without an answer that can be used.')
    }
    for (const [key, question] of missing) this.#openQuestions.set(key, question)
    this.#stateLifetimeMs = Math.max(this.#stateLifetimeMs, Math.min(options.returnMs ?? ms, MAX_TIMEOUT_MS))
    return this.interrupt()
  }

  async #askByTask(taskHandle: Ticket, questions: Questions, { ms, compile }: AskContext): Promise<JsonObject> {
    const asked = Object.entries(questions).map(([key, question]) => [
      key,
      {
        question: this.#toWireRequest(question),
        fits: (answer: unknown) => problemWith(question, answer, compile) === undefined,
      },
    ])
    const askedAt = performance.now()
    const answers = await taskHandle.ask(Object.fromEntries(asked), ms, this.context.signal)
    // All answers of one round arrive together.
    for (const key of Object.keys(questions)) this.#times.set(key, performance.now() - askedAt)
    return Object.fromEntries(Object.entries(questions).map(([key, question]) => [key, usable(question, answers[key])]))
  }

  #toWireRequest(question: Question): WireQuestion {
    return wireQuestion(question, this.context.client.revision, this.context.conversation.server.model)
  }

  #requestBinding(): Bond {
    const { conversation, request, params } = this.context
    return { user: conversation.peer.user, method: request.method, params }
  }
}

/** Returns the answer under its key, or an empty object if it cannot be used. */
function readOrEmpty(key: string, read: () => unknown): JsonObject {
  try {
    return { [key]: read() }
  } catch {
    return {}
  }
}

function requireUsable(question: Question, answer: unknown, compile: Compile): unknown {
  const problem = problemWith(question, answer, compile)
  if (problem === undefined) return usable(question, answer)
  throw new Failure(`The client's answer cannot be used: ${problem}.`)
}
