// Which program runs a command: bash, or PowerShell on a Windows that has no bash. Looks only through what it is told,
// so that every system can be tested on any.

import { posix, win32 } from 'node:path'

import { bashArguments, gitBashArguments, powershellArguments } from './shell-arguments.js'

const UNIX_PLACES = [
  '/bin/bash',
  '/usr/bin/bash',
  '/usr/local/bin/bash',
  '/opt/homebrew/bin/bash',
  '/run/current-system/sw/bin/bash',
  '/data/data/com.termux/files/usr/bin/bash',
]

const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  android: 'pkg install bash',
  darwin: 'brew install bash',
  freebsd: 'pkg install bash',
  openbsd: 'pkg_add bash',
}

/** Windows takes 32,767, and what starts Git Bash adds the longer path of the real one. */
const MAX_WINDOWS_LINE = 32_000

export interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly isFile: (path: string) => boolean
}

export interface ShellProgram {
  readonly kind: 'bash' | 'powershell'
  readonly file: string
  readonly args: (command: string) => readonly string[]
}

/** Where one is preferred, by path or by name, it is that one or none. */
export function findShell(surroundings: Surroundings, preferred = ''): ShellProgram | undefined {
  const places = preferred === '' ? usualPlaces(surroundings) : preferredPlaces(surroundings, preferred)
  const file = places.find((place) => surroundings.isFile(place) && !isWsl(place))
  if (file === undefined) return undefined
  if (/(^|[/\\])(pwsh|powershell)(\.exe)?$/i.test(file)) return { kind: 'powershell', file, args: powershellArguments }
  return { kind: 'bash', file, args: surroundings.platform === 'win32' ? gitBashArguments : bashArguments }
}

/** Why nothing was found, and what to install. */
export function whyNoShell(platform: NodeJS.Platform, preferred = ''): string {
  if (preferred !== '') {
    const reason = platform === 'win32' ? 'is not there, or belongs to WSL' : 'is not there'
    return `the shell that was set, ${preferred}, ${reason}. Correct the setting, or remove it to use the one that is found.`
  }
  if (platform === 'win32')
    return 'neither Git Bash nor PowerShell was found. Install Git for Windows, for example: winget install Git.Git'
  return `bash was not found. Install it, for example: ${INSTALL[platform] ?? 'apt-get install bash, or apk add bash'}`
}

/** Why the system would not take so long a command. Windows is asked before; others say E2BIG themselves. */
export function whyTooLong(platform: NodeJS.Platform, shell: ShellProgram, command: string): string | undefined {
  if (platform !== 'win32') return undefined
  const length = [shell.file, ...shell.args(command)].reduce((sum, argument) => sum + quotedLength(argument), 0)
  if (length <= MAX_WINDOWS_LINE) return undefined
  return `it is too long: Windows takes ${MAX_WINDOWS_LINE} characters, and passed on it has ${length}. Write it to a file and run that file.`
}

function usualPlaces(surroundings: Surroundings): readonly string[] {
  if (surroundings.platform !== 'win32') return [...onPath(surroundings, 'bash'), ...UNIX_PLACES]
  return [...gitBashPlaces(surroundings), ...onPath(surroundings, 'bash.exe'), ...powershellPlaces(surroundings)]
}

function preferredPlaces(surroundings: Surroundings, preferred: string): readonly string[] {
  const isWindows = surroundings.platform === 'win32'
  const named = isWindows && !/\.exe$/i.test(preferred) ? `${preferred}.exe` : preferred
  return (isWindows ? /[/\\]/ : /\//).test(preferred) ? [named] : onPath(surroundings, named)
}

function gitBashPlaces(surroundings: Surroundings): readonly string[] {
  const homes = [
    ...below(surroundings, 'ProgramFiles', 'Git'),
    ...below(surroundings, 'ProgramW6432', 'Git'),
    ...below(surroundings, 'ProgramFiles(x86)', 'Git'),
    ...below(surroundings, 'LOCALAPPDATA', 'Programs', 'Git'),
    ...below(surroundings, 'SCOOP', 'apps', 'git', 'current'),
    ...below(surroundings, 'USERPROFILE', 'scoop', 'apps', 'git', 'current'),
    ...below(surroundings, 'ProgramData', 'scoop', 'apps', 'git', 'current'),
    ...onPath(surroundings, 'git.exe')
      .filter((git) => surroundings.isFile(git))
      // It lies in cmd, bin or mingw64\bin, or is scoop's stand-in.
      .flatMap((git) => ['..', '..\\..', '..\\apps\\git\\current'].map((way) => win32.join(git, '..', way))),
  ]
  // Not usr\bin\bash.exe: only this one puts the ls, grep and sed of Git on the PATH.
  return homes.map((home) => win32.join(home, 'bin', 'bash.exe'))
}

function powershellPlaces(surroundings: Surroundings): readonly string[] {
  return [
    ...onPath(surroundings, 'pwsh.exe'),
    ...below(surroundings, 'ProgramFiles', 'PowerShell', '7', 'pwsh.exe'),
    ...below(surroundings, 'ProgramW6432', 'PowerShell', '7', 'pwsh.exe'),
    ...below(surroundings, 'SystemRoot', 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe'),
  ]
}

function below(surroundings: Surroundings, name: string, ...path: readonly string[]): readonly string[] {
  const folder = variable(surroundings, name)
  return folder ? [win32.join(folder, ...path)] : []
}

/** Relative entries are passed over: a project could bring its own bash. */
function onPath(surroundings: Surroundings, name: string): readonly string[] {
  const path = surroundings.platform === 'win32' ? win32 : posix
  const folders = (variable(surroundings, 'PATH') ?? '').split(path.delimiter).map((each) => each.replaceAll('"', ''))
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, name))
}

/** A copy of the environment no longer knows that Path and PATH are the same to Windows. */
function variable({ platform, env }: Surroundings, name: string): string | undefined {
  if (platform !== 'win32') return env[name]
  return Object.entries(env).find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1]
}

/** That bash runs in another system: other paths, not our environment, and out of reach when it must end. */
function isWsl(path: string): boolean {
  return /\\(system32|sysnative|syswow64|windowsapps)\\bash(\.exe)?$/i.test(win32.normalize(path))
}

/** At most so many characters, with a space before it and quotes around it. */
function quotedLength(argument: string): number {
  return argument.length + (argument.match(/["\\]/g)?.length ?? 0) + 3
}
