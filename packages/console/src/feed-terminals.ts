// The terminals of a server's jobs as a console uses them: in this process (createFeedTerminals), or over the socket,
// on both of its ends (parseTerminalRequest and answerTerminalRequest, requestTerminals). Used by server-feed,
// console-socket and feed-connections. Acts through the job service.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import type { JobService, TerminalChunk, TerminalSize } from '@scorpiox/server/features/shell/index'

/** Characters of one request; each may take six in a line of the socket. */
export const MAX_TYPED_CHARACTERS = 8192

export interface FeedTerminals {
  /** The next output, after a wait if there is none; `from` undefined: from where a new display begins. */
  read(job: number, from: number | undefined): Promise<TerminalChunk>
  type(job: number, text: string): Promise<void>
  /** `isLeaving`: the person does not look any more. */
  giveBack(job: number, isLeaving: boolean): Promise<void>
  resize(job: number, size: TerminalSize): Promise<void>
}

export function createFeedTerminals(jobs: (job: number) => Promise<JobService>, caller: Caller): FeedTerminals {
  const terminals = async (job: number) => (await jobs(job)).userTerminals
  return {
    read: async (job, from) => (await terminals(job)).read(job, caller, from),
    type: async (job, text) => (await terminals(job)).type(job, caller, text),
    giveBack: async (job, isLeaving) => (await terminals(job)).giveBack(job, caller, isLeaving),
    resize: async (job, size) => (await terminals(job)).resize(job, caller, size),
  }
}

export type TerminalRequest =
  | { readonly verb: 'terminal'; readonly job: number; readonly from: number | null }
  | { readonly verb: 'type'; readonly job: number; readonly text: string }
  | { readonly verb: 'give-back'; readonly job: number; readonly isLeaving: boolean }
  | { readonly verb: 'resize'; readonly job: number; readonly cols: number; readonly rows: number }

export function parseTerminalRequest(verb: unknown, job: number, fields: JsonObject): TerminalRequest | undefined {
  const { from, text, isLeaving, cols, rows } = fields
  if (verb === 'terminal' && (from === null || isCount(from))) return { verb, job, from }
  if (verb === 'type' && typeof text === 'string' && text.length <= MAX_TYPED_CHARACTERS) return { verb, job, text }
  if (verb === 'give-back' && typeof isLeaving === 'boolean') return { verb, job, isLeaving }
  return verb === 'resize' && isCount(cols) && isCount(rows) ? { verb, job, cols, rows } : undefined
}

export interface EncodedTerminalChunk extends Omit<TerminalChunk, 'bytes'> {
  readonly base64: string
}

export interface TerminalReply {
  /** Reply to `terminal`. */
  readonly terminal?: EncodedTerminalChunk
}

export async function answerTerminalRequest(
  terminals: FeedTerminals,
  request: TerminalRequest,
): Promise<TerminalReply> {
  const { verb, job } = request
  if (verb === 'terminal') {
    const { bytes, ...chunk } = await terminals.read(job, request.from ?? undefined)
    return { terminal: { ...chunk, base64: bytes.toString('base64') } }
  }
  if (verb === 'type') await terminals.type(job, request.text)
  else if (verb === 'give-back') await terminals.giveBack(job, request.isLeaving)
  else await terminals.resize(job, { cols: request.cols, rows: request.rows })
  return {}
}

/** The terminals of a server at the other end of a socket. */
export function requestTerminals(send: (request: TerminalRequest) => Promise<TerminalReply>): FeedTerminals {
  return {
    async read(job, from) {
      const { terminal } = await send({ verb: 'terminal', job, from: from ?? null })
      if (!terminal)
        throw new Failure('The server of this job runs another version of scorpiox-code: restart its client.')
      const { base64, ...chunk } = terminal
      return { ...chunk, bytes: Buffer.from(base64, 'base64') }
    },
    type: async (job, text) => void (await send({ verb: 'type', job, text })),
    giveBack: async (job, isLeaving) => void (await send({ verb: 'give-back', job, isLeaving })),
    resize: async (job, { cols, rows }) => void (await send({ verb: 'resize', job, cols, rows })),
  }
}

export function parseTerminalChunk(value: unknown): EncodedTerminalChunk | undefined {
  if (!isJsonObject(value)) return undefined
  const { setup, base64, next, cols, rows, isRunning } = value
  if (!isCount(next) || !isCount(cols) || !isCount(rows) || typeof isRunning !== 'boolean') return undefined
  if (typeof base64 !== 'string' || (setup !== null && typeof setup !== 'string')) return undefined
  return { setup, base64, next, cols, rows, isRunning }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
