// The current list of script tools. Rescans the directory cheaply and runs only new or changed scripts with --schema.
// Notifies clients when the list changes, and logs which scripts were skipped.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { errorMessage } from '@scorpiox/mcp/errors'
import { assignToolNames, type DescribedScriptFile, type ScriptTool } from './assign-tool-names.js'
import type { DescribeScriptResult } from './describe-script.js'
import { type ScannedFile, scanScriptDirectory, type ScriptScan, type SkippedScript } from './scan-scripts.js'

/** List requests within this time share one scan. */
const MAX_AGE_MS = 50
const RESCAN_INTERVAL_MS = 2000
/** At most this share of the time is spent scanning. */
const MAX_SCAN_TIME_SHARE = 1 / 500
/** A list request waits no longer than this; the client is notified when the rest is known. */
const MAX_WAIT_MS = 6000
/** Delay before a script that timed out, or could not be run, is tried again. */
const RETRY_DELAY_MS = 60_000
const CONCURRENCY = 8

export interface ScriptIndex {
  /** Scripts that became tools, by file name. */
  readonly scripts: readonly ScriptTool[]
  readonly skipped: readonly SkippedScript[]
  /** Why the list is empty or incomplete. */
  readonly problem: string | undefined
  /** Rescans. Returns a promise only if scripts must be run. */
  refresh(): Promise<void> | undefined
  close(): void
}

export interface ScriptIndexDeps {
  readonly directory: string
  /** Names that no script tool may have, in lower case. */
  readonly reservedNames: ReadonlySet<string>
  /** Rejects if no command can be run. */
  readonly describe: (path: string) => Promise<DescribeScriptResult>
  readonly changeEvents: ChangeEvents
  readonly warn: (message: string) => void
}

interface DescribedScript {
  readonly fingerprint: string
  readonly result: DescribeScriptResult
  readonly describedAt: number
}

type ScriptFile = Extract<ScannedFile, { readonly mark: string }>

export function createScriptIndex({
  directory,
  reservedNames,
  describe,
  changeEvents,
  warn,
}: ScriptIndexDeps): ScriptIndex {
  const described = new Map<string, DescribedScript>()
  const loggedMessages = new Set<string>()
  let scan: ScriptScan = { problem: undefined, files: [] }
  let scripts: readonly ScriptTool[] = []
  let skipped: readonly SkippedScript[] = []
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
    if (isClosed || startedAt - scannedAt < MAX_AGE_MS) return undefined
    const before = JSON.stringify(scan)
    scan = scanScriptDirectory(directory)
    scannedAt = performance.now()
    const costMs = scannedAt - startedAt
    const files = scan.files.filter(isScriptFile)
    const changed = isForList || !runFailure || isRetryDue(runFailure.at) ? files.filter(isNew) : []
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

  function isNew({ path, fingerprint }: ScriptFile): boolean {
    return described.get(path)?.fingerprint !== fingerprint
  }

  function isDueAgain({ path, fingerprint }: ScriptFile): boolean {
    const { result, describedAt = Infinity, fingerprint: before } = described.get(path) ?? {}
    return (
      before === fingerprint && result !== undefined && 'reason' in result && result.timedOut && isRetryDue(describedAt)
    )
  }

  function waitAtMost(work: Promise<void>): Promise<void> {
    let timeout: NodeJS.Timeout | undefined
    // Not unref'ed: the process stays alive while a request waits.
    const expired = new Promise<void>((resolve) => {
      timeout = setTimeout(resolve, MAX_WAIT_MS)
    }).then(() => {
      waitExpired = true
      rebuildList()
    })
    return Promise.race([work, expired]).finally(() => clearTimeout(timeout))
  }

  async function describeAll(files: readonly ScriptFile[]): Promise<void> {
    runFailure = undefined
    const queue = files.values()
    const describeNext = async (): Promise<void> => {
      for (const { path, fingerprint } of queue)
        described.set(path, { fingerprint, result: await describe(path), describedAt: performance.now() })
    }
    const outcomes = await Promise.allSettled(Array.from({ length: CONCURRENCY }, describeNext))
    const failed = outcomes.find((result) => result.status === 'rejected')
    if (failed) runFailure = { why: errorMessage(failed.reason), at: performance.now() }
  }

  /** Rebuilds the list from the results so far. A script that is being run again keeps its last result. */
  function rebuildList(): void {
    if (isClosed) return
    const before = listFingerprint(scripts)
    const results = scan.files
      .filter(isScriptFile)
      .map(({ file, path }) => ({ file, path, result: described.get(path)?.result }))
    const candidates = results.flatMap(({ file, path, result }): DescribedScriptFile[] =>
      result && 'description' in result ? [{ file, path, description: result.description }] : [],
    )
    const named = assignToolNames(candidates, reservedNames)
    scripts = named.scripts
    skipped = [
      ...scan.files.filter((file) => 'reason' in file),
      ...results.flatMap(({ file, result }) => (result && 'reason' in result ? [{ file, reason: result.reason }] : [])),
      ...named.skipped,
    ]
    for (const { file, reason } of skipped) warnOnce(`${file} is left out: it ${reason}`)
    const problem = problemNow()
    if (problem !== undefined) warnOnce(problem)
    const wasListedBefore = wasListed
    wasListed = true
    if (wasListedBefore && listFingerprint(scripts) !== before) changeEvents.notifyListChanged('tools')
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
    if (!isClosed)
      timer = setTimeout(() => void refresh(false), Math.max(RESCAN_INTERVAL_MS, costMs / MAX_SCAN_TIME_SHARE)).unref()
  }

  return {
    get scripts() {
      return scripts
    },
    get skipped() {
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

function isScriptFile(file: ScannedFile): file is ScriptFile {
  return !('reason' in file)
}

function isRetryDue(since: number): boolean {
  return performance.now() - since > RETRY_DELAY_MS
}

function listFingerprint(scripts: readonly ScriptTool[]): string {
  return JSON.stringify(scripts)
}
