// Finds the program that runs commands: bash, or PowerShell on a Windows without bash. Reads the system only through
// its arguments, so that every platform can be tested on any other.

import { posix, win32 } from 'node:path'

import { bashArguments, gitBashArguments, powershellArguments } from './shell-arguments.js'

const UNIX_CANDIDATES = [
  '/bin/bash',
  '/usr/bin/bash',
  '/usr/local/bin/bash',
  '/opt/homebrew/bin/bash',
  '/run/current-system/sw/bin/bash',
  '/data/data/com.termux/files/usr/bin/bash',
]

const INSTALL_COMMANDS: Partial<Record<NodeJS.Platform, string>> = {
  android: 'pkg install bash',
  darwin: 'brew install bash',
  freebsd: 'pkg install bash',
  openbsd: 'pkg_add bash',
}

/** Windows allows 32,767, and the launcher of Git Bash adds the longer path of the real bash. */
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

/** `preferred` is a path or a name; if it is not found, no other shell is used. */
export function findShell(deps: Surroundings, preferred = ''): ShellProgram | undefined {
  const candidates = preferred === '' ? listDefaultCandidates(deps) : listPreferredCandidates(deps, preferred)
  const file = candidates.find((candidate) => deps.isFile(candidate) && !isWsl(candidate))
  if (file === undefined) return undefined
  if (/(^|[/\\])(pwsh|powershell)(\.exe)?$/i.test(file)) return { kind: 'powershell', file, args: powershellArguments }
  return { kind: 'bash', file, args: deps.platform === 'win32' ? gitBashArguments : bashArguments }
}

/** Explains why no shell was found, and what to install. */
export function whyNoShell(platform: NodeJS.Platform, preferred = ''): string {
  if (preferred !== '') {
    const reason = platform === 'win32' ? 'is not there, or belongs to WSL' : 'is not there'
    return `the configured shell ${preferred} ${reason}. Correct the setting, or remove it to use the default shell.`
  }
  if (platform === 'win32')
    return 'neither Git Bash nor PowerShell was found. Install Git for Windows, for example: winget install Git.Git'
  return `bash was not found. Install it, for example: ${INSTALL_COMMANDS[platform] ?? 'apt-get install bash, or apk add bash'}`
}

/**
 * Explains why the system would not accept a command of this length. Only Windows needs the check; others report E2BIG.
 */
export function whyTooLong(platform: NodeJS.Platform, shell: ShellProgram, command: string): string | undefined {
  if (platform !== 'win32') return undefined
  const length = [shell.file, ...shell.args(command)].reduce((sum, argument) => sum + quotedLength(argument), 0)
  if (length <= MAX_WINDOWS_LINE) return undefined
  return `it is too long: Windows accepts ${MAX_WINDOWS_LINE} characters, and with quoting it has ${length}. Write it to a file and run that file.`
}

function listDefaultCandidates(deps: Surroundings): readonly string[] {
  if (deps.platform !== 'win32') return [...listPathCandidates(deps, 'bash'), ...UNIX_CANDIDATES]
  return [...listGitBashCandidates(deps), ...listPathCandidates(deps, 'bash.exe'), ...listPowershellCandidates(deps)]
}

function listPreferredCandidates(deps: Surroundings, preferred: string): readonly string[] {
  const isWindows = deps.platform === 'win32'
  const fileName = isWindows && !/\.exe$/i.test(preferred) ? `${preferred}.exe` : preferred
  return (isWindows ? /[/\\]/ : /\//).test(preferred) ? [fileName] : listPathCandidates(deps, fileName)
}

function listGitBashCandidates(deps: Surroundings): readonly string[] {
  const gitFolders = [
    ...underEnvFolder(deps, 'ProgramFiles', 'Git'),
    ...underEnvFolder(deps, 'ProgramW6432', 'Git'),
    ...underEnvFolder(deps, 'ProgramFiles(x86)', 'Git'),
    ...underEnvFolder(deps, 'LOCALAPPDATA', 'Programs', 'Git'),
    ...underEnvFolder(deps, 'SCOOP', 'apps', 'git', 'current'),
    ...underEnvFolder(deps, 'USERPROFILE', 'scoop', 'apps', 'git', 'current'),
    ...underEnvFolder(deps, 'ProgramData', 'scoop', 'apps', 'git', 'current'),
    ...listPathCandidates(deps, 'git.exe')
      .filter((git) => deps.isFile(git))
      // git.exe is in cmd, bin or mingw64\bin, or is a shim of scoop.
      .flatMap((git) =>
        ['..', '..\\..', '..\\apps\\git\\current'].map((relativePath) => win32.join(git, '..', relativePath)),
      ),
  ]
  // Not usr\bin\bash.exe: only this one puts the ls, grep and sed of Git on the PATH.
  return gitFolders.map((gitFolder) => win32.join(gitFolder, 'bin', 'bash.exe'))
}

function listPowershellCandidates(deps: Surroundings): readonly string[] {
  return [
    ...listPathCandidates(deps, 'pwsh.exe'),
    ...underEnvFolder(deps, 'ProgramFiles', 'PowerShell', '7', 'pwsh.exe'),
    ...underEnvFolder(deps, 'ProgramW6432', 'PowerShell', '7', 'pwsh.exe'),
    ...underEnvFolder(deps, 'SystemRoot', 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe'),
  ]
}

function underEnvFolder(deps: Surroundings, name: string, ...path: readonly string[]): readonly string[] {
  const folder = readEnv(deps, name)
  return folder ? [win32.join(folder, ...path)] : []
}

/** Relative entries are skipped: a project could contain its own bash. */
function listPathCandidates(deps: Surroundings, name: string): readonly string[] {
  const path = deps.platform === 'win32' ? win32 : posix
  const folders = (readEnv(deps, 'PATH') ?? '').split(path.delimiter).map((each) => each.replaceAll('"', ''))
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, name))
}

/** A copy of the environment no longer treats Path and PATH as the same variable. */
function readEnv({ platform, env }: Surroundings, name: string): string | undefined {
  if (platform !== 'win32') return env[name]
  return Object.entries(env).find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1]
}

/** WSL bash runs in another system: other paths, another environment, and its processes cannot be killed from here. */
function isWsl(path: string): boolean {
  return /\\(system32|sysnative|syswow64|windowsapps)\\bash(\.exe)?$/i.test(win32.normalize(path))
}

/** An upper bound, with a space before it and quotes around it. */
function quotedLength(argument: string): number {
  return argument.length + (argument.match(/["\\]/g)?.length ?? 0) + 3
}
