// A skill that is a script, as one command for the shell: the interpreter of its first line reads it from a descriptor,
// so that no file is left behind and nothing but the script is ever code. Arguments are quotedWord words, never text of it.

import { basename } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { quotedWord } from '../../lib/shell-word.js'

export interface Script {
  readonly body: string
  /** The folder of the skill. */
  readonly folder: string
  readonly args: string
}

export function scriptCommand({ body, folder, args }: Script): string {
  if (process.platform === 'win32')
    throw new Failure('Skills that are scripts run where there is bash; this is Windows.')
  const interpreter = interpreterOf(body)
  const mark = freeMark(body)
  // Node cannot open a script by the name of a descriptor, but reads one to its end from stdin, which is then empty.
  const [source, at] = readsFromStdin(interpreter) ? ['-', 0] : ['/dev/fd/3', 3]
  const words = [...interpreter, source, args].map(quotedWord).join(' ')
  return [
    // What a list of background tasks shows of it.
    `# skill ${basename(folder)}`,
    `export ARGUMENTS=${quotedWord(args)} SKILL_DIR=${quotedWord(folder)}`,
    `exec ${words} ${at}<<'${mark}'`,
    body.endsWith('\n') ? body.slice(0, -1) : body,
    mark,
    '',
  ].join('\n')
}

/** As systems take the first line apart: a program, and the rest as one argument. */
function interpreterOf(body: string): readonly string[] {
  const [line = ''] = body.slice(2).split('\n')
  const [, program, argument = ''] = /^[ \t]*(\S+)[ \t]*(.*)$/.exec(line.trimEnd()) ?? []
  if (program === undefined) throw new Failure('The skill begins with #! but names no program that could run it.')
  return argument === '' ? [program] : [program, argument]
}

function readsFromStdin([program = '', argument = '']: readonly string[]): boolean {
  const [name] = basename(program) === 'env' ? argument.replace(/^-S\s*(\w+=\S*\s+)*/, '').split(/\s/) : [program]
  return ['node', 'nodejs', 'bun'].includes(basename(name ?? ''))
}

/** A line that the script does not have. */
function freeMark(body: string): string {
  const lines = new Set(body.split('\n'))
  let mark = 'END_OF_SKILL'
  while (lines.has(mark)) mark += '_'
  return mark
}
