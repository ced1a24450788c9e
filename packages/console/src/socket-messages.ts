// Messages between server feed and console over the socket: one JSON object per line. Both sides validate what they
// receive and ignore or reject everything else. Used by console-socket and feed-connections. Pure.

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { type JobReply, type JobRequest, parseJobReply, parseJobRequest } from './feed-jobs.js'
import {
  type EncodedTerminalChunk,
  parseTerminalChunk,
  parseTerminalRequest,
  type TerminalRequest,
} from './feed-terminals.js'
import { type CallReply, type CallRequest, parseCallRequest } from './feed-calls.js'
import { JOB_ENDINGS } from './i18n/job-ending.js'
import { type EncodedOutputChunk, parseEncodedOutputChunk } from './output-chunk.js'
import type { RecordedCall } from '@scorpiox/server/calls/recorded-call'
import type {
  CallBlock,
  CallView,
  JobUsageSample,
  JobUsageView,
  JobView,
  SecretView,
  ServerReport,
  TerminalView,
  ToolView,
} from './view.js'

/** Changed parts of a feed, each complete. */
export interface FeedUpdate {
  readonly server?: ServerReport
  readonly jobs?: readonly JobView[]
  readonly calls?: readonly CallView[]
  readonly secrets?: readonly SecretView[]
  /** The database has changed. */
  readonly databaseChanged?: true
}

export type FeedMessage =
  | { readonly kind: 'update'; readonly update: FeedUpdate }
  | (JobReply &
      CallReply & {
        readonly kind: 'reply'
        readonly to: number
        /** Reply to `output`. */
        readonly chunk?: EncodedOutputChunk
        /** Reply to `terminal`. */
        readonly terminal?: EncodedTerminalChunk
        readonly failure?: string
      })

/** `presence` comes first, and again as a heartbeat. */
export type ConsoleMessage =
  | { readonly kind: 'presence'; readonly user: string; readonly watching: boolean }
  | ({ readonly kind: 'ask'; readonly id: number } & JobRequest)
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly verb: 'output'
      readonly job: number
      readonly from: number
      readonly maxBytes: number
    }
  | ({ readonly kind: 'ask'; readonly id: number } & TerminalRequest)
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly verb: 'secret'
      readonly question: string
      /** Null: the user refuses. Never logged or stored. */
      readonly value: string | null
    }
  | ({ readonly kind: 'ask'; readonly id: number } & CallRequest)
  | { readonly kind: 'database-changed' }
  /** A request of a console of another version. */
  | { readonly kind: 'unknown'; readonly id: number }

type Verb = Extract<ConsoleMessage, { readonly kind: 'ask' }>['verb']

const VERBS: Readonly<Record<Verb, true>> = {
  kill: true,
  restart: true,
  job: true,
  output: true,
  terminal: true,
  type: true,
  'give-back': true,
  resize: true,
  secret: true,
  'find-call': true,
  rerun: true,
  'search-calls': true,
}

/** Longest accepted user name. */
const MAX_USER = 1000
const MAX_LISTED = 500

export function parseFeedMessage(line: string): FeedMessage | undefined {
  const value = tryParseJson(line)
  if (!isJsonObject(value)) return undefined
  if (value.kind === 'update' && isJsonObject(value.update))
    return { kind: 'update', update: parseUpdate(value.update) }
  const { kind, to, failure } = value
  if (kind !== 'reply' || typeof to !== 'number') return undefined
  if (typeof failure === 'string') return { kind, to, failure }
  const terminal = parseTerminalChunk(value.terminal)
  if (terminal) return { kind, to, terminal }
  if (isRecordedCall(value.call)) return { kind, to, call: value.call }
  if (isListOf(value.calls, isCall)) return { kind, to, calls: value.calls }
  const chunk = parseEncodedOutputChunk(value.chunk)
  return chunk ? { kind, to, chunk } : { kind, to, ...parseJobReply(value) }
}

export function parseConsoleMessage(line: string): ConsoleMessage | undefined {
  const value = tryParseJson(line)
  if (!isJsonObject(value)) return undefined
  const { kind, user, watching, id, verb, job, from, maxBytes } = value
  if (kind === 'database-changed') return { kind }
  if (kind === 'presence' && typeof user === 'string' && user.length <= MAX_USER && typeof watching === 'boolean')
    return { kind, user, watching }
  if (kind !== 'ask' || typeof id !== 'number') return undefined
  if (typeof verb === 'string' && !Object.hasOwn(VERBS, verb)) return { kind: 'unknown', id }
  if (verb === 'secret') return parseSecretAnswer(id, value)
  const callRequest = parseCallRequest(verb, value)
  if (callRequest) return { kind, id, ...callRequest }
  if (!isNonNegativeInteger(job)) return undefined
  if (verb === 'output' && isNonNegativeInteger(from) && isNonNegativeInteger(maxBytes))
    return { kind, id, verb, job, from, maxBytes }
  const request = parseJobRequest(verb, job) ?? parseTerminalRequest(verb, job, value)
  return request && { kind, id, ...request }
}

function parseSecretAnswer(id: number, { question, value }: { readonly [key: string]: unknown }) {
  if (typeof question !== 'string' || !(value === null || typeof value === 'string')) return undefined
  return { kind: 'ask', id, verb: 'secret', question, value } as const
}

function isNonNegativeInteger(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function parseUpdate(update: { readonly [key: string]: unknown }): FeedUpdate {
  const { server, jobs, calls, secrets, databaseChanged } = update
  return {
    ...(isServer(server) && { server }),
    ...(isListOf(jobs, isJob) && { jobs }),
    ...(isListOf(calls, isCall) && { calls }),
    ...(isListOf(secrets, isSecretQuestion) && { secrets }),
    ...(databaseChanged === true && { databaseChanged }),
  }
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.length <= MAX_LISTED && value.every(isItem)
}

function isServer(value: unknown): value is ServerReport {
  return (
    hasStrings(value, 'id', 'project', 'version') &&
    hasNumbers(value, 'pid', 'startedAt') &&
    (value.transport === 'stdio' || value.transport === 'http') &&
    isListOf(value.tools, isTool)
  )
}

function isTool(value: unknown): value is ToolView {
  return hasStrings(value, 'name') && typeof value.works === 'boolean' && isNullOr('string', value.note)
}

function isJob(value: unknown): value is JobView {
  return (
    hasStrings(value, 'server', 'project', 'command', 'tail') &&
    hasNumbers(value, 'id', 'startedAt') &&
    typeof value.isRunning === 'boolean' &&
    (value.session === undefined || typeof value.session === 'string') &&
    isNullOr('number', value.endedAt) &&
    isNullOr('number', value.exitCode) &&
    isNullOr('string', value.signal) &&
    (value.ending === null || ENDINGS.has(value.ending)) &&
    // Servers of other versions have none of the following.
    (value.isCommandShortened === undefined || typeof value.isCommandShortened === 'boolean') &&
    (value.terminal === undefined || value.terminal === null || isTerminal(value.terminal)) &&
    (value.usage === undefined || value.usage === null || value.usage === 'unknown' || isUsage(value.usage))
  )
}

function isUsage(value: unknown): value is JobUsageView {
  return (
    isJsonObject(value) &&
    hasNumbers(value, 'processes', 'memoryBytes', 'processorMs', 'at', 'historySince') &&
    typeof value.hasOwnNetwork === 'boolean' &&
    isListOf(value.ports, isPort) &&
    isListOf(value.history, isUsageSample)
  )
}

function isPort(value: unknown): value is number {
  return isNonNegativeInteger(value) && value <= 65_535
}

function isUsageSample(value: unknown): value is JobUsageSample {
  return isJsonObject(value) && hasNumbers(value, 'processorPercent', 'memoryBytes')
}

function isTerminal(value: unknown): value is TerminalView {
  return isJsonObject(value) && hasNumbers(value, 'cols', 'rows') && typeof value.isUserTyping === 'boolean'
}

const ENDINGS: ReadonlySet<unknown> = new Set(JOB_ENDINGS)

const OUTCOMES: ReadonlySet<unknown> = new Set(['ok', 'error', 'cancelled', 'running'])

function isCall(value: unknown): value is CallView {
  return (
    hasStrings(value, 'id', 'server', 'project', 'session', 'client', 'tool', 'about') &&
    isNullOr('string', value.error) &&
    hasNumbers(value, 'startedAt', 'ms') &&
    OUTCOMES.has(value.outcome)
  )
}

function isRecordedCall(value: unknown): value is RecordedCall {
  return (
    hasStrings(value, 'input') &&
    hasNumbers(value, 'inputOmitted') &&
    isCall(value.call) &&
    isListOf(value.blocks, isBlock)
  )
}

function isBlock(value: unknown): value is CallBlock {
  if (!isJsonObject(value)) return false
  if (value.type === 'text') return hasStrings(value, 'text') && hasNumbers(value, 'omitted')
  if (value.type === 'other') return hasStrings(value, 'name')
  return (
    value.type === 'image' &&
    hasStrings(value, 'mimeType') &&
    hasNumbers(value, 'bytes') &&
    isNullOr('string', value.data)
  )
}

function isSecretQuestion(value: unknown): value is SecretView {
  return (
    hasStrings(value, 'server', 'project', 'id', 'command', 'prompt') &&
    hasNumbers(value, 'askedAt') &&
    // A server of an older version does not send it.
    (value.session === undefined || typeof value.session === 'string') &&
    typeof value.isSecret === 'boolean'
  )
}

function hasStrings(value: unknown, ...names: readonly string[]): value is { readonly [key: string]: unknown } {
  return isJsonObject(value) && names.every((name) => typeof value[name] === 'string')
}

function hasNumbers(value: { readonly [key: string]: unknown }, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'number')
}

function isNullOr(type: 'string' | 'number', value: unknown): boolean {
  return value === null || typeof value === type
}
