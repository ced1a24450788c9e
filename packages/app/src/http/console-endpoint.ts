// The console over HTTP for authenticated users, called by the page: an event stream of its state, and actions. Users
// see their own data; the other servers of this machine are shown to the OS user only, and only with a credential of
// this machine. The routes are in start-http.ts. Writes HTTP responses; acts through the consoles.

import { MAX_TYPED_CHARACTERS } from '@scorpiox/console/feed-terminals'
import type { OutputPartPosition } from '@scorpiox/console/output-stream'
import type { UserConsole } from '@scorpiox/console/user-console'
import type { UserConsoles } from '@scorpiox/console/user-consoles'
import type { ApprovalDecision, ConsoleChange } from '@scorpiox/console/view'
import { Failure } from '@scorpiox/mcp/errors'
import type { Principal } from '@scorpiox/mcp/http/authenticator'
import type { EventStream } from '@scorpiox/mcp/http/event-stream'
import type { HttpContext } from '@scorpiox/mcp/http/http-context'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import { isJsonObject, type JsonObject, stringifyWellFormed, tryParseJson } from '@scorpiox/mcp/json/json'
import { getOsUser } from '@scorpiox/mcp/os'
import type { QuestionReply } from '@scorpiox/server/calls/question-form'

const MAX_REPLIES = 50
const MAX_SELECTED = 200
const MAX_TEXT_CHARS = 20_000
/** A plan of 1 MB and more, so that a longer one is refused with a reason. */
const MAX_PLAN_CHARS = 2_000_000

export type ConsoleAction =
  | {
      readonly verb: 'answer'
      readonly project: string
      readonly id: number
      readonly replies: readonly QuestionReply[]
    }
  | { readonly verb: 'dismiss'; readonly project: string; readonly id: number }
  | { readonly verb: 'approval'; readonly project: string; readonly id: number }
  | { readonly verb: 'decide'; readonly project: string; readonly id: number; readonly decision: ApprovalDecision }
  | { readonly verb: 'kill'; readonly server: string; readonly id: number }
  | { readonly verb: 'secret'; readonly server: string; readonly id: string; readonly value: string | null }
  | { readonly verb: 'download'; readonly server: string; readonly id: number }
  | { readonly verb: 'terminal'; readonly server: string; readonly id: number }
  | { readonly verb: 'give-back'; readonly server: string; readonly id: number }
  | { readonly verb: 'type'; readonly server: string; readonly id: number; readonly text: string }
  | { readonly verb: 'output'; readonly server: string; readonly id: number; readonly start: OutputPartPosition }
  | { readonly verb: 'cancel'; readonly project: string; readonly session: string; readonly slot: number }
  | { readonly verb: 'plan'; readonly project: string }
  | { readonly verb: 'tasks'; readonly project: string; readonly before: number }
  | { readonly verb: 'steps'; readonly project: string; readonly task: number; readonly from: number }

type ActionParser = (fields: JsonObject) => ConsoleAction | string

const PARSERS: ReadonlyMap<string, ActionParser> = new Map<string, ActionParser>([
  ['answer', parseAnswer],
  ['approval', (fields) => parseQuestionTarget('approval', fields)],
  ['decide', parseDecide],
  ['kill', (fields) => parseJobTarget('kill', fields)],
  ['secret', parseSecret],
  ['output', parseOutput],
  ['download', (fields) => parseJobTarget('download', fields)],
  ['terminal', (fields) => parseJobTarget('terminal', fields)],
  ['type', parseType],
  ['give-back', (fields) => parseJobTarget('give-back', fields)],
  ['cancel', parseCancel],
  ['dismiss', (fields) => parseQuestionTarget('dismiss', fields)],
  ['plan', parsePlan],
  ['tasks', parseTasks],
  ['steps', parseSteps],
])

export function isConsoleAction(verb: string): boolean {
  return PARSERS.has(verb)
}

/** Returns an error text if the body is invalid. */
function parseConsoleAction(verb: string, body: string): ConsoleAction | string {
  const fields = tryParseJson(body)
  if (!isJsonObject(fields)) return 'The body must be a JSON object'
  return PARSERS.get(verb)?.(fields) ?? `Unknown action ${verb}`
}

function parseAnswer(fields: JsonObject): ConsoleAction | string {
  const question = parseQuestionTarget('answer', fields)
  if (typeof question === 'string') return question
  const replies = parseReplies(fields.replies)
  if (!replies) return 'replies must be a list of {"outcome":"answered|declined|cancelled","selected":["..."]}'
  return { ...question, replies }
}

function parseDecide(fields: JsonObject): ConsoleAction | string {
  const approval = parseQuestionTarget('decide', fields)
  if (typeof approval === 'string') return approval
  const { hash, outcome, comment, text } = fields
  if (!isText(hash)) return 'hash must be that of the plan that was shown'
  if (outcome !== 'approved' && outcome !== 'rejected') return 'outcome must be "approved" or "rejected"'
  if (comment !== undefined && !isText(comment)) return 'comment must be a text'
  if (text !== undefined && !(typeof text === 'string' && text.length <= MAX_PLAN_CHARS)) return 'text must be a plan'
  return { ...approval, decision: { hash, outcome, comment, text } }
}

function parseQuestionTarget<V extends 'answer' | 'dismiss' | 'approval' | 'decide'>(
  verb: V,
  { project, id }: JsonObject,
) {
  if (!isText(project)) return 'project must be a text'
  if (!isNumber(id)) return 'id must be a whole number'
  return { verb, project, id }
}

type JobVerb = 'kill' | 'download' | 'output' | 'terminal' | 'type' | 'give-back'

function parseJobTarget<V extends JobVerb>(verb: V, { server, id }: JsonObject) {
  if (!isText(server)) return 'server must be a text'
  if (!isNumber(id)) return 'id must be a whole number'
  return { verb, server, id }
}

/** The texts say nothing of what was sent. */
function parseSecret({ server, id, value }: JsonObject): ConsoleAction | string {
  if (!isText(server)) return 'server must be a text'
  if (!isText(id)) return 'id must be a text'
  return value === null || isText(value)
    ? { verb: 'secret', server, id, value }
    : 'value must be a text, or null to refuse'
}

function parseOutput(fields: JsonObject): ConsoleAction | string {
  const { from, before } = fields
  const job = parseJobTarget('output', fields)
  if (typeof job === 'string') return job
  if (from === undefined && before === undefined) return { ...job, start: 'end' }
  if (before === undefined) return isOffset(from) ? { ...job, start: { from } } : 'from must be a number of bytes'
  if (from !== undefined) return 'from and before cannot be combined'
  return isOffset(before) ? { ...job, start: { before } } : 'before must be a number of bytes'
}

function parseType(fields: JsonObject): ConsoleAction | string {
  const { text } = fields
  const job = parseJobTarget('type', fields)
  if (typeof job === 'string') return job
  const isTyped = typeof text === 'string' && text !== '' && text.length <= MAX_TYPED_CHARACTERS
  return isTyped ? { ...job, text } : `text must have 1 to ${MAX_TYPED_CHARACTERS} characters`
}

function parsePlan({ project }: JsonObject): ConsoleAction | string {
  return isText(project) ? { verb: 'plan', project } : 'project must be a text'
}

function parseTasks({ project, before }: JsonObject): ConsoleAction | string {
  if (!isText(project)) return 'project must be a text'
  return isNumber(before) ? { verb: 'tasks', project, before } : 'before must be the number of a task'
}

function parseSteps({ project, task, from }: JsonObject): ConsoleAction | string {
  if (!isText(project)) return 'project must be a text'
  if (!isNumber(task)) return 'task must be the number of a task'
  return isNumber(from) ? { verb: 'steps', project, task, from } : 'from must be the number of a step'
}

function parseCancel({ project, session, slot }: JsonObject): ConsoleAction | string {
  if (!isText(project)) return 'project must be a text'
  if (!isText(session)) return 'session must be a text'
  if (!isNumber(slot)) return 'slot must be a whole number'
  return { verb: 'cancel', project, session, slot }
}

function parseReplies(value: unknown): readonly QuestionReply[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_REPLIES) return undefined
  const replies = value.map(parseReply).filter((reply) => reply !== undefined)
  return replies.length === value.length ? replies : undefined
}

function parseReply(value: unknown): QuestionReply | undefined {
  if (!isJsonObject(value)) return undefined
  const { outcome, selected } = value
  if (outcome !== 'answered' && outcome !== 'declined' && outcome !== 'cancelled') return undefined
  if (!Array.isArray(selected) || selected.length > MAX_SELECTED) return undefined
  const texts = selected.filter(isText)
  return texts.length === selected.length ? { outcome, selected: texts } : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT_CHARS
}

function isOffset(value: unknown): value is number {
  return isNumber(value) && value >= 0
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

export interface ConsoleEndpoint {
  watch(exchange: HttpExchange, principal: Principal): void
  /** Handles the action named by the path after `/board/`. */
  handleAction(exchange: HttpExchange, principal: Principal, verb: string, body: string): void
  /** Called when the server shuts down. */
  endStreams(): void
}

/** Chooses the console of a caller. */
export type ConsoleFor = (principal: Principal) => UserConsole | Promise<UserConsole>

export function createConsoleEndpoint(context: HttpContext, consoleFor: ConsoleFor): ConsoleEndpoint {
  const openStreams = new Set<EventStream>()

  async function openWatch(exchange: HttpExchange, principal: Principal): Promise<void> {
    try {
      const userConsole = await consoleFor(principal)
      if (exchange.response.destroyed) exchange.clientClosed()
      else watch(exchange, userConsole)
    } catch (error) {
      failAction(exchange, error)
    }
  }

  function watch(exchange: HttpExchange, userConsole: UserConsole): void {
    Object.assign(exchange.headers, HEADERS)
    const stream = exchange.stream()
    const unsubscribe = userConsole.watch(createCoalescingSender(stream))
    trackStream(stream)
    stream.response.on('close', unsubscribe)
    stream.open()
  }

  function trackStream(stream: EventStream): void {
    openStreams.add(stream)
    context.streams.add(stream)
    stream.response.on('close', () => {
      openStreams.delete(stream)
      context.streams.delete(stream)
    })
  }

  async function handleAction(exchange: HttpExchange, principal: Principal, action: ConsoleAction): Promise<void> {
    try {
      const userConsole = await consoleFor(principal)
      if (action.verb === 'terminal') {
        const { sendTerminal } = await import('./console-terminal.js')
        return await sendTerminal(exchange, userConsole, action, trackStream)
      }
      if (action.verb === 'output' || action.verb === 'download') {
        const { sendDownload, sendOutput } = await import('./console-output.js')
        if (action.verb === 'download') return await sendDownload(exchange, userConsole, action)
        return await sendOutput(exchange, userConsole, action, trackStream)
      }
      const result = await runAction(userConsole, action)
      if (result === undefined) exchange.empty(204)
      else exchange.json(200, stringifyWellFormed(result))
    } catch (error) {
      failAction(exchange, error)
    }
  }

  function failAction(exchange: HttpExchange, error: unknown): void {
    if (error instanceof Failure) return exchange.json(409, stringifyWellFormed({ error: error.message }))
    context.server.logError(error)
    exchange.json(500, '{"error":"Internal error; see the server\'s log"}')
  }

  return {
    watch: (exchange, principal) => void openWatch(exchange, principal),
    handleAction(exchange, principal, verb, body) {
      Object.assign(exchange.headers, HEADERS, { 'cache-control': 'no-store' })
      const action = parseConsoleAction(verb, body)
      if (typeof action === 'string') exchange.json(400, stringifyWellFormed({ error: action }))
      else void handleAction(exchange, principal, action)
    },
    endStreams() {
      for (const stream of openStreams) stream.end()
    },
  }
}

/** The consoles of one project: of every user one. */
export function consolesOfProject(consoles: UserConsoles): ConsoleFor {
  return (principal) => consoles.forUser(principal.user, isLocal(principal))
}

function isLocal({ user, method }: Principal): boolean {
  return method !== 'oauth' && user === getOsUser()
}

/** While the client is not reading, changes are merged and sent as one event on drain. */
function createCoalescingSender(stream: EventStream): (change: ConsoleChange) => void {
  let pendingChange: ConsoleChange | undefined
  const { response } = stream
  response.on('drain', () => {
    if (!pendingChange) return
    stream.send(stringifyWellFormed(pendingChange))
    pendingChange = undefined
  })
  return (change) => {
    if (stream.isBackedUp) pendingChange = { ...pendingChange, ...change }
    else stream.send(stringifyWellFormed(change))
  }
}

type SimpleAction = Exclude<ConsoleAction, { readonly verb: 'output' | 'download' | 'terminal' }>

/** Runs an action and returns the response body; undefined for none. */
async function runAction(userConsole: UserConsole, action: SimpleAction): Promise<object | undefined> {
  switch (action.verb) {
    case 'plan':
      return { text: (await userConsole.readPlan(action.project)) ?? null }
    case 'tasks':
      return { tasks: await userConsole.olderTasks(action.project, action.before) }
    case 'steps':
      return { steps: await userConsole.taskSteps(action.project, action.task, action.from) }
    case 'approval':
      return userConsole.readApproval(action)
    case 'decide':
      await userConsole.decide(action, action.decision, 'page')
      return undefined
    case 'answer':
      await userConsole.answer(action, action.replies, 'page')
      return undefined
    case 'kill':
      await userConsole.kill(action)
      return undefined
    case 'type':
      await userConsole.terminalOf(action).type(action.text)
      return undefined
    case 'give-back':
      await userConsole.terminalOf(action).giveBack(false)
      return undefined
    case 'secret':
      await userConsole.answerSecret(action, action.value)
      return undefined
    case 'cancel':
      await userConsole.cancelCallback(action)
      return undefined
    case 'dismiss':
      await userConsole.dismiss(action)
  }
  return undefined
}
