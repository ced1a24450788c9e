// What a command that was waited for came to, in the words of every tool that runs one.

import type { Limit, Outcome } from '../../services/shell/shell.js'
import type { Words } from '../tool.js'
import { endingOf } from './ending.js'
import { closing, count, plural, span } from './words.js'

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
  const { ending, jobId, text, problem } = outcome
  if (ending === 'goes-on') {
    const read = `read it with ReadBgOutput(task_id: ${jobId}), end it with KillBgTask(task_id: ${jobId})`
    return [`Still running after ${span(ms)}; it goes on as background task ${jobId}: ${read}.`]
  }
  if (ending === 'cancelled')
    return ['Cancelled and ended, with everything it started. Run it again if it is still wanted.']
  if (ending === 'timeout') return [timeoutNote(ms, problem, atLimit)]
  return [...endingOf(outcome, text !== ''), ...(outcome.note === undefined ? [] : [outcome.note])]
}

function timeoutNote(ms: number, problem: string | undefined, atLimit: string | undefined): string {
  if (atLimit !== undefined) return `Timed out after ${ms} ms and was ended. ${atLimit}`
  const ended = `Timed out after ${ms} ms and was ended. Give a longer timeout`
  if (problem === undefined) return `${ended}, or use BackgroundBash.`
  return `${ended}. It could not go on in the background: ${problem}.`
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

function leftNotes({ left }: Outcome): readonly string[] {
  if (left.length === 0) return []
  const names = left.slice(0, 5).map(({ pid, name }) => `${name} (${pid})`)
  const more = left.length > 5 ? ` and ${left.length - 5} more` : ''
  const verb = left.length === 1 ? 'runs' : 'run'
  const end = left.length === 1 ? 'It ends' : 'They end'
  return [
    `${plural(left.length, 'process', 'processes')} that it started still ${verb}: ${names.join(', ')}${more}. ` +
      `${end} with this server; use BackgroundBash for what should run on.`,
  ]
}
