// Screen of one job: its latest output, all output on request, and killing it.

import type { OfServer } from '../../services/board/board.js'
import type { JobView } from '../../services/board/view.js'
import { plainLines } from '../../lib/plain-lines.js'
import { attempt, fitting, readAll, roomAbove, wrapped, type Context } from './context.js'
import { joined, line, projectName } from './phrases.js'
import type { Entry, Menu } from './prompts.js'
import { jobState } from './sections.js'
import { readWholeOutput } from './whole-output.js'

type JobScreenAction = 'back' | 'output' | 'kill'

const COMMAND_ROWS = 3

export async function followJob(context: Context, { server, id }: JobView): Promise<void> {
  const { prompts } = context
  const job = (): JobView | undefined => context.view().jobs.find((each) => each.server === server && each.id === id)
  for (let action: JobScreenAction | undefined = 'back'; ;) {
    const { notice } = context
    action = await prompts.choose(() => createMenu(context, job(), notice), action)
    context.notice = ''
    if (action === undefined || action === 'back') return
    if (action === 'output') await attempt(context, () => showOutput(context, { server, id }), '')
    if (action === 'kill') await killJob(context, job())
  }
}

async function showOutput(context: Context, job: OfServer): Promise<void> {
  const { say, bytes } = context.words
  const missing = (count: number): string => `[${say('outputMissing', { size: bytes(count) })}]`
  const { text, skippedBytes } = await readWholeOutput(context.board, job, missing)
  const skipped = skippedBytes === 0 ? '' : `${say('notShown', { size: bytes(skippedBytes) })}\n`
  await readAll(context, `${skipped}${text === '' ? say('outputEmpty') : text}`)
}

async function killJob(context: Context, job: JobView | undefined): Promise<void> {
  if (!job) return
  const { board, prompts } = context
  const { say } = context.words
  const question = say('killJob', { id: `${job.id}`, command: line(job.command) })
  const isConfirmed = await prompts.confirm(fitting(context, question), say('kill'))
  if (isConfirmed) await attempt(context, () => board.kill(job), say('killed'))
}

function createMenu(context: Context, job: JobView | undefined, notice: string): Menu<JobScreenAction> {
  const { words: translator } = context
  const { say } = translator
  if (!job) return { message: say('jobLost'), entries: [{ value: 'back', label: say('back') }] }
  const entries: readonly Entry<JobScreenAction>[] = [
    { value: 'back', label: say('back') },
    { value: 'output', label: say('wholeOutput') },
    ...(job.isRunning ? [{ value: 'kill', label: say('killMore') } as const] : []),
  ]
  const time = jobState(job, translator, Date.now())
  const state = job.isRunning ? say('runningFor', { time }) : time
  const heading = [
    fitting(context, joined(say('job', { id: `${job.id}` }), state, projectName(job.project))),
    ...(notice === '' ? [] : [fitting(context, notice)]),
    ...wrapped(context, line(job.command)).slice(0, COMMAND_ROWS),
  ]
  const maxRows = Math.max(1, roomAbove(context, entries.length) - heading.length)
  const tail = plainLines(job.tail.trimEnd()).slice(-maxRows)
  return { message: [...heading, ...tail.map((each) => fitting(context, each))].join('\n'), entries }
}
