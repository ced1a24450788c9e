// Starts a batch file, such as npx.cmd, on Windows: Node.js refuses to spawn one without a shell. Finds the program as the
// shell would, so that programs are still started directly. Used by server-command.ts. Pure: what it reads is given.

import { win32 } from 'node:path'

export interface WindowsProgram {
  readonly file: string
  readonly args: readonly string[]
  /** The arguments are one command line, quoted already. */
  readonly isCommandLine: boolean
}

interface WindowsLookup {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly isFile: (path: string) => boolean
}

const BATCH_FILE = /\.(cmd|bat)$/i
/** cmd replaces %…% also between quotes, and a quote would end them; a line break ends the command. */
const UNSAFE = /["%\r\n]/

/** Returns a message if an argument cannot be passed to a batch file unchanged. */
export function toWindowsProgram(
  name: string,
  args: readonly string[],
  { cwd, env, isFile }: WindowsLookup,
): WindowsProgram | string {
  const found = findProgram(name, cwd, env, isFile) ?? name
  if (!BATCH_FILE.test(found)) return { file: found, args, isCommandLine: false }
  const unsafe = [found, ...args].find((word) => UNSAFE.test(word))
  if (unsafe !== undefined)
    return `On Windows, ${win32.basename(found)} is a batch file, and ${JSON.stringify(unsafe)} cannot be passed to it: it
contains a quote, a percent sign or a line break. Start the program that it runs instead, such as
  dev -- node server.mjs`
  const shell =
    readVariable(env, 'ComSpec') ?? win32.join(readVariable(env, 'SystemRoot') ?? 'C:\\Windows', 'System32', 'cmd.exe')
  const line = [found, ...args].map(quote).join(' ')
  // /d: without commands of the registry. /v:off: an exclamation mark is one. /s: only the outer quotes are removed.
  return { file: shell, args: ['/d', '/v:off', '/s', '/c', `"${line}"`], isCommandLine: true }
}

/** In quotes, all other characters are literal. A backslash before the closing quote would escape it. */
function quote(word: string): string {
  return `"${word.replace(/(?<!\\)\\+$/, '$&$&')}"`
}

function findProgram(
  name: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  isFile: (path: string) => boolean,
): string | undefined {
  const extensions = (readVariable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean)
  const names = win32.extname(name) === '' ? extensions.map((extension) => `${name}${extension.toLowerCase()}`) : [name]
  const path = readVariable(env, 'PATH') ?? ''
  const folders = /[\\/]/.test(name) ? [cwd] : path.split(';').map((folder) => folder.replaceAll('"', ''))
  return folders
    .filter((folder) => win32.isAbsolute(folder))
    .flatMap((folder) => names.map((each) => win32.resolve(folder, each)))
    .find(isFile)
}

function readVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1]
}
