// How one call asks its client: by requests on legacy revisions; by ending with the questions on the modern one, where
// the client makes the call again with the answers; through the ticket once the call is deferred.
// What the client did not declare is never asked for, and no answer is trusted before it was looked at.

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import { compileSchema } from '../lib/json-schema/compile.js'
import type { AskOptions, Question, Questions } from '../tools/call.js'
import { ClientRequests, type Sent } from './client-requests.js'
import type { Exchange } from './exchange.js'
import type { Ticket } from './live-ticket.js'
import type { WireQuestion } from './message.js'
import { INVALID_PARAMS, ProtocolError } from './protocol-error.js'
import { checkAbilities, fromWire, problemWith, usable, wireQuestion } from './questions.js'
import { memberText, Reply } from './reply.js'
import type { Bond } from './request-state.js'
import { MODERN_REVISION } from './revision.js'
import type { Compile } from './schema-check.js'

const ASK_MS = 10 * 60 * 1000
// No timer waits longer.
const MAX_ASK_MS = 2 ** 31 - 1

/** Thrown out of a call whose questions go to a modern client: it comes back with the answers. */
class InputRequired extends Error {
  override readonly name = 'InputRequired'
}

interface Terms {
  readonly ms: number
  readonly compile: Compile
  readonly options: AskOptions
}

export class Asking {
  /** What a modern client brought, not yet looked at. */
  #brought: JsonObject = {}
  /** What this run has taken of it; only that is carried into the next round. */
  readonly #taken = new Map<string, unknown>()
  readonly #open = new Map<string, Question>()
  /** What earlier rounds have asked for; undefined where the client does not say which round this is. */
  #asked: ReadonlySet<unknown> | undefined = new Set()
  /** How long each answer took, in milliseconds. */
  readonly #times = new Map<string, number>()
  #lifeMs = 0
  readonly #sent = new Set<Sent>()

  constructor(private readonly exchange: Exchange) {}

  /** Whether the work must end, because the client has to be asked first. */
  get interrupts(): boolean {
    return this.#open.size > 0
  }

  async ask(questions: Questions, options: AskOptions = {}): Promise<JsonObject> {
    const { exchange } = this
    checkAbilities(questions, exchange.can)
    const { timeoutMs = ASK_MS } = options
    const terms = { ms: Math.min(timeoutMs, MAX_ASK_MS), compile: compileSchema, options }
    const answers = await this.#answersTo(questions, terms)
    const known = Object.keys(questions).filter((key) => this.#times.has(key))
    options.timing?.(Object.fromEntries(known.map((key) => [key, this.#times.get(key)])))
    return answers
  }

  #answersTo(questions: Questions, terms: Terms): JsonObject | Promise<JsonObject> {
    const { ticket, answered, client } = this.exchange
    if (ticket) return this.#byTicket(ticket, questions, terms)
    if (answered) throw new Failure('This call has been answered; its client is not asked any more.')
    return client.revision === MODERN_REVISION
      ? this.#byReturning(questions, terms)
      : this.#byRequests(questions, terms)
  }

  /** Ends the work once more, where it goes on although the client has to be asked first. */
  interrupt(): never {
    throw new InputRequired('the client must be asked first')
  }

  /** Takes up what a modern client brought back. */
  async resume(): Promise<void> {
    const { params, conversation } = this.exchange
    const { requestState, inputResponses = {} } = params
    if (!isObject(inputResponses)) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'inputResponses' must be an object")
    }
    // Who can be asked can also answer unasked; the seal is there for what earlier rounds have settled.
    if (requestState === undefined) {
      this.#brought = inputResponses
      this.#asked = undefined
      return
    }
    const { answers, asked, before, askedAt, times } = (await conversation.server.states()).open(
      this.#bond(),
      requestState,
    )
    const keys = Array.isArray(asked) ? asked.filter((key) => Object.hasOwn(inputResponses, String(key))) : []
    const brought = keys.map((key) => [key, inputResponses[key]])
    const earlier = isObject(times) ? Object.entries(times) : []
    for (const [key, ms] of earlier) if (typeof ms === 'number') this.#times.set(key, ms)
    // A state is sealed and opened by the same process, so its monotonic clock can be used.
    if (typeof askedAt === 'number') for (const key of keys) this.#times.set(String(key), performance.now() - askedAt)
    this.#asked = new Set([asked, before].flatMap((list) => (Array.isArray(list) ? list : [])))
    this.#brought = { ...(isObject(answers) ? answers : {}), ...Object.fromEntries(brought) }
  }

  /** What an interrupted call is answered with. */
  async inputRequired(): Promise<Reply> {
    const inputRequests = Object.fromEntries([...this.#open].map(([key, question]) => [key, this.#wire(question)]))
    const before = [...(this.#asked ?? [])]
    const content = {
      answers: Object.fromEntries(this.#taken),
      times: Object.fromEntries(this.#times),
      asked: [...this.#open.keys()],
      askedAt: performance.now(),
      before,
    }
    const states = await this.exchange.conversation.server.states()
    const requestState = states.seal(this.#bond(), content, this.#lifeMs)
    return new Reply('input_required', memberText({ inputRequests, requestState }))
  }

  /** The call is over: questions that nobody waits for are taken back. */
  end(): void {
    for (const sent of this.#sent) sent.takeBack('the call is over')
  }

  async #byRequests(questions: Questions, { ms: timeoutMs, compile, options }: Terms): Promise<JsonObject> {
    const { conversation, outlet, signal, client } = this.exchange
    const requests = (conversation.requests ??= new ClientRequests())
    const read = (question: Question, answer: unknown): unknown =>
      accepted(question, fromWire(question, answer, client.revision), compile)
    const wired = Object.entries(questions).map(([key, question]) => ({ key, question, wire: this.#wire(question) }))
    const asked = wired.map(({ key, question, wire }) => {
      const late = options.late && ((result: unknown) => options.late?.(orNothing(key, () => read(question, result))))
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

  #byReturning(questions: Questions, { ms, compile, options }: Terms): JsonObject {
    const missing: [string, Question][] = []
    for (const [key, question] of Object.entries(questions)) {
      const brought = Object.hasOwn(this.#brought, key) ? this.#brought[key] : undefined
      const answer = fromWire(question, brought, MODERN_REVISION)
      if (problemWith(question, answer, compile) === undefined) this.#taken.set(key, usable(question, answer))
      else missing.push([key, question])
    }
    if (missing.length === 0)
      return Object.fromEntries(Object.keys(questions).map((key) => [key, this.#taken.get(key)]))
    if (options.once && missing.some(([key]) => this.#asked?.has(key) ?? true)) {
      throw new Failure('The client came back without an answer that can be used.')
    }
    for (const [key, question] of missing) this.#open.set(key, question)
    this.#lifeMs = Math.max(this.#lifeMs, Math.min(options.returnMs ?? ms, MAX_ASK_MS))
    return this.interrupt()
  }

  async #byTicket(ticket: Ticket, questions: Questions, { ms, compile }: Terms): Promise<JsonObject> {
    const asked = Object.entries(questions).map(([key, question]) => [
      key,
      {
        question: this.#wire(question),
        fits: (answer: unknown) => problemWith(question, answer, compile) === undefined,
      },
    ])
    const askedAt = performance.now()
    const answers = await ticket.ask(Object.fromEntries(asked), ms, this.exchange.signal)
    // Answers to one round come together.
    for (const key of Object.keys(questions)) this.#times.set(key, performance.now() - askedAt)
    return Object.fromEntries(Object.entries(questions).map(([key, question]) => [key, usable(question, answers[key])]))
  }

  #wire(question: Question): WireQuestion {
    return wireQuestion(question, this.exchange.client.revision, this.exchange.conversation.server.model)
  }

  #bond(): Bond {
    const { conversation, request, params } = this.exchange
    return { user: conversation.peer.user, method: request.method, params }
  }
}

/** The answer under its key; nothing where it cannot be used. */
function orNothing(key: string, read: () => unknown): JsonObject {
  try {
    return { [key]: read() }
  } catch {
    return {}
  }
}

function accepted(question: Question, answer: unknown, compile: Compile): unknown {
  const problem = problemWith(question, answer, compile)
  if (problem === undefined) return usable(question, answer)
  throw new Failure(`The client's answer cannot be used: ${problem}.`)
}
