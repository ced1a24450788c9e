// Decides how the server under development is started: a JavaScript or TypeScript file with Node.js, anything else as
// the command that it is. Used by run-dev.ts. Looks at files.

import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { Failure } from '@scorpiox/mcp/errors'
import { bunVersion } from '@scorpiox/mcp/runtime'
import { toWindowsProgram } from './windows-command.js'

const JAVASCRIPT = /\.[cm]?js$/
const TYPESCRIPT = /\.[cm]?ts$/
const STRIP_TYPES_FLAG = '--experimental-strip-types'

export interface ServerCommand {
  readonly file: string
  readonly args: readonly string[]
  /** The arguments are one command line, quoted already. Only on Windows. */
  readonly isCommandLine?: boolean
  readonly cwd: string
  /** The command line as it was typed. */
  readonly label: string
  /** The folder that is watched. */
  readonly folder: string
  /** The file whose imports are watched too; undefined if it is not known. */
  readonly entry: string | undefined
}

/** A command line that cannot be run as typed. The process exits with code 2. */
export class CommandLineError extends Failure {
  override readonly name = 'CommandLineError'
  readonly exitCode = 2
}

/** `words`: a file and its arguments, or a command. `node`: the program that runs files. */
export function readServerCommand(words: readonly string[], cwd: string, node: string): ServerCommand {
  const [first, ...rest] = words
  if (first === undefined) throw new CommandLineError('Name the file of your server: dev server.mjs')
  const label = words.join(' ')
  const path = resolve(cwd, first)
  if (JAVASCRIPT.test(first) || TYPESCRIPT.test(first)) {
    if (!isFile(path)) throw new CommandLineError(`There is no file ${path}. Name the file of your server.`)
    const flags = TYPESCRIPT.test(first) ? flagsForTypeScript(path, node) : []
    return { file: node, args: [...flags, path, ...rest], cwd, label, folder: dirname(path), entry: path }
  }
  if (isFile(path) && /\.\w+$/.test(basename(first)) && !isExecutable(path)) {
    throw new CommandLineError(`${first} is neither JavaScript nor TypeScript. Write the command that starts it, such as
  dev -- python3 ${first}`)
  }
  const source = rest.map((word) => resolve(cwd, word)).find(isFile)
  return {
    ...toProgram(first, rest, cwd),
    cwd,
    label,
    folder: source === undefined ? cwd : dirname(source),
    entry: source !== undefined && (JAVASCRIPT.test(source) || TYPESCRIPT.test(source)) ? source : undefined,
  }
}

function toProgram(
  file: string,
  args: readonly string[],
  cwd: string,
): Pick<ServerCommand, 'file' | 'args' | 'isCommandLine'> {
  if (process.platform !== 'win32') return { file, args }
  const program = toWindowsProgram(file, args, { cwd, env: process.env, isFile })
  if (typeof program === 'string') throw new CommandLineError(program)
  return program
}

/** tsx where the project has it, because its author chose it; otherwise the type stripping of Node.js. */
function flagsForTypeScript(path: string, node: string): readonly string[] {
  if (bunVersion() !== undefined) return []
  const tsx = findTsx(path)
  if (tsx !== undefined) return ['--import', tsx]
  // What another Node.js can do is not known before it runs.
  if (node !== process.execPath || Reflect.get(process.features, 'typescript')) return []
  if (process.allowedNodeEnvironmentFlags.has(STRIP_TYPES_FLAG)) return [STRIP_TYPES_FLAG]
  throw new CommandLineError(
    `Node.js ${process.version} cannot run TypeScript. Use Node.js 22.18 or newer, or install tsx: npm install --save-dev tsx`,
  )
}

/** Its address, because the working directory may be outside of the project. */
function findTsx(path: string): string | undefined {
  try {
    return pathToFileURL(createRequire(path).resolve('tsx')).href
  } catch {
    return undefined
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function isExecutable(path: string): boolean {
  if (process.platform === 'win32') return /\.(exe|cmd|bat|com)$/i.test(path)
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0
}
