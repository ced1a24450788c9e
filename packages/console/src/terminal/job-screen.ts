// Screen of one job in the inbox: its latest output, all output on request, and killing it. Opened by screens.ts. Reads
// and writes the terminal; reads output and kills jobs through the console.

import { toPrintableLines } from '@scorpiox/server/terminal/text-layout'
import { findLineStart, type ReadOutputChunk, streamOutput } from '../output-stream.js'
import type { ServerJobRef, UserConsole } from '../user-console.js'
import type { JobView } from '../view.js'
import { formatJobState, formatProjectName, joinParts, sanitizeLine } from './format-view.js'
import { fitLine, type InboxContext, rowsAbove, runAction, showFullText, wrapToScreen } from './inbox-context.js'
import type { PromptEntry, PromptMenu } from './prompts.js'

type JobScreenAction = 'back' | 'attach' | 'give-back' | 'output' | 'kill'

const COMMAND_ROWS = 3

export async function showJob(context: InboxContext, { server, id }: JobView): Promise<void> {
  const { prompts } = context
  const { translate } = context.translator
  const job = (): JobView | undefined => context.view().jobs.find((each) => each.server === server && each.id === id)
  for (let action: JobScreenAction | undefined = 'back'; ;) {
    const { statusLine } = context
    action = await prompts.choose(() => createMenu(context, job(), statusLine), action)
    context.statusLine = ''
    if (action === undefined || action === 'back') return
    if (action === 'attach') await attach(context, job())
    if (action === 'give-back')
      await runAction(
        context,
        () => context.userConsole.terminalOf({ server, id }).giveBack(false),
        translate('gaveBack'),
      )
    if (action === 'output') await runAction(context, () => showOutput(context, { server, id }), '')
    if (action === 'kill') await killJob(context, job())
  }
}

async function showOutput(context: InboxContext, job: ServerJobRef): Promise<void> {
  const { translate, formatBytes } = context.translator
  const missing = (count: number): string => `[${translate('outputMissing', { size: formatBytes(count) })}]`
  const { text, skippedBytes } = await readFullOutput(context.userConsole, job, missing)
  const skipped = skippedBytes === 0 ? '' : `${translate('notShown', { size: formatBytes(skippedBytes) })}\n`
  await showFullText(context, `${skipped}${text === '' ? translate('outputEmpty') : text}`)
}

async function attach(context: InboxContext, job: JobView | undefined): Promise<void> {
  if (!job) return
  const { attachToJob } = await import('./attach-screen.js')
  let statusLine = ''
  await runAction(context, async () => void (statusLine = await attachToJob(context, job)), '')
  if (statusLine !== '') context.statusLine = statusLine
}

async function killJob(context: InboxContext, job: JobView | undefined): Promise<void> {
  if (!job) return
  const { userConsole, prompts } = context
  const { translate } = context.translator
  const question = translate('killJob', { id: `${job.id}`, command: sanitizeLine(job.command) })
  const isConfirmed = await prompts.confirm(fitLine(context, question), translate('kill'))
  if (isConfirmed) await runAction(context, () => userConsole.kill(job), translate('killed'))
}

function createMenu(context: InboxContext, job: JobView | undefined, notice: string): PromptMenu<JobScreenAction> {
  const { translator } = context
  const { translate } = translator
  if (!job) return { message: translate('jobLost'), entries: [{ value: 'back', label: translate('back') }] }
  const isTyping = job.terminal?.isUserTyping === true
  const entries: readonly PromptEntry<JobScreenAction>[] = [
    { value: 'back', label: translate('back') },
    ...(job.isRunning && job.terminal ? [{ value: 'attach', label: translate('attach') } as const] : []),
    ...(isTyping ? [{ value: 'give-back', label: translate('giveBack') } as const] : []),
    { value: 'output', label: translate('wholeOutput') },
    ...(job.isRunning ? [{ value: 'kill', label: translate('killMore') } as const] : []),
  ]
  const time = formatJobState(job, translator, Date.now())
  const state = job.isRunning ? translate('runningFor', { time }) : time
  const heading = [
    fitLine(context, joinParts(translate('job', { id: `${job.id}` }), state, formatProjectName(job.project))),
    ...(notice === '' ? [] : [fitLine(context, notice)]),
    ...(isTyping ? [fitLine(context, translate('terminalTaken'))] : []),
    ...wrapToScreen(context, sanitizeLine(job.command)).slice(0, COMMAND_ROWS),
  ]
  const maxRows = Math.max(1, rowsAbove(context, entries.length) - heading.length)
  const tail = toPrintableLines(job.tail.trimEnd()).slice(-maxRows)
  return { message: [...heading, ...tail.map((each) => fitLine(context, each))].join('\n'), entries }
}

/** Terminals keep only a few thousand lines of scrollback. */
const MAX_BYTES = 8 * 1024 * 1024

export interface FullOutput {
  readonly text: string
  /** Bytes before the text that were skipped. */
  readonly skippedBytes: number
}

/** Reads the output of a job up to now for printing on the terminal; of a very long output, only the end. */
async function readFullOutput(
  userConsole: UserConsole,
  job: ServerJobRef,
  missingLine: (bytes: number) => string,
): Promise<FullOutput> {
  const read: ReadOutputChunk = (from, maxBytes) => userConsole.readOutput(job, from, maxBytes)
  const { size } = await read(0, 0)
  const startOffset = await findLineStart(read, size - MAX_BYTES)
  let text = ''
  for (let next = startOffset; next < size;) {
    const from = next
    const stop = new AbortController()
    for await (const event of streamOutput(read, { from }, stop.signal)) {
      if (event.missing > 0) text += `${missingLine(event.missing)}\n`
      next = event.next
      const isComplete = next >= size
      text += event.text + (isComplete ? event.open : '')
      // Do not wait for new output.
      if (isComplete) stop.abort()
    }
    if (next === from) break
  }
  return { text, skippedBytes: startOffset }
}
