// Formats the result of a command, finished or continued in the background, for all tools that run one.

import type { LeftProcess } from '../../services/shell/left-process.js'
import type { Limit, Outcome } from '../../services/shell/shell.js'
import type { Words } from '../tool.js'
import { endingOf } from './ending.js'
import { listProcesses, stillRunning } from './left-processes.js'
import { mayHaveWantedInput, WANTED_INPUT } from './wanted-input.js'
import { closing, count, span } from './words.js'

export interface Phrases {
  /** Text before the output. */
  readonly heading?: string
  /** Advice after a timeout, for tools without a timeout parameter. */
  readonly atLimit?: string
}

export function outcomeWords(
  result: Outcome,
  limit: Limit,
  { heading = '', atLimit: timeoutHint }: Phrases = {},
): Words {
  const { text, ending, exitCode } = result
  const notes = [...endingNotes(result, limit, timeoutHint), ...keptNotes(result), ...leftNotes(result)]
  const content = `${heading}${notes.length === 0 ? text || '(no output)' : closing(text, notes)}`
  const isError = ending !== 'backgrounded' && !(ending === 'exit' && exitCode === 0)
  return isError ? { content, isError } : content
}

function endingNotes(result: Outcome, { ms }: Limit, timeoutHint: string | undefined): readonly string[] {
  const { ending, jobId, text, problem, left: leftover } = result
  if (ending === 'backgrounded') {
    const read = `read it with ReadBgOutput(task_id: ${jobId}), end it with KillBgTask(task_id: ${jobId})`
    return [`Still running after ${span(ms)}; it goes on as background task ${jobId}: ${read}.`]
  }
  if (ending === 'cancelled') return [`Cancelled. ${endedNote(leftover)} Check what it did before you repeat it.`]
  if (ending === 'timeout')
    return [`Timed out after ${ms} ms. ${endedNote(leftover)} ${timeoutAdvice(problem, timeoutHint)}`]
  return [...endingOf(result, text !== ''), ...inputNotes(result), ...(result.note === undefined ? [] : [result.note])]
}

function endedNote(survivors: readonly LeftProcess[]): string {
  if (survivors.length === 0) return 'It was ended with everything it started.'
  return `It was ended, but not everything it started: ${listProcesses(survivors)} could not be killed.`
}

function timeoutAdvice(problem: string | undefined, timeoutHint: string | undefined): string {
  if (timeoutHint !== undefined) return timeoutHint
  if (problem === undefined) return 'Give a longer timeout, or use BackgroundBash.'
  return `Give a longer timeout. It could not go on in the background: ${problem}.`
}

function inputNotes({ exitCode, signal, text, binary }: Outcome): readonly string[] {
  const isFailure = exitCode !== 0 && exitCode !== null && signal === null
  return isFailure && !binary && mayHaveWantedInput(text) ? [WANTED_INPUT] : []
}

function keptNotes({ ending, truncated, binary, bytes, jobId, keptBytes, problem }: Outcome): readonly string[] {
  if (ending === 'backgrounded') return []
  if (binary) return ['What is binary is not shown. Write it to a file to use it.']
  if (!truncated) return []
  if (jobId === undefined)
    return [`The ${count(bytes)} bytes of output were not kept: ${problem ?? 'there is no room'}.`]
  const stored =
    keptBytes < bytes ? `Of ${count(bytes)} bytes of output ${count(keptBytes)}` : `All ${count(bytes)} bytes of output`
  return [
    `${stored} are kept: ReadBgOutput(task_id: ${jobId}, tail: 100) reads the last lines, with pattern the last that match.`,
  ]
}

function leftNotes({ ending, left: leftover }: Outcome): readonly string[] {
  if (ending !== 'exit' || leftover.length === 0) return []
  const verb = leftover.length === 1 ? 'It ends' : 'They end'
  return [`${stillRunning(leftover)}. ${verb} with this server; use BackgroundBash for what should run on.`]
}
