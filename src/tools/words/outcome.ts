// What a command that was waited for came to, in the words of every tool that runs one.

import type { LeftProcess } from '../../services/shell/left-process.js'
import type { Limit, Outcome } from '../../services/shell/shell.js'
import type { Words } from '../tool.js'
import { endingOf } from './ending.js'
import { listProcesses, stillRunning } from './left-processes.js'
import { mayHaveWantedInput, WANTED_INPUT } from './wanted-input.js'
import { closing, count, span } from './words.js'

export interface Phrases {
  /** Stands before the output. */
  readonly heading?: string
  /** What to do where the time was too short, if whoever calls cannot give more of it. */
  readonly atLimit?: string
}

export function outcomeWords(outcome: Outcome, limit: Limit, { heading = '', atLimit }: Phrases = {}): Words {
  const { text, ending, exitCode } = outcome
  const notes = [...endingNotes(outcome, limit, atLimit), ...keptNotes(outcome), ...leftNotes(outcome)]
  const words = `${heading}${notes.length === 0 ? text || '(no output)' : closing(text, notes)}`
  const isError = ending !== 'goes-on' && !(ending === 'exit' && exitCode === 0)
  return isError ? { content: words, isError } : words
}

function endingNotes(outcome: Outcome, { ms }: Limit, atLimit: string | undefined): readonly string[] {
  const { ending, jobId, text, problem, left } = outcome
  if (ending === 'goes-on') {
    const read = `read it with ReadBgOutput(task_id: ${jobId}), end it with KillBgTask(task_id: ${jobId})`
    return [`Still running after ${span(ms)}; it goes on as background task ${jobId}: ${read}.`]
  }
  if (ending === 'cancelled') return [`Cancelled. ${endedNote(left)} Check what it did before you repeat it.`]
  if (ending === 'timeout') return [`Timed out after ${ms} ms. ${endedNote(left)} ${timeoutAdvice(problem, atLimit)}`]
  return [
    ...endingOf(outcome, text !== ''),
    ...inputNotes(outcome),
    ...(outcome.note === undefined ? [] : [outcome.note]),
  ]
}

function endedNote(survivors: readonly LeftProcess[]): string {
  if (survivors.length === 0) return 'It was ended with everything it started.'
  return `It was ended, but not everything it started: ${listProcesses(survivors)} could not be killed.`
}

function timeoutAdvice(problem: string | undefined, atLimit: string | undefined): string {
  if (atLimit !== undefined) return atLimit
  if (problem === undefined) return 'Give a longer timeout, or use BackgroundBash.'
  return `Give a longer timeout. It could not go on in the background: ${problem}.`
}

function inputNotes({ exitCode, signal, text, binary }: Outcome): readonly string[] {
  const isFailure = exitCode !== 0 && exitCode !== null && signal === null
  return isFailure && !binary && mayHaveWantedInput(text) ? [WANTED_INPUT] : []
}

function keptNotes({ ending, truncated, binary, bytes, jobId, keptBytes, problem }: Outcome): readonly string[] {
  if (ending === 'goes-on') return []
  if (binary) return ['What is binary is not shown. Write it to a file to use it.']
  if (!truncated) return []
  if (jobId === undefined)
    return [`The ${count(bytes)} bytes of output were not kept: ${problem ?? 'there is no room'}.`]
  const kept =
    keptBytes < bytes ? `Of ${count(bytes)} bytes of output ${count(keptBytes)}` : `All ${count(bytes)} bytes of output`
  return [
    `${kept} are kept: ReadBgOutput(task_id: ${jobId}, tail: 100) reads the last lines, with pattern the last that match.`,
  ]
}

function leftNotes({ ending, left }: Outcome): readonly string[] {
  if (ending !== 'exit' || left.length === 0) return []
  const end = left.length === 1 ? 'It ends' : 'They end'
  return [`${stillRunning(left)}. ${end} with this server; use BackgroundBash for what should run on.`]
}
