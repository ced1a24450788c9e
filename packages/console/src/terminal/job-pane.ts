// The pane of a job: its output as it is printed, the whole of it on request or in a file, its terminal, restarting and
// killing it. A job whose server has exited shows the last lines that are known, and nothing can be done with it. Opened
// by home-screen.ts. Reads output and acts through the console.

import { findLineStart, readPart, type ReadOutputChunk } from '../output-stream.js'
import type { JobView } from '../view.js'
import { attachToJob } from './attach-job.js'
import {
  findJob,
  formatAgo,
  formatClient,
  formatJobState,
  formatProjectName,
  isOfGoneServer,
  joinParts,
  sanitizeLine,
} from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import { createJobOutput } from './job-output.js'
import { drawJobUsage } from './job-usage.js'
import { createScroller, type KeyBinding, type Pane } from './pane.js'
import { type Area, type Row, wrapText } from './rows.js'
import { saveOutput } from './save-output.js'

const COMMAND_ROWS = 3

/** `onRestarted`: called with the number of the new job. */
export function createJobPane(context: InboxContext, shownJob: JobView, onRestarted?: (id: number) => void): Pane {
  const { ui, translator, userConsole } = context
  const { translate } = translator
  const { id } = shownJob
  const scroller = createScroller(translator, true)
  const output = createJobOutput(context)
  let isShown = false
  /** Undefined if it is no longer known. Another server of its project may have taken it over. */
  const find = (): JobView | undefined => findJob(context.view(), shownJob)

  async function kill(job: JobView): Promise<void> {
    const question = translate('killJob', { id: `${id}`, command: sanitizeLine(job.command) })
    if (await ui.confirm(question, translate('kill'))) await ui.run(() => userConsole.kill(job), translate('killed'))
  }

  async function restart(job: JobView): Promise<void> {
    const question = translate('restartJob', { id: `${id}`, command: sanitizeLine(job.command) })
    if (!(await ui.confirm(question, translate('restartYes')))) return
    await ui.run(async () => {
      const { id: started } = await userConsole.restartJob(job)
      onRestarted?.(started)
      return translate('restarted', { id: `${started}` })
    })
  }

  async function attach(job: JobView): Promise<void> {
    ui.setStatus(await ui.away((screen) => attachToJob(context, screen, job)))
  }

  function actions(job: JobView): readonly KeyBinding[] {
    const { isRunning, terminal, usage } = job
    const giveBack = (): Promise<unknown> =>
      ui.run(() => userConsole.terminalOf(job).giveBack(false), translate('gaveBack'))
    return [
      ...(isRunning && terminal
        ? [{ keys: ['t'], hint: 't', label: translate('attach'), run: () => attach(job) }]
        : []),
      ...(terminal?.isUserTyping
        ? [{ keys: ['b'], hint: 'b', label: translate('giveBack'), run: async () => void (await giveBack()) }]
        : []),
      { keys: ['o'], hint: 'o', label: translate('wholeOutput'), run: () => showFullOutput(context, job) },
      { keys: ['s'], hint: 's', label: translate('saveMore'), run: () => saveOutput(context, job) },
      ...(isRunning ? [{ keys: ['x'], hint: 'x', label: translate('killMore'), run: () => kill(job) }] : []),
      // A server of an older version can neither measure nor restart it.
      ...(usage === undefined
        ? []
        : [{ keys: ['r'], hint: 'r', label: translate('restartMore'), run: () => restart(job) }]),
    ]
  }

  function headingRows(job: JobView | undefined, area: Area): readonly Row[] {
    const { columns } = area
    const { command, terminal, isRunning } = job ?? shownJob
    const state = job ? describeState(context, job) : translate('jobLost')
    const client = formatClient(job ?? shownJob)
    const title = joinParts(translate('job', { id: `${id}` }), state, formatProjectName(shownJob.project), client)
    const taken = isRunning && terminal?.isUserTyping ? wrapText(translate('terminalTaken'), columns, 'warning') : []
    const gone = job && isOfGoneServer(context.view(), job) ? wrapText(translate('jobLost'), columns, 'warning') : []
    const old = job && job.usage === undefined ? wrapText(translate('restartOld'), columns, 'dim') : []
    const usage = job?.isRunning && job.usage !== undefined ? drawJobUsage(translator, job.usage, area) : []
    return [
      ...wrapText(title, columns, 'accent'),
      ...gone,
      ...wrapText(command, columns).slice(0, COMMAND_ROWS),
      ...usage,
      ...old,
      ...taken,
    ]
  }

  return {
    show() {
      isShown = true
    },
    hide() {
      isShown = false
      output.stop()
    },
    draw(area) {
      const { columns, rows } = area
      const job = find()
      const heading = headingRows(job, area)
      const gap: readonly Row[] = rows >= 10 ? [[]] : []
      if (isShown && job) output.follow(job)
      const body = output.rows(columns, job ?? shownJob)
      const found = output.takeFoundRow()
      const drawn = [...heading, ...gap, ...scroller.cut(body, Math.max(1, rows - heading.length - gap.length))]
      if (found === undefined) return drawn
      // How many rows are visible is known from then on.
      scroller.reveal(found)
      return [...heading, ...gap, ...scroller.cut(body, Math.max(1, rows - heading.length - gap.length))]
    },
    bindings() {
      const job = find()
      const canAct = job && !isOfGoneServer(context.view(), job)
      return [
        ...(canAct ? actions(job) : []),
        ...output.bindings(job ?? shownJob),
        ...scroller.bindings(translate('scroll')),
      ]
    },
  }
}

function describeState({ translator }: InboxContext, job: JobView): string {
  const now = Date.now()
  const state = formatJobState(job, translator, now)
  if (job.isRunning) return translator.translate('runningFor', { time: state })
  return joinParts(state, job.endedAt !== null && formatAgo(translator, job.endedAt, now))
}

async function showFullOutput(context: InboxContext, job: JobView): Promise<void> {
  const { translate, formatBytes } = context.translator
  const { text, skippedBytes } = await readFullOutput(context, job)
  const command = job.isCommandShortened ? (await context.userConsole.readJob(job)).command : job.command
  const skipped = skippedBytes === 0 ? '' : `${translate('notShown', { size: formatBytes(skippedBytes) })}\n`
  await context.ui.showFullText(`$ ${command}\n\n${skipped}${text === '' ? translate('outputEmpty') : text}`)
}

/** What a terminal still scrolls; longer output is read on the page. */
const MAX_BYTES = 8 * 1024 * 1024

interface FullOutput {
  readonly text: string
  /** Bytes before the text that were skipped. */
  readonly skippedBytes: number
}

/** Reads the output of a job up to now; of a very long output, only the end. */
async function readFullOutput({ userConsole, translator }: InboxContext, job: JobView): Promise<FullOutput> {
  const { translate, formatBytes } = translator
  const read: ReadOutputChunk = (from, maxBytes) => userConsole.readOutput(job, from, maxBytes)
  const { size } = await read(0, 0)
  const startOffset = await findLineStart(read, size - MAX_BYTES)
  const missingText = (bytes: number): string => `[${translate('outputMissing', { size: formatBytes(bytes) })}]\n`
  const { signal } = new AbortController()
  let text = ''
  for (let next = startOffset; next < size;) {
    const part = await readPart(read, { from: next }, size, signal, missingText)
    text += part.text
    if (part.next <= next) break
    next = part.next
  }
  return { text, skippedBytes: startOffset }
}
