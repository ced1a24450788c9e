// Edits a text with the user's editor, $VISUAL or $EDITOR, in a private temporary file. The editor uses the terminal of
// this process. Used by the inbox. Starts the editor.

import { statSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, win32 } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { findSystem32 } from '@scorpiox/mcp/system32'
import { readVariable } from '../process/environment-variable.js'
import { startChild } from '../process/spawn.js'

const IS_WINDOWS = process.platform === 'win32'

/** The variables may contain arguments, so a shell splits them. */
const START_EDITOR = 'exec ${VISUAL:-${EDITOR:-vi}} "$1"'

/** Throws a Failure if the editor cannot be started or exits with an error; `describeExit` is its message in the second case. */
export async function editText(
  text: string,
  name: string,
  env: NodeJS.ProcessEnv,
  describeExit = (code: number | null) => `exit code ${code ?? 'unknown'}`,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'scorpiox-edit-'))
  const file = join(folder, name)
  try {
    await writeFile(file, text, { mode: 0o600 })
    const { spawned, exited } = IS_WINDOWS
      ? startWindowsEditor(folder, name, env)
      : startChild('/bin/sh', ['-c', START_EDITOR, 'sh', file], { env, stdio: 'inherit' })
    await spawned
    const { code } = await exited
    if (code !== 0) throw new Failure(describeExit(code))
    const edited = await readFile(file, 'utf8')
    // Some editors of Windows write other line ends.
    return IS_WINDOWS && !text.includes('\r') ? edited.replaceAll('\r\n', '\n') : edited
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(errorMessage(error))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface EditorProgram {
  readonly file: string
  readonly args: readonly string[]
  /** The arguments are one command line, quoted already. */
  readonly isCommandLine: boolean
}

/** cmd looks for programs in its folder first, and the project may contain one. */
function startWindowsEditor(folder: string, name: string, env: NodeJS.ProcessEnv): ReturnType<typeof startChild> {
  const { file, args, isCommandLine } = windowsEditor(name, env, isFile)
  return startChild(file, args, { env, cwd: folder, stdio: 'inherit', windowsVerbatimArguments: isCommandLine })
}

/** `name`: of a file in the working directory, without spaces; so no path is part of a command line. */
export function windowsEditor(
  name: string,
  env: NodeJS.ProcessEnv,
  isFilePath: (path: string) => boolean,
): EditorProgram {
  const read = (variable: string): string | undefined => readVariable(env, variable, 'win32') || undefined
  const system = findSystem32({ SystemRoot: read('SystemRoot') })
  const chosen = read('VISUAL') ?? read('EDITOR')
  if (chosen === undefined) return { file: win32.join(system, 'notepad.exe'), args: [name], isCommandLine: false }
  const editor = isFilePath(chosen) ? `"${chosen}"` : chosen
  const shell = read('ComSpec') ?? win32.join(system, 'cmd.exe')
  return { file: shell, args: ['/d', '/v:off', '/s', '/c', `"${editor} ${name}"`], isCommandLine: true }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
