// Asks the client during one call, behind `ask` of CallContext. On legacy revisions it sends requests; on the modern
// revision it ends the call with the questions and the client repeats the call with the answers; a deferred call asks
// through its task handle. Only declared capabilities are used, and every answer is validated. Loaded by
// request-context.ts with the first question. Sends messages to the client; no other I/O.

import type { AskOptions, ClientAbilities, ClientQuestion, ClientQuestions } from '../definitions/call-context.js'
import type { Caller } from '../definitions/caller.js'
import { Failure, INVALID_PARAMS, ProtocolError } from '../errors.js'
import { compileSchema } from '../json-schema/compile.js'
import type { SchemaCompiler } from '../json-schema/lazy-compile.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import type { JsonRpcRequest, MessageSink, WireRequest } from '../jsonrpc/message.js'
import { stringifyMembers, TypedResult } from '../jsonrpc/result.js'
import type { TaskHandle, TaskHandleQuestion } from '../protocol-tasks/task-handle.js'
import type { ClientProfile } from '../revisions/client-profile.js'
import { MODERN_REVISION } from '../revisions/revision.js'
import { OutgoingRequests, type SentRequest } from './outgoing-requests.js'
import {
  findAnswerProblem,
  normalizeAnswer,
  requireAbilities,
  toClientAnswer,
  toWireRequest,
} from './question-wire-format.js'
import type { RequestBinding, RequestStateSealer } from './request-state.js'

const DEFAULT_TIMEOUT_MS = 10 * 60 * 1000
// The longest delay setTimeout supports.
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Ends a call whose questions go to a modern client, which repeats the call with the answers. */
class InputRequired extends Error {
  override readonly name = 'InputRequired'
}

interface AskContext {
  readonly ms: number
  readonly compile: SchemaCompiler
  readonly options: AskOptions
}

/** What is needed of the request in progress. */
export interface AskHost {
  readonly request: JsonRpcRequest
  readonly params: JsonObject
  readonly client: ClientProfile
  readonly sink: MessageSink
  readonly signal: AbortSignal
  readonly clientAbilities: ClientAbilities
  readonly taskHandle: TaskHandle | undefined
  readonly isAnswered: boolean
  readonly session: AskSession
}

/** What is needed of the session. */
export interface AskSession {
  readonly server: AskServer
  readonly caller: Caller
  outgoingRequests: OutgoingRequests | undefined
}

/** What is needed of the server. */
export interface AskServer {
  readonly suggestedModel: string
  requestStates(): Promise<RequestStateSealer>
}

export class InputRequester {
  /** The answers a modern client sent, not yet validated. */
  #receivedAnswers: JsonObject = {}
  /** The answers this run has used; only these are carried into the next round. */
  readonly #usedAnswers = new Map<string, unknown>()
  readonly #openQuestions = new Map<string, ClientQuestion>()
  /** The keys asked in earlier rounds; undefined if the client sent no request state. */
  #askedKeys: ReadonlySet<unknown> | undefined = new Set()
  /** Response time of each answer in milliseconds. */
  readonly #times = new Map<string, number>()
  #stateLifetimeMs = 0
  readonly #sent = new Set<SentRequest>()

  constructor(private readonly context: AskHost) {}

  /** Whether the call must end because the client has to be asked first. */
  get isInterrupted(): boolean {
    return this.#openQuestions.size > 0
  }

  async ask(questions: ClientQuestions, options: AskOptions = {}): Promise<JsonObject> {
    const { context } = this
    requireAbilities(questions, context.clientAbilities)
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = options
    const askContext = { ms: Math.min(timeoutMs, MAX_TIMEOUT_MS), compile: compileSchema, options }
    const answers = await this.#getAnswers(questions, askContext)
    const timedKeys = Object.keys(questions).filter((key) => this.#times.has(key))
    options.onTiming?.(Object.fromEntries(timedKeys.map((key) => [key, this.#times.get(key)])))
    return answers
  }

  #getAnswers(questions: ClientQuestions, askContext: AskContext): JsonObject | Promise<JsonObject> {
    const { taskHandle, isAnswered, client } = this.context
    if (taskHandle) return this.#askByTask(taskHandle, questions, askContext)
    if (isAnswered) throw new Failure('This call has been answered already, so the client cannot be asked.')
    if (askContext.options.whileRunning && client.revision === MODERN_REVISION)
      throw new Failure('This client cannot answer questions while the call runs.')
    return client.revision === MODERN_REVISION
      ? this.#askByRetry(questions, askContext)
      : this.#askByRequest(questions, askContext)
  }

  /** Ends the work again if it continues although the client has to be asked first. */
  throwInputRequired(): never {
    throw new InputRequired('the client must be asked first')
  }

  /** Reads the answers a modern client sent with the repeated call. */
  async loadAnswers(): Promise<void> {
    const { params, session } = this.context
    const { requestState, inputResponses = {} } = params
    if (!isJsonObject(inputResponses)) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'inputResponses' must be an object")
    }
    // Answers without `requestState` are accepted: the state only protects answers of earlier rounds.
    if (requestState === undefined) {
      this.#receivedAnswers = inputResponses
      this.#askedKeys = undefined
      return
    }
    const states = await session.server.requestStates()
    const { answers, asked, before, askedAt, times } = await states.open(this.#requestBinding(), requestState)
    const keys = Array.isArray(asked) ? asked.filter((key) => Object.hasOwn(inputResponses, String(key))) : []
    const brought = keys.map((key) => [key, inputResponses[key]])
    const earlierTimes = isJsonObject(times) ? Object.entries(times) : []
    for (const [key, ms] of earlierTimes) if (typeof ms === 'number') this.#times.set(key, ms)
    if (typeof askedAt === 'number') for (const key of keys) this.#times.set(String(key), states.clock() - askedAt)
    this.#askedKeys = new Set([asked, before].flatMap((list) => (Array.isArray(list) ? list : [])))
    this.#receivedAnswers = { ...(isJsonObject(answers) ? answers : {}), ...Object.fromEntries(brought) }
  }

  /** The result of an interrupted call. */
  async createInputRequiredResult(): Promise<TypedResult> {
    const inputRequests = Object.fromEntries(
      [...this.#openQuestions].map(([key, question]) => [key, this.#toWireRequest(question)]),
    )
    const before = [...(this.#askedKeys ?? [])]
    const states = await this.context.session.server.requestStates()
    const content = {
      answers: Object.fromEntries(this.#usedAnswers),
      times: Object.fromEntries(this.#times),
      asked: [...this.#openQuestions.keys()],
      askedAt: states.clock(),
      before,
    }
    const requestState = await states.seal(this.#requestBinding(), content, this.#stateLifetimeMs)
    return new TypedResult('input_required', stringifyMembers({ inputRequests, requestState }))
  }

  /** Cancels requests that are still open when the call ends. */
  cancelUnanswered(): void {
    for (const sent of this.#sent) sent.cancel('the call is over')
  }

  async #askByRequest(
    questions: ClientQuestions,
    { ms: timeoutMs, compile, options }: AskContext,
  ): Promise<JsonObject> {
    const { session, sink, signal, client } = this.context
    const requests = (session.outgoingRequests ??= new OutgoingRequests())
    const read = (question: ClientQuestion, answer: unknown): unknown =>
      requireUsable(question, normalizeAnswer(question, answer, client.revision), compile)
    const wired = Object.entries(questions).map(([key, question]) => ({
      key,
      question,
      wire: this.#toWireRequest(question),
    }))
    const asked = wired.map(({ key, question, wire }) => {
      const onLateAnswer =
        options.onLateAnswer &&
        ((result: unknown) => options.onLateAnswer?.(readOrEmpty(key, () => read(question, result))))
      const askedAt = performance.now()
      const sent = requests.send({ ...wire, sink, timeoutMs, signal, onLateAnswer })
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
        sent.cancel('another question of this call was not answered')
        this.#sent.delete(sent)
      }
    }
  }

  #askByRetry(questions: ClientQuestions, { ms, compile, options }: AskContext): JsonObject {
    const missing: [string, ClientQuestion][] = []
    for (const [key, question] of Object.entries(questions)) {
      const brought = Object.hasOwn(this.#receivedAnswers, key) ? this.#receivedAnswers[key] : undefined
      const answer = normalizeAnswer(question, brought, MODERN_REVISION)
      if (findAnswerProblem(question, answer, compile) === undefined)
        this.#usedAnswers.set(key, toClientAnswer(question, answer))
      else missing.push([key, question])
    }
    if (missing.length === 0)
      return Object.fromEntries(Object.keys(questions).map((key) => [key, this.#usedAnswers.get(key)]))
    if (options.askOnce && missing.some(([key]) => this.#askedKeys?.has(key) ?? true)) {
      throw new Failure('The client came back without an answer that can be used.')
    }
    for (const [key, question] of missing) this.#openQuestions.set(key, question)
    this.#stateLifetimeMs = Math.max(this.#stateLifetimeMs, Math.min(options.resumeWithinMs ?? ms, MAX_TIMEOUT_MS))
    return this.throwInputRequired()
  }

  async #askByTask(
    taskHandle: TaskHandle,
    questions: ClientQuestions,
    { ms, compile }: AskContext,
  ): Promise<JsonObject> {
    const asked = Object.entries(questions).map(([key, question]): [string, TaskHandleQuestion] => [
      key,
      {
        request: this.#toWireRequest(question),
        isUsable: (answer) => findAnswerProblem(question, answer, compile) === undefined,
      },
    ])
    const askedAt = performance.now()
    const answers = await taskHandle.ask(Object.fromEntries(asked), ms, this.context.signal)
    // All answers of one round arrive together.
    for (const key of Object.keys(questions)) this.#times.set(key, performance.now() - askedAt)
    return Object.fromEntries(
      Object.entries(questions).map(([key, question]) => [key, toClientAnswer(question, answers[key])]),
    )
  }

  #toWireRequest(question: ClientQuestion): WireRequest {
    return toWireRequest(question, this.context.client.revision, this.context.session.server.suggestedModel)
  }

  #requestBinding(): RequestBinding {
    const { session, request, params } = this.context
    return { user: session.caller.user, method: request.method, params }
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

function requireUsable(question: ClientQuestion, answer: unknown, compile: SchemaCompiler): unknown {
  const problem = findAnswerProblem(question, answer, compile)
  if (problem === undefined) return toClientAnswer(question, answer)
  throw new Failure(`The client's answer cannot be used: ${problem}.`)
}
