// The output in the pane of a job: its end, followed while the pane is shown, with colours, wrapped or not, and searched.
// Reading that fails is tried again after a delay. Used by job-pane.ts. Reads through the console.

import { Failure } from '@scorpiox/mcp/errors'
import { findInOutput } from '../find-in-output.js'
import { type ReadOutputChunk, streamOutput } from '../output-stream.js'
import type { JobView, OutputOffset } from '../view.js'
import { isOfGoneServer } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import { createOutputLines, type FoundText, type OutputLines } from './output-lines.js'
import type { KeyBinding } from './pane.js'
import { type Row, wrapText } from './rows.js'
import { createSearchBinding } from './search-binding.js'

const RETRY_MS = 1000
const MAX_RETRY_MS = 15_000

export interface JobOutput {
  /** Follows the output of a job, from the server that has it now; called with each drawing. */
  follow(job: JobView): void
  stop(): void
  rows(columns: number, job: JobView): readonly Row[]
  /** The row to scroll to, once after each search. */
  takeFoundRow(): number | undefined
  bindings(job: JobView): readonly KeyBinding[]
}

export function createJobOutput(context: InboxContext): JobOutput {
  const { userConsole, ui, translator, view } = context
  const { translate, formatBytes } = translator
  let followed: { readonly server: string; readonly stopping: AbortController } | undefined
  let failures = 0
  let retryAt = 0
  /** Undefined: not read yet; the last lines that the server has sent are shown instead. */
  let lines: OutputLines | undefined
  let isWrapped = true
  let query = ''
  let found: FoundText | undefined
  let isFoundNew = false
  let foundRow: number | undefined

  const reader =
    (job: JobView): ReadOutputChunk =>
    (from, maxBytes) =>
      userConsole.readOutput(job, from, maxBytes)

  async function read(job: JobView, signal: AbortSignal): Promise<void> {
    const next = createOutputLines()
    for await (const event of streamOutput(reader(job), 'end', signal, { hasStyles: true })) {
      if (signal.aborted) return
      const gap = event.missing > 0 ? `[${translate('outputMissing', { size: formatBytes(event.missing) })}]\n` : ''
      next.append(`${gap}${event.text}`, event.open)
      if (lines !== next) found = undefined
      lines = next
      failures = 0
      ui.redraw()
    }
  }

  function stop(): void {
    followed?.stopping.abort()
    followed = undefined
    failures = 0
    retryAt = 0
  }

  function follow(job: JobView): void {
    const isNew = followed !== undefined && followed.server !== job.server
    if (followed?.server === job.server || isOfGoneServer(view(), job) || (Date.now() < retryAt && !isNew)) return
    followed?.stopping.abort()
    const current = { server: job.server, stopping: new AbortController() }
    followed = current
    read(job, current.stopping.signal).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error
      if (followed !== current) return
      followed = undefined
      retryAt = Date.now() + Math.min(RETRY_MS * 2 ** failures++, MAX_RETRY_MS)
      ui.redraw()
    })
  }

  async function search(text: string, job: JobView): Promise<void> {
    query = text
    found = undefined
    if (query !== '') await move('N', job)
  }

  /** A search begins at the end, which is what a person looks at. */
  async function move(key: string, job: JobView): Promise<void> {
    const all = lines?.find(query) ?? []
    const before = found
    const at =
      before === undefined ? -1 : all.findIndex(({ line, from }) => line === before.line && from === before.from)
    const next = key === 'N' ? (at <= 0 ? all.length - 1 : at - 1) : (at + 1) % all.length
    found = all[next]
    isFoundNew = true
    if (found) return ui.setStatus(translate('foundAt', { at: `${next + 1}`, n: `${all.length}` }))
    await ui.run(async () => translate((await isInOutput(job)) ? 'foundEarlier' : 'foundNothing'))
  }

  /** In everything that is kept. */
  async function isInOutput(job: JobView): Promise<boolean> {
    const { signal } = new AbortController()
    for (let position: OutputOffset | null = { from: 0 }; position !== null;) {
      const result = await findInOutput(reader(job), query, position, signal)
      if (result.found !== null) return true
      position = result.next
    }
    return false
  }

  return {
    follow,
    stop,
    rows(columns, job) {
      const { tail, isRunning } = job
      if (lines === undefined && tail.trim() !== '') return wrapText(tail.trimEnd(), columns)
      if (lines === undefined || lines.isEmpty)
        return [[{ text: translate(isRunning ? 'noOutput' : 'outputEmpty'), style: 'dim' }]]
      const drawn = lines.rows({ columns, isWrapped }, query === '' ? undefined : found)
      if (isFoundNew) foundRow = drawn.foundRow
      isFoundNew = false
      const isBehind = retryAt > 0 && followed === undefined && !isOfGoneServer(view(), job)
      return isBehind ? [...drawn.rows, ...wrapText(translate('outputRetrying'), columns, 'warning')] : drawn.rows
    },
    takeFoundRow() {
      const row = foundRow
      foundRow = undefined
      return row
    },
    bindings: (job) =>
      lines === undefined
        ? []
        : [
            createSearchBinding(context, {
              message: translate('searchOutput'),
              text: query,
              search: (text) => search(text, job),
            }),
            ...(query === ''
              ? []
              : [{ keys: ['n', 'N'], hint: 'n/N', label: translate('matches'), run: (key: string) => move(key, job) }]),
            {
              keys: ['w'],
              hint: 'w',
              label: translate('outputWrap'),
              isMinor: true,
              run: () => void (isWrapped = !isWrapped),
            },
          ],
  }
}
