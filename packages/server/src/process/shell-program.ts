// Finds the shell that runs commands (bash, or PowerShell on a Windows without bash) and builds the arguments with
// which it runs one command: stderr joined to stdout in order, line numbers from 1. Used by trusted-program (the
// lookup) and by command-runner, command-execution and callbacks. Reads the system only through its parameters, so that
// every platform can be tested on any other. Starts nothing.

import { posix, win32 } from 'node:path'

import { readVariable } from './environment-variable.js'

// One bash joins stderr to stdout, then executes another one, which is unaware of it. With -p, only the second reads
// BASH_ENV. Up to bash 5.0 (macOS has 3.2) line numbers with -c start at 0, which an empty line corrects.
const EXEC_COMMAND = `((LINENO)) || set -- $'\\n'"$1"; exec "$BASH" -c -- "$1" bash 2>&1`

export function bashArguments(command: string): readonly string[] {
  return ['-p', '-c', EXEC_COMMAND, 'bash', command]
}

// Git Bash parses its command line in its own way: some versions halve runs of backslashes, and a word without quotes
// is globbed. So a backslash is passed as \1, and the leading space makes Node.js quote the whole argument.
const RESTORE_BACKSLASHES = `set -- "$1" $'\\1' '\\'; set -- "\${1//$2/$3}"`

export function gitBashArguments(command: string): readonly string[] {
  return ['-p', '-c', `${RESTORE_BACKSLASHES}; ${EXEC_COMMAND}`, 'bash', ` ${command.replaceAll('\\', '\u0001')}`]
}

export function powershellArguments(command: string): readonly string[] {
  const script = Buffer.from(powershellScript(command), 'utf16le').toString('base64')
  const unattendedFlags = ['-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass']
  // By default, an encoded command writes its errors as XML.
  return [...unattendedFlags, '-OutputFormat', 'Text', '-EncodedCommand', script]
}

// PowerShell's own errors go to its output. Not by 2>&1: Windows PowerShell would make an error of five lines from each
// line that a program writes to stderr. The exit code is that of the last program or, if none ran, tells whether the
// last statement succeeded.
function powershellScript(command: string): string {
  const statements = [
    `$ProgressPreference='SilentlyContinue'`,
    `try{[Console]::OutputEncoding=$OutputEncoding=New-Object Text.UTF8Encoding $false}catch{}`,
    `[Console]::SetError([Console]::Out)`,
    `$__block=[ScriptBlock]::Create(${powershellLiteral(`${command}\n$global:__ok=$?`)})`,
    `if(!$?){exit 1}`,
    `$__ok=$true`,
    `&$__block`,
    `if($null -ne $LASTEXITCODE){exit $LASTEXITCODE}`,
    `exit [int](!$__ok)`,
  ]
  return statements.join(';')
}

/** PowerShell ends a literal at typographic quotes, too. */
function powershellLiteral(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201B]/g, '$&$&')}'`
}

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

export interface ShellLookupDeps {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly isFile: (path: string) => boolean
  /** Whether a program that is called bash.exe is one that runs on Windows; asked only there. It may be run for that. */
  readonly isBash: (path: string) => boolean
}

export interface ShellProgram {
  readonly kind: 'bash' | 'powershell'
  readonly file: string
  readonly args: (command: string) => readonly string[]
}

/** `preferred` is a path or a name; if it is not found, no other shell is used. */
export function findShellProgram(deps: ShellLookupDeps, preferred = ''): ShellProgram | undefined {
  const candidates = preferred === '' ? listDefaultCandidates(deps) : listPreferredCandidates(deps, preferred)
  const file = candidates.find((candidate) => deps.isFile(candidate) && runsCommands(deps, candidate))
  if (file === undefined) return undefined
  if (isPowershell(file)) return { kind: 'powershell', file, args: powershellArguments }
  return { kind: 'bash', file, args: deps.platform === 'win32' ? gitBashArguments : bashArguments }
}

/** Explains why no shell was found, and what to install. */
export function describeMissingShell(platform: NodeJS.Platform, preferred = ''): string {
  if (preferred !== '') {
    const reason =
      platform === 'win32'
        ? 'does not exist, or is not a bash for Windows (those of WSL and BusyBox are not)'
        : 'does not exist'
    return `the configured shell ${preferred} ${reason}. Correct the setting, or remove it to use the default shell.`
  }
  if (platform === 'win32')
    return 'neither Git Bash nor PowerShell was found. Install Git for Windows, for example: winget install Git.Git'
  return `bash was not found. Install it, for example: ${INSTALL_COMMANDS[platform] ?? 'apt-get install bash, or apk add bash'}`
}

/**
 * Explains why the system would not accept a command of this length. Only Windows needs the check; others report E2BIG.
 */
export function describeTooLongCommand(
  platform: NodeJS.Platform,
  shell: ShellProgram,
  command: string,
): string | undefined {
  if (platform !== 'win32') return undefined
  const length = [shell.file, ...shell.args(command)].reduce((sum, argument) => sum + quotedLength(argument), 0)
  if (length <= MAX_WINDOWS_LINE) return undefined
  return `it is too long: with quoting it has ${length} characters, and Windows accepts ${MAX_WINDOWS_LINE}. Write it to a file and run that file.`
}

function listDefaultCandidates(deps: ShellLookupDeps): readonly string[] {
  if (deps.platform !== 'win32') return [...listPathCandidates(deps, 'bash'), ...UNIX_CANDIDATES]
  return [...listGitBashCandidates(deps), ...listPathCandidates(deps, 'bash.exe'), ...listPowershellCandidates(deps)]
}

function listPreferredCandidates(deps: ShellLookupDeps, preferred: string): readonly string[] {
  const isWindows = deps.platform === 'win32'
  const fileName = isWindows && !/\.exe$/i.test(preferred) ? `${preferred}.exe` : preferred
  return (isWindows ? /[/\\]/ : /\//).test(preferred) ? [fileName] : listPathCandidates(deps, fileName)
}

function listGitBashCandidates(deps: ShellLookupDeps): readonly string[] {
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

function listPowershellCandidates(deps: ShellLookupDeps): readonly string[] {
  return [
    ...listPathCandidates(deps, 'pwsh.exe'),
    ...underEnvFolder(deps, 'ProgramFiles', 'PowerShell', '7', 'pwsh.exe'),
    ...underEnvFolder(deps, 'ProgramW6432', 'PowerShell', '7', 'pwsh.exe'),
    ...underEnvFolder(deps, 'SystemRoot', 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe'),
  ]
}

function underEnvFolder(deps: ShellLookupDeps, name: string, ...path: readonly string[]): readonly string[] {
  const folder = readVariable(deps.env, name, deps.platform)
  return folder ? [win32.join(folder, ...path)] : []
}

/** Relative entries are skipped: a project could contain its own bash. */
function listPathCandidates(deps: ShellLookupDeps, name: string): readonly string[] {
  const path = deps.platform === 'win32' ? win32 : posix
  const folders = (readVariable(deps.env, 'PATH', deps.platform) ?? '')
    .split(path.delimiter)
    .map((each) => each.replaceAll('"', ''))
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, name))
}

function isPowershell(file: string): boolean {
  return /(^|[/\\])(pwsh|powershell)(\.exe)?$/i.test(file)
}

/** Any program can be called bash.exe: that of Git is known by its place, others are asked. */
function runsCommands(deps: ShellLookupDeps, file: string): boolean {
  if (deps.platform !== 'win32' || isPowershell(file)) return true
  return !isWsl(file) && (listGitBashCandidates(deps).includes(file) || deps.isBash(file))
}

/**
 * Prints what isBashAnswer recognizes: that of WSL is a Linux program, BusyBox has no version, and others ignore -p. Without
 * characters that some versions expand on their command line.
 */
export const BASH_PROBE: readonly string[] = ['-p', '-c', 'echo bash $BASH_VERSION $OSTYPE $-']

export function isBashAnswer(output: string): boolean {
  const [name, version = '', system = '', flags = ''] = output.trim().split(' ')
  return name === 'bash' && /^\d/.test(version) && /^(msys|cygwin)/.test(system) && flags.includes('p')
}

/** WSL bash runs in another system: other paths, another environment, and its processes cannot be killed from here. */
function isWsl(path: string): boolean {
  return /\\(system32|sysnative|syswow64|windowsapps)\\bash(\.exe)?$/i.test(win32.normalize(path))
}

/** An upper bound, with a space before it and quotes around it. */
function quotedLength(argument: string): number {
  return argument.length + (argument.match(/["\\]/g)?.length ?? 0) + 3
}
