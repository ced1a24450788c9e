// The current list of script tools. Rescans the directory cheaply and runs only new or changed scripts with --schema.
// Notifies clients when the list changes, and logs which scripts were skipped.

import { reasonOf } from '../../lib/reason-of.js'
import type { Notices } from '../notices.js'
import type { Answer } from './ask-script.js'
import { lineUp, type Candidate, type Script } from './line-up.js'
import { surveyScripts, type LeftOut, type Seen, type Survey } from './survey.js'

/** List requests within this time share one scan. */
const PATIENCE_MS = 50
const LOOK_EVERY_MS = 2000
/** At most this share of the time is spent scanning. */
const SHARE = 1 / 500
/** A list request waits no longer than this; the client is notified when the rest is known. */
const WAIT_MS = 6000
/** Delay before a script that timed out, or could not be run, is tried again. */
const AGAIN_MS = 60_000
const AT_ONCE = 8

export interface ScriptIndex {
  /** Scripts that became tools, by file name. */
  readonly scripts: readonly Script[]
  readonly leftOut: readonly LeftOut[]
  /** Why the list is empty or incomplete. */
  readonly problem: string | undefined
  /** Rescans. Returns a promise only if scripts must be run. */
  refresh(): Promise<void> | undefined
  close(): void
}

export interface IndexSettings {
  readonly folder: string
  /** Names that no script tool may have, in lower case. */
  readonly house: ReadonlySet<string>
  /** Rejects if no command can be run. */
  readonly ask: (path: string) => Promise<Answer>
  readonly notices: Notices
  readonly complain: (message: string) => void
}

interface Known {
  readonly mark: string
  readonly answer: Answer
  readonly askedAt: number
}

type File = Extract<Seen, { readonly mark: string }>

export function createScriptIndex({
  folder: directory,
  house: reservedNames,
  ask: describe,
  notices: changeEvents,
  complain: warn,
}: IndexSettings): ScriptIndex {
  const described = new Map<string, Known>()
  const loggedMessages = new Set<string>()
  let scan: Survey = { problem: undefined, files: [] }
  let scripts: readonly Script[] = []
  let skipped: readonly LeftOut[] = []
  let runFailure: { readonly why: string; readonly at: number } | undefined
  let describing: Promise<void> | undefined
  /** A list request has waited for the maximum time. */
  let waitExpired = false
  let wasListed = false
  let isClosed = false
  let scannedAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  function refresh(isForList: boolean): Promise<void> | undefined {
    if (describing) return waitExpired ? undefined : waitAtMost(describing)
    const startedAt = performance.now()
    if (isClosed || startedAt - scannedAt < PATIENCE_MS) return undefined
    const before = JSON.stringify(scan)
    scan = surveyScripts(directory)
    scannedAt = performance.now()
    const costMs = scannedAt - startedAt
    const files = scan.files.filter(isFile)
    const changed = isForList || !runFailure || isDue(runFailure.at) ? files.filter(isNew) : []
    const retries = isForList ? files.filter(isDueAgain) : []
    if (changed.length + retries.length === 0) {
      if (!wasListed || JSON.stringify(scan) !== before) rebuildList()
      scheduleRescan(costMs)
      return undefined
    }
    waitExpired = changed.length === 0
    describing = describeAll([...changed, ...retries]).finally(() => {
      describing = undefined
      rebuildList()
      scheduleRescan(costMs)
    })
    return waitExpired ? undefined : waitAtMost(describing)
  }

  function isNew({ path, mark }: File): boolean {
    return described.get(path)?.mark !== mark
  }

  function isDueAgain({ path, mark }: File): boolean {
    const { answer: result, askedAt = Infinity, mark: before } = described.get(path) ?? {}
    return before === mark && result !== undefined && 'reason' in result && result.isHung && isDue(askedAt)
  }

  function waitAtMost(work: Promise<void>): Promise<void> {
    let timeout: NodeJS.Timeout | undefined
    // Not unref'ed: the process stays alive while a request waits.
    const expired = new Promise<void>((resolve) => {
      timeout = setTimeout(resolve, WAIT_MS)
    }).then(() => {
      waitExpired = true
      rebuildList()
    })
    return Promise.race([work, expired]).finally(() => clearTimeout(timeout))
  }

  async function describeAll(files: readonly File[]): Promise<void> {
    runFailure = undefined
    const queue = files.values()
    const describeNext = async (): Promise<void> => {
      for (const { path, mark } of queue)
        described.set(path, { mark, answer: await describe(path), askedAt: performance.now() })
    }
    const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, describeNext))
    const failed = outcomes.find((result) => result.status === 'rejected')
    if (failed) runFailure = { why: reasonOf(failed.reason), at: performance.now() }
  }

  /** Rebuilds the list from the results so far. A script that is being run again keeps its last result. */
  function rebuildList(): void {
    if (isClosed) return
    const before = faceOf(scripts)
    const results = scan.files
      .filter(isFile)
      .map(({ file, path }) => ({ file, path, result: described.get(path)?.answer }))
    const candidates = results.flatMap(({ file, path, result }): Candidate[] =>
      result && 'description' in result ? [{ file, path, description: result.description }] : [],
    )
    const named = lineUp(candidates, reservedNames)
    scripts = named.scripts
    skipped = [
      ...scan.files.filter((file) => 'reason' in file),
      ...results.flatMap(({ file, result }) => (result && 'reason' in result ? [{ file, reason: result.reason }] : [])),
      ...named.leftOut,
    ]
    for (const { file, reason } of skipped) warnOnce(`${file} is left out: it ${reason}`)
    const problem = problemNow()
    if (problem !== undefined) warnOnce(problem)
    const wasListedBefore = wasListed
    wasListed = true
    if (wasListedBefore && faceOf(scripts) !== before) changeEvents.changed('tools')
  }

  function problemNow(): string | undefined {
    return scan.problem ?? runFailure?.why
  }

  function warnOnce(message: string): void {
    if (!loggedMessages.has(message)) warn(`script tools: ${message}`)
    loggedMessages.add(message)
  }

  function scheduleRescan(costMs: number): void {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(() => void refresh(false), Math.max(LOOK_EVERY_MS, costMs / SHARE)).unref()
  }

  return {
    get scripts() {
      return scripts
    },
    get leftOut() {
      return skipped
    },
    get problem() {
      return problemNow()
    },
    refresh: () => refresh(true),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

function isFile(file: Seen): file is File {
  return !('reason' in file)
}

function isDue(since: number): boolean {
  return performance.now() - since > AGAIN_MS
}

function faceOf(scripts: readonly Script[]): string {
  return JSON.stringify(scripts)
}
