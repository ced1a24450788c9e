// Formats the result of a command, finished or continued in the background, as the output of a tool: how it ended, what to
// do next, what was omitted and which processes still run. Used by Bash, InvokeSkill and script tools; its phrases also by
// KillBgTask and ReadBgOutput. Pure.

import type { ToolOutput } from '@scorpiox/mcp/definitions/tool'
import { appendNotes, formatCount, formatDuration, formatNumber } from '../../text/format.js'
import type { LeftoverProcess } from './command-execution.js'
import type { CommandResult } from './shell-service.js'
import type { TimeLimit } from './wait-for-command.js'

interface FormatCommandOptions {
  /** Text before the output. */
  readonly heading?: string
  /** Advice after a timeout, for tools without a timeout parameter. */
  readonly timeoutHint?: string
}

export function formatCommandResult(
  result: CommandResult,
  limit: TimeLimit,
  { heading = '', timeoutHint }: FormatCommandOptions = {},
): ToolOutput {
  const { text, ending, exitCode } = result
  const notes = [
    ...endingNotes(result, limit, timeoutHint),
    ...outputNotes(result),
    ...leftoverNotes(result),
    ...noticeNotes(result),
  ]
  const content = `${heading}${notes.length === 0 ? text || '(no output)' : appendNotes(text, notes)}`
  const isError = ending !== 'backgrounded' && !(ending === 'exit' && exitCode === 0)
  return isError ? { content, isError } : content
}

function endingNotes(result: CommandResult, { ms }: TimeLimit, timeoutHint: string | undefined): readonly string[] {
  const { ending, exitCode, jobId, text, recordProblem } = result
  if (ending === 'backgrounded') {
    const wait = `wait_for_end: true${result.waitMs === undefined ? '' : `, wait_ms: ${result.waitMs}`}`
    const next = `wait with ReadBgOutput(task_id: ${jobId}, ${wait}), kill it with KillBgTask(task_id: ${jobId})`
    return [`Still running after ${formatDuration(ms)}; it continues as job ${jobId}: ${next}.`]
  }
  if (ending === 'cancelled') return [`Cancelled: ${killedNote(result)} Check what it did before you repeat it.`]
  if (ending === 'timeout')
    return [`Timed out after ${ms} ms: ${killedNote(result)} ${timeoutAdvice(recordProblem, timeoutHint)}`]
  if (exitCode === 0) return []
  return [
    ...describeExit(result, text !== ''),
    ...inputNotes(result),
    ...(result.failureHint === undefined ? [] : [result.failureHint]),
  ]
}

function killedNote({ leftoverProcesses: survivors, areChildrenUnlisted }: CommandResult): string {
  if (survivors.length === 0)
    return areChildrenUnlisted
      ? `the command was killed. ${UNLISTED_CHILDREN}`
      : `the command and ${nameKilledChildren()} were killed.`
  return `the command was killed. Processes that could not be killed: ${formatProcesses(survivors)}.`
}

export const UNLISTED_CHILDREN = 'Its child processes could not be listed, and may still run.'

/**
 * Windows keeps no link between a process and the children of a parent that has exited, and macOS none to those that have
 * left its group, too.
 */
export function nameKilledChildren(platform: NodeJS.Platform = process.platform): string {
  return findsAllChildren(platform) ? 'its child processes' : 'those of its child processes that could be found'
}

/** By a tag in their environment. */
function findsAllChildren(platform: NodeJS.Platform): boolean {
  return platform === 'linux' || platform === 'android'
}

function timeoutAdvice(problem: string | undefined, timeoutHint: string | undefined): string {
  if (timeoutHint !== undefined) return timeoutHint
  if (problem === undefined) return 'Use a longer timeout, or BackgroundBash.'
  return `Use a longer timeout. It could not continue as a job: ${problem}.`
}

function inputNotes({ exitCode, signal, text, binary }: CommandResult): readonly string[] {
  const isFailure = exitCode !== 0 && exitCode !== null && signal === null
  return isFailure && !binary && mayNeedInput(text) ? [NEEDS_INPUT_NOTE] : []
}

function outputNotes({
  ending,
  truncated,
  binary,
  bytes,
  jobId,
  storedBytes,
  recordProblem,
}: CommandResult): readonly string[] {
  if (ending === 'backgrounded') return []
  if (binary) return ['Binary output is not shown. Write it to a file to use it.']
  if (!truncated) return []
  if (jobId === undefined)
    return [`The ${formatNumber(bytes)} bytes of output were not kept: ${recordProblem ?? 'there is no space'}.`]
  const stored =
    storedBytes < bytes
      ? `${formatNumber(storedBytes)} of ${formatNumber(bytes)} bytes of output`
      : `All ${formatNumber(bytes)} bytes of output`
  return [
    `${stored} are kept: ReadBgOutput(task_id: ${jobId}, tail: 100) reads the last lines, or with pattern the last matching lines.`,
  ]
}

function leftoverNotes({ ending, leftoverProcesses: leftover }: CommandResult): readonly string[] {
  if (ending !== 'exit' || leftover.length === 0) return []
  const verb = leftover.length === 1 ? 'It is' : 'They are'
  return [
    `${formatStillRunning(leftover)}. ${verb} killed when the server exits. Use BackgroundBash for what must keep running.`,
  ]
}

/** Not twice. */
function noticeNotes({ notice, failureHint }: CommandResult): readonly string[] {
  return notice === undefined || failureHint?.includes(notice) ? [] : [notice]
}

interface ExitInfo {
  readonly exitCode: number | null
  readonly signal: string | null
}

/** Describes how a command exited and what to do next, in one or two sentences. Empty for exit code 0. */
function describeExit({ exitCode, signal }: ExitInfo, hasOutput: boolean): readonly string[] {
  if (exitCode === 0) return []
  if (exitCode === null) return ['Exit status unknown. It may have completed: check before you repeat it.']
  if (signal !== null) return [`Exit code ${exitCode} (${signal}). ${explainSignal(signal)}`]
  return [`Exit code ${exitCode}.${explainExitCode(exitCode, hasOutput)}`]
}

function explainSignal(signal: string): string {
  if (signal === 'SIGKILL') return 'It was killed, possibly because memory ran out: do less at once.'
  if (['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT'].includes(signal))
    return 'The program crashed. The end of its output may show where.'
  if (signal === 'SIGPIPE') return 'The program that read its output exited first.'
  return 'Another process killed it: check what it did before you repeat it.'
}

function explainExitCode(exitCode: number, hasOutput: boolean): string {
  if (exitCode === 127) return ' A program was not found: check its name or install it.'
  if (exitCode === 126) return ' A file could not be executed: check its permissions.'
  return hasOutput ? '' : ' No output: from grep, diff and test this means "no"; otherwise `set -x` shows what fails.'
}

const MAX_NAMED_PROCESSES = 5

/** Formats processes that a command left running. */
export function formatProcesses(processes: readonly LeftoverProcess[]): string {
  const names = processes.slice(0, MAX_NAMED_PROCESSES).map(({ pid, name }) => `${name} (${pid})`)
  const more = processes.length > MAX_NAMED_PROCESSES ? ` and ${processes.length - MAX_NAMED_PROCESSES} more` : ''
  return `${names.join(', ')}${more}`
}

/** The opposite of `formatStillRunning`; where only killing looks for them (Windows, macOS), what that has done. */
export function noteNothingRunning(platform: NodeJS.Platform = process.platform): string {
  if (findsAllChildren(platform)) return 'It left no processes running.'
  return 'Processes that it left running were killed if they could be found.'
}

/** Without the full stop. */
export function formatStillRunning(processes: readonly LeftoverProcess[]): string {
  return `It left ${formatCount(processes.length, 'process', 'processes')} running: ${formatProcesses(processes)}`
}

const TAIL_CHARACTERS = 500

/** Error messages about the end of input or a missing terminal. */
const INPUT_ERRORS = [
  /\bEOFError\b|\bEOF when reading\b|\bunexpected (EOF|end of file) (on|from) (stdin|standard input)\b/i,
  /\b(stdin|standard input|input device) is not a (tty|terminal)\b|\bnon[- ]tty device\b/i,
  /\b(no|not a|without a) (tty|terminal) (present|available|attached)\b|\ba terminal is required\b|\bsudo: a password is required\b/i,
  /\/dev\/tty'?: no such device\b|\bterminal prompts disabled\b|\bcould not read (username|password)\b/i,
  /\breadline was closed\b|\bforce closed the prompt\b|\bno YES option\b|\bunable to get passphrase\b/i,
  /[[(]y(es)?\/n(o)?[\])] ?[?:]? ?abort(ed)?\b/i,
]

/** A last line without a newline that ends like a prompt: `Name: `, `Continue? [y/N] `, `>>> `. */
const INPUT_PROMPT =
  /(?:^|\n)[^\n]*[\p{L}\p{N}\])>'"#] ?[?:>] ?$|(?:^|\n)[^\n]*[[(][^\n\])]{1,20}[\])]:? ?$|(?:^|\n)>{1,3} ?$/u

/**
 * Guesses whether a failed command wanted input. At the end of stdin a program either reports an error, or exits right
 * after its prompt.
 */
export function mayNeedInput(output: string): boolean {
  const end = output.slice(-TAIL_CHARACTERS)
  return INPUT_PROMPT.test(end) || INPUT_ERRORS.some((error) => error.test(end))
}

/** Whether a command reads a line of its stdin: bash shows the prompt of `read` on terminals only. */
export function readsLine(command: string): boolean {
  return /(?:^|[;&({\n]|\|\||\b(?:do|then|else|if|until)\b)\s{0,4}read\b(?![^\n;]{0,200}<)/.test(command)
}

export const NEEDS_INPUT_NOTE =
  "It may have needed input, but stdin was at its end: pass the input in the command (printf 'yes\\n' | program), or use an option that skips the question."
