// Which scripts there are, as cheaply as that can be known: a look at the folder, and only a script that is new or changed
// is asked what it is. Whoever was shown the list is told when it is another, and the log which scripts are left out.

import { reasonOf } from '../../lib/reason-of.js'
import type { Notices } from '../notices.js'
import type { Answer } from './ask-script.js'
import { lineUp, type Candidate, type Script } from './line-up.js'
import { surveyScripts, type LeftOut, type Seen, type Survey } from './survey.js'

/** Lists that are asked for one after the other are answered from one look. */
const PATIENCE_MS = 50
const LOOK_EVERY_MS = 2000
/** Of all time, no more than this share is spent looking. */
const SHARE = 1 / 500
/** Longer than this no list waits; whoever was shown less is told when the rest is known. */
const WAIT_MS = 6000
/** How soon what hung, or could not be run at all, is tried again. */
const AGAIN_MS = 60_000
const AT_ONCE = 8

export interface ScriptIndex {
  /** Those that are tools, by the names of their files. */
  readonly scripts: readonly Script[]
  readonly leftOut: readonly LeftOut[]
  /** Why there are none, or perhaps not all. */
  readonly problem: string | undefined
  /** Looks again; there is something to wait for only where scripts must be asked. */
  refresh(): Promise<void> | undefined
  close(): void
}

export interface IndexSettings {
  readonly folder: string
  /** The names no script may have, in small letters. */
  readonly house: ReadonlySet<string>
  /** Rejects where nothing can be run. */
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

export function createScriptIndex({ folder, house, ask, notices, complain }: IndexSettings): ScriptIndex {
  const known = new Map<string, Known>()
  const told = new Set<string>()
  let seen: Survey = { problem: undefined, files: [] }
  let scripts: readonly Script[] = []
  let leftOut: readonly LeftOut[] = []
  let refused: { readonly why: string; readonly at: number } | undefined
  let asking: Promise<void> | undefined
  /** Somebody has waited long enough. */
  let isLate = false
  let isShown = false
  let isClosed = false
  let lookedAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  function refresh(isForList: boolean): Promise<void> | undefined {
    if (asking) return isLate ? undefined : soon(asking)
    const startedAt = performance.now()
    if (isClosed || startedAt - lookedAt < PATIENCE_MS) return undefined
    const before = JSON.stringify(seen)
    seen = surveyScripts(folder)
    lookedAt = performance.now()
    const costMs = lookedAt - startedAt
    const files = seen.files.filter(isFile)
    const fresh = isForList || !refused || isDue(refused.at) ? files.filter(isNew) : []
    const again = isForList ? files.filter(isDueAgain) : []
    if (fresh.length + again.length === 0) {
      if (!isShown || JSON.stringify(seen) !== before) settle()
      lookLater(costMs)
      return undefined
    }
    isLate = fresh.length === 0
    asking = askAll([...fresh, ...again]).finally(() => {
      asking = undefined
      settle()
      lookLater(costMs)
    })
    return isLate ? undefined : soon(asking)
  }

  function isNew({ path, mark }: File): boolean {
    return known.get(path)?.mark !== mark
  }

  function isDueAgain({ path, mark }: File): boolean {
    const { answer, askedAt = Infinity, mark: before } = known.get(path) ?? {}
    return before === mark && answer !== undefined && 'isHung' in answer && answer.isHung && isDue(askedAt)
  }

  function soon(work: Promise<void>): Promise<void> {
    let limit: NodeJS.Timeout | undefined
    // While somebody waits, the process does not end.
    const late = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, WAIT_MS)
    }).then(() => {
      isLate = true
      settle()
    })
    return Promise.race([work, late]).finally(() => clearTimeout(limit))
  }

  async function askAll(files: readonly File[]): Promise<void> {
    refused = undefined
    const queue = files.values()
    const askOn = async (): Promise<void> => {
      for (const { path, mark } of queue) known.set(path, { mark, answer: await ask(path), askedAt: performance.now() })
    }
    const asked = await Promise.allSettled(Array.from({ length: AT_ONCE }, askOn))
    const failed = asked.find((result) => result.status === 'rejected')
    if (failed) refused = { why: reasonOf(failed.reason), at: performance.now() }
  }

  /** What is known so far becomes the list. One that is being asked again stays what it was. */
  function settle(): void {
    if (isClosed) return
    const before = faceOf(scripts)
    const answers = seen.files.filter(isFile).map(({ file, path }) => ({ file, path, answer: known.get(path)?.answer }))
    const candidates = answers.flatMap(({ file, path, answer }): Candidate[] =>
      answer && 'description' in answer ? [{ file, path, description: answer.description }] : [],
    )
    const line = lineUp(candidates, house)
    scripts = line.scripts
    leftOut = [
      ...seen.files.filter((file) => 'reason' in file),
      ...answers.flatMap(({ file, answer }) => (answer && 'reason' in answer ? [{ file, reason: answer.reason }] : [])),
      ...line.leftOut,
    ]
    for (const { file, reason } of leftOut) complainOnce(`${file} is left out: it ${reason}`)
    const problem = problemNow()
    if (problem !== undefined) complainOnce(problem)
    const wasShown = isShown
    isShown = true
    if (wasShown && faceOf(scripts) !== before) notices.changed('tools')
  }

  function problemNow(): string | undefined {
    return seen.problem ?? refused?.why
  }

  function complainOnce(message: string): void {
    if (!told.has(message)) complain(`script tools: ${message}`)
    told.add(message)
  }

  function lookLater(costMs: number): void {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(() => void refresh(false), Math.max(LOOK_EVERY_MS, costMs / SHARE)).unref()
  }

  return {
    get scripts() {
      return scripts
    },
    get leftOut() {
      return leftOut
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

function isFile(seen: Seen): seen is File {
  return 'mark' in seen
}

function isDue(since: number): boolean {
  return performance.now() - since > AGAIN_MS
}

/** What clients see of them, and where they are. */
function faceOf(scripts: readonly Script[]): string {
  return JSON.stringify(scripts)
}
