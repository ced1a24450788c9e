// The stored record of a job, and its validation. A record without an end belongs to a running job, or to one whose end
// was not recorded; one that is not valid in every field is ignored. Used by job-files, job-store and all code that
// shows jobs; toRecordedCommand also for commands that may become jobs. Pure.

import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { isProcessIdentity, type ProcessIdentity } from '../../process/process-identity.js'

const ENDINGS = [
  'exit',
  'killed',
  'timeout',
  'cancelled',
  'server-stopped',
  'server-lost',
  'machine-lost',
  'unknown',
] as const

export type JobEnding = (typeof ENDINGS)[number]

export interface JobRecord {
  readonly id: number
  readonly user: string
  readonly session: string
  readonly command: string
  readonly cwd: string
  readonly startedAt: number
  /** False: a foreground command whose long output is stored. */
  readonly background: boolean
  /** The server process that started it. */
  readonly owner: ProcessIdentity
  /** Process tags: of the server, and of this job. */
  readonly family: string
  readonly tag: string
  /** True if the job outlives its server. */
  readonly keep: boolean
  /** What can be typed into, if it can be; absent for a job whose stdin is empty. */
  readonly stdin?: 'pipe' | 'terminal'
  /** Of the process that leads its processes, if it can be typed into. */
  readonly pid?: number
  /** The sandbox it runs in; see SandboxFactory.key. */
  readonly sandbox?: string
  /** Sizes of its terminal, each from an offset of the output on. */
  readonly sizes?: readonly TerminalSizeChange[]
  readonly endedAt?: number
  readonly exitCode?: number | null
  readonly signal?: string | null
  readonly ending?: JobEnding
  /** The machine that runs it, where there are several. */
  readonly machine?: string
}

export interface TerminalSizeChange {
  readonly from: number
  readonly cols: number
  readonly rows: number
}

/** Characters of a command that are stored; the rest is of no use to a reader. */
const MAX_COMMAND = 16_384

/** A copy, so that the whole text can be freed. */
export function toRecordedCommand(command: string): string {
  if (command.length <= MAX_COMMAND) return command
  return Buffer.from(`${command.slice(0, MAX_COMMAND)} … (${command.length} characters)`).toString()
}

export function isCompleteCommand({ command }: Pick<JobRecord, 'command'>): boolean {
  return command.length <= MAX_COMMAND
}

export function parseJobRecord(text: string): JobRecord | undefined {
  const value = tryParseJson(text)
  return isJobRecord(value) ? value : undefined
}

function isJobRecord(value: unknown): value is JobRecord {
  if (!isJsonObject(value)) return false
  const { id, user, session, command, cwd, startedAt, background, owner, family, tag, keep } = value
  return (
    Number.isSafeInteger(id) &&
    Number.isFinite(startedAt) &&
    [user, session, command, cwd, family, tag].every((text) => typeof text === 'string') &&
    [background, keep].every((flag) => typeof flag === 'boolean') &&
    isProcessIdentity(owner) &&
    hasValidInput(value) &&
    hasValidEnding(value)
  )
}

function hasValidInput({ stdin, pid, sandbox, sizes }: { readonly [key: string]: unknown }): boolean {
  return (
    (stdin === undefined || stdin === 'pipe' || stdin === 'terminal') &&
    (pid === undefined || Number.isSafeInteger(pid)) &&
    (sandbox === undefined || typeof sandbox === 'string') &&
    (sizes === undefined || (Array.isArray(sizes) && sizes.every(isSizeChange)))
  )
}

function isSizeChange(value: unknown): boolean {
  return isJsonObject(value) && [value.from, value.cols, value.rows].every((number) => Number.isSafeInteger(number))
}

function hasValidEnding({ endedAt, exitCode, signal, ending, machine }: { readonly [key: string]: unknown }): boolean {
  return (
    (endedAt === undefined || Number.isFinite(endedAt)) &&
    (exitCode === undefined || exitCode === null || Number.isInteger(exitCode)) &&
    (signal === undefined || signal === null || typeof signal === 'string') &&
    (ending === undefined || ENDINGS.some((known) => known === ending)) &&
    (machine === undefined || typeof machine === 'string')
  )
}
