// What is kept of a job besides its output. A record without an end is of a job that runs, as far as anybody wrote down.
// Read with suspicion: what is not a record in every part is none.

import { isObject, parseJson } from '../lib/json.js'
import { isOwner, type Owner } from '../platform/process-identity.js'

const ENDINGS = ['exit', 'killed', 'timeout', 'cancelled', 'server-stopped', 'server-lost', 'unknown'] as const

export type Ending = (typeof ENDINGS)[number]

export interface JobRecord {
  readonly id: number
  readonly user: string
  readonly session: string
  readonly command: string
  readonly cwd: string
  readonly startedAt: number
  /** False: a command in the foreground whose long output is kept. */
  readonly background: boolean
  /** The server process that started it. */
  readonly owner: Owner
  /** The tag of everything that server started, and of everything this job did. */
  readonly family: string
  readonly tag: string
  /** It outlives its server. */
  readonly keep: boolean
  readonly endedAt?: number
  readonly exitCode?: number | null
  readonly signal?: string | null
  readonly ending?: Ending
}

export function parseJobRecord(text: string): JobRecord | undefined {
  const value = parseJson(text)
  return isJobRecord(value) ? value : undefined
}

function isJobRecord(value: unknown): value is JobRecord {
  if (!isObject(value)) return false
  const { id, user, session, command, cwd, startedAt, background, owner, family, tag, keep } = value
  return (
    Number.isSafeInteger(id) &&
    Number.isFinite(startedAt) &&
    [user, session, command, cwd, family, tag].every((text) => typeof text === 'string') &&
    [background, keep].every((answer) => typeof answer === 'boolean') &&
    isOwner(owner) &&
    hasPossibleEnd(value)
  )
}

function hasPossibleEnd({ endedAt, exitCode, signal, ending }: { readonly [key: string]: unknown }): boolean {
  return (
    (endedAt === undefined || Number.isFinite(endedAt)) &&
    (exitCode === undefined || exitCode === null || Number.isInteger(exitCode)) &&
    (signal === undefined || signal === null || typeof signal === 'string') &&
    (ending === undefined || ENDINGS.some((each) => each === ending))
  )
}
