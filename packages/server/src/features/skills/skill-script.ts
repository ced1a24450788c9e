// Builds the shell command of a script skill. The interpreter of its first line reads the script from a file descriptor: no
// temporary file is needed. Arguments are passed as quoted words, never as part of the script. Used by skill-service. Pure:
// the command is run by InvokeSkill.

import { basename } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { quoteShellWord } from '../../process/shell-quote.js'

export interface SkillScript {
  readonly body: string
  /** Directory of the skill. */
  readonly directory: string
  readonly args: string
}

export function buildScriptCommand({ body, directory, args }: SkillScript): string {
  if (process.platform === 'win32') throw new Failure('Script skills require bash and are not supported on Windows.')
  const interpreter = parseInterpreter(body)
  const delimiter = unusedDelimiter(body)
  // Node cannot open a script at /dev/fd/N, but reads one from stdin, which is empty for the script then.
  const [source, descriptor] = readsFromStdin(interpreter) ? ['-', 0] : ['/dev/fd/3', 3]
  const words = [...interpreter, source, args].map(quoteShellWord).join(' ')
  return [
    // Shown in the list of jobs.
    `# skill ${basename(directory)}`,
    `export ARGUMENTS=${quoteShellWord(args)} SKILL_DIR=${quoteShellWord(directory)}`,
    `exec ${words} ${descriptor}<<'${delimiter}'`,
    body.endsWith('\n') ? body.slice(0, -1) : body,
    delimiter,
    '',
  ].join('\n')
}

/** Parses the #! line as operating systems do: a program, and the rest as one argument. */
function parseInterpreter(body: string): readonly string[] {
  const [line = ''] = body.slice(2).split('\n')
  const command = line.trim()
  const [lead = '', program] = /^(\S+)[ \t]*/.exec(command) ?? []
  if (program === undefined) throw new Failure('The skill begins with #! but names no program that could run it.')
  const argument = command.slice(lead.length)
  return argument === '' ? [program] : [program, argument]
}

function readsFromStdin([program = '', argument = '']: readonly string[]): boolean {
  const [name] = basename(program) === 'env' ? argument.replace(/^-S\s*(\w+=\S*\s+)*/, '').split(/\s/) : [program]
  return ['node', 'nodejs', 'bun'].includes(basename(name ?? ''))
}

/** A line that does not occur in the script. */
function unusedDelimiter(body: string): string {
  const lines = new Set(body.split('\n'))
  let delimiter = 'END_OF_SKILL'
  while (lines.has(delimiter)) delimiter += '_'
  return delimiter
}
