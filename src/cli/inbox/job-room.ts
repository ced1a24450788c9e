// One job, followed: the end of what it prints as it prints it, all of it on demand, and its end.

import type { OfServer } from '../../services/board/board.js'
import type { JobView } from '../../services/board/view.js'
import { plainLines } from '../../lib/plain-lines.js'
import { attempt, fitting, readAll, roomAbove, wrapped, type Context } from './context.js'
import { joined, line, projectName } from './phrases.js'
import type { Entry, Menu } from './prompts.js'
import { jobState } from './sections.js'
import { readWholeOutput } from './whole-output.js'

type Deed = 'back' | 'output' | 'kill'

const COMMAND_ROWS = 3

export async function followJob(context: Context, { server, id }: JobView): Promise<void> {
  const { prompts } = context
  const job = (): JobView | undefined => context.view().jobs.find((each) => each.server === server && each.id === id)
  for (let deed: Deed | undefined = 'back'; ;) {
    const { notice } = context
    deed = await prompts.choose(() => menuOf(context, job(), notice), deed)
    context.notice = ''
    if (deed === undefined || deed === 'back') return
    if (deed === 'output') await attempt(context, () => showOutput(context, { server, id }), '')
    if (deed === 'kill') await kill(context, job())
  }
}

async function showOutput(context: Context, job: OfServer): Promise<void> {
  const missing = (bytes: number): string => `[${bytes} bytes that were here are no longer kept]`
  const { text, skippedBytes } = await readWholeOutput(context.board, job, missing)
  await readAll(context, skippedBytes > 0 ? `[${skippedBytes} bytes before this are not shown]\n${text}` : text)
}

async function kill(context: Context, job: JobView | undefined): Promise<void> {
  if (!job) return
  const { board, prompts } = context
  const isMeant = await prompts.confirm(fitting(context, `Kill job ${job.id}? ${line(job.command)}`), 'Kill')
  if (isMeant) await attempt(context, () => board.kill(job), 'Killed.')
}

function menuOf(context: Context, job: JobView | undefined, notice: string): Menu<Deed> {
  if (!job) return { message: 'The server of this job is gone.', entries: [{ value: 'back', label: 'Back' }] }
  const entries: readonly Entry<Deed>[] = [
    { value: 'back', label: 'Back' },
    { value: 'output', label: 'Whole output' },
    ...(job.isRunning ? [{ value: 'kill', label: 'Kill…' } as const] : []),
  ]
  const state = jobState(job, Date.now())
  const head = [
    fitting(context, joined(`Job ${job.id}`, job.isRunning ? `running ${state}` : state, projectName(job.project))),
    ...(notice === '' ? [] : [fitting(context, notice)]),
    ...wrapped(context, line(job.command)).slice(0, COMMAND_ROWS),
  ]
  const room = Math.max(1, roomAbove(context, entries.length) - head.length)
  const tail = plainLines(job.tail.trimEnd()).slice(-room)
  return { message: [...head, ...tail.map((each) => fitting(context, each))].join('\n'), entries }
}
