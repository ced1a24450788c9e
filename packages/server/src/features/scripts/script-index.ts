// The current list of script tools. Rescans the directory cheaply and runs only new or changed scripts with --schema;
// what they printed is cached for the next start.
// Notifies clients when the list changes, and logs which scripts were skipped. Created by script-tools, for the server and
// for `doctor`. Reads the directory and, through the given function `describe`, starts processes.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { errorMessage } from '@scorpiox/mcp/errors'
import { createPollingIndex, type IndexUpdate, type PollingIndex } from '../../storage/polling-index.js'
import { toSingleLine } from '../../text/format.js'
import { assignToolNames, type DescribedScriptFile, type ScriptTool } from './assign-tool-names.js'
import type { DescribeScriptResult } from './describe-script.js'
import { type ScannedFile, scanScriptDirectory, type ScriptScan, type SkippedScript } from './scan-scripts.js'
import type { CachedDescription, ScriptDescriptionCache } from './script-description-cache.js'

/** A list request waits no longer than this; the client is notified when the rest is known. */
const MAX_WAIT_MS = 6000
/** Delay before a script that timed out, or could not be run, is tried again. */
const RETRY_DELAY_MS = 60_000
const CONCURRENCY = 8
/** Paths and texts of scripts are in it. */
const MAX_REASON = 1000

export interface ScriptIndex extends PollingIndex {
  /** Scripts that became tools, by file name. */
  readonly scripts: readonly ScriptTool[]
  readonly skipped: readonly SkippedScript[]
  /** Why the list is empty or incomplete. */
  readonly problem: string | undefined
}

export interface ScriptIndexDeps {
  readonly directory: string
  /** Names that no script tool may have, in lower case. */
  readonly reservedNames: ReadonlySet<string>
  /** Rejects if no command can be run. */
  readonly describe: (path: string) => Promise<DescribeScriptResult>
  /** What scripts printed at earlier starts; undefined: not cached. */
  readonly cache: ScriptDescriptionCache | undefined
  readonly changeEvents: ChangeEvents
  readonly warn: (message: string) => void
}

interface DescribedScript {
  readonly fingerprint: string
  readonly result: DescribeScriptResult
  readonly describedAt: number
  /** By the wall clock, as the times of files are. */
  readonly startedAt: number
}

type ScriptFile = Exclude<ScannedFile, SkippedScript>

export function createScriptIndex({
  directory,
  reservedNames,
  describe,
  cache,
  changeEvents,
  warn,
}: ScriptIndexDeps): ScriptIndex {
  const described = new Map<string, DescribedScript>()
  const loggedMessages = new Set<string>()
  let latest: ScriptScan = { problem: undefined, files: [] }
  let scripts: readonly ScriptTool[] = []
  let skipped: readonly SkippedScript[] = []
  let runFailure: { readonly why: string; readonly at: number } | undefined
  let wasListed = false
  let isClosed = false

  function scan(isForRequest: boolean): IndexUpdate | undefined {
    const before = JSON.stringify(latest)
    latest = scanScriptDirectory(directory)
    const files = latest.files.filter(isScriptFile)
    for (const file of files.filter(isNew)) takeCached(file)
    const changed = isForRequest || !runFailure || isRetryDue(runFailure.at) ? files.filter(isNew) : []
    const retries = isForRequest ? files.filter(isDueAgain) : []
    if (changed.length + retries.length === 0) {
      if (!wasListed || JSON.stringify(latest) !== before) rebuildList()
      return undefined
    }
    return { work: describeAll([...changed, ...retries]).finally(rebuildList), isBackground: changed.length === 0 }
  }

  function isNew({ path, fingerprint }: ScriptFile): boolean {
    return described.get(path)?.fingerprint !== fingerprint
  }

  function takeCached({ path, fingerprint }: ScriptFile): void {
    const result = cache?.find(path, fingerprint)
    if (result) described.set(path, { fingerprint, result, describedAt: performance.now(), startedAt: Date.now() })
  }

  function isDueAgain({ path, fingerprint }: ScriptFile): boolean {
    const { result, describedAt = Infinity, fingerprint: before } = described.get(path) ?? {}
    return (
      before === fingerprint && result !== undefined && 'reason' in result && result.timedOut && isRetryDue(describedAt)
    )
  }

  async function describeAll(files: readonly ScriptFile[]): Promise<void> {
    runFailure = undefined
    const queue = files.values()
    const describeNext = async (): Promise<void> => {
      for (const { path, fingerprint } of queue) {
        const startedAt = Date.now()
        described.set(path, { fingerprint, result: await describe(path), describedAt: performance.now(), startedAt })
      }
    }
    const outcomes = await Promise.allSettled(Array.from({ length: CONCURRENCY }, describeNext))
    const failed = outcomes.find((result) => result.status === 'rejected')
    if (failed) runFailure = { why: errorMessage(failed.reason), at: performance.now() }
    cache?.save(listCacheable())
  }

  function listCacheable(): readonly CachedDescription[] {
    return latest.files.filter(isScriptFile).flatMap(({ path }) => {
      const { result, fingerprint, startedAt } = described.get(path) ?? {}
      if (!result || !('printed' in result) || fingerprint === undefined || startedAt === undefined) return []
      return [{ path, fingerprint, startedAt, printed: result.printed }]
    })
  }

  /** Rebuilds the list from the results so far. A script that is being run again keeps its last result. */
  function rebuildList(): void {
    if (isClosed) return
    const before = listFingerprint(scripts)
    const results = latest.files
      .filter(isScriptFile)
      .map(({ file, path }) => ({ file, path, result: described.get(path)?.result }))
    const candidates = results.flatMap(({ file, path, result }): DescribedScriptFile[] =>
      result && 'description' in result ? [{ file, path, description: result.description }] : [],
    )
    const named = assignToolNames(candidates, reservedNames)
    scripts = named.scripts
    skipped = [
      ...latest.files.filter((file) => 'reason' in file),
      ...results.flatMap(({ file, result }) => (result && 'reason' in result ? [{ file, reason: result.reason }] : [])),
      ...named.skipped,
    ].map(({ file, reason }) => ({ file, reason: toSingleLine(reason, MAX_REASON) }))
    for (const { file, reason } of skipped) warnOnce(`${file} is left out: it ${reason}`)
    const problem = problemNow()
    if (problem !== undefined) warnOnce(problem)
    const wasListedBefore = wasListed
    wasListed = true
    if (wasListedBefore && listFingerprint(scripts) !== before) changeEvents.notifyListChanged('tools')
  }

  function problemNow(): string | undefined {
    return latest.problem ?? runFailure?.why
  }

  function warnOnce(message: string): void {
    if (!loggedMessages.has(message)) warn(`script tools: ${message}`)
    loggedMessages.add(message)
  }

  const polling = createPollingIndex({
    scan,
    maxWaitMs: MAX_WAIT_MS,
    onWaitExpired: rebuildList,
    waitKeepsAlive: true,
  })

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
    refresh: (maxAgeMs) => polling.refresh(maxAgeMs),
    close() {
      isClosed = true
      polling.close()
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
