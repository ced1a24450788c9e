import { describe, expect, test } from 'vitest'

import {
  describeMissingShell,
  describeTooLongCommand,
  findShellProgram,
  isBashAnswer,
  type ShellLookupDeps,
  type ShellProgram,
} from './shell-program.js'

const GIT_BASH = 'C:\\Program Files\\Git\\bin\\bash.exe'
const PWSH = 'C:\\Program Files\\PowerShell\\7\\pwsh.exe'
const WINDOWS_POWERSHELL = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'
const WSL = 'C:\\Windows\\System32\\bash.exe'
const WSL_OF_THE_STORE = 'C:\\Users\\me\\AppData\\Local\\Microsoft\\WindowsApps\\bash.exe'

/** Programs called bash.exe that are none. */
const IMPOSTORS = ['D:\\busybox\\bash.exe']

const WINDOWS_ENV = {
  ProgramFiles: 'C:\\Program Files',
  'ProgramFiles(x86)': 'C:\\Program Files (x86)',
  LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local',
  USERPROFILE: 'C:\\Users\\me',
  SystemRoot: 'C:\\Windows',
  Path: 'C:\\Windows\\System32;C:\\Users\\me\\AppData\\Local\\Microsoft\\WindowsApps',
}

function depsFor(platform: NodeJS.Platform, files: readonly string[], env: NodeJS.ProcessEnv): ShellLookupDeps {
  return { platform, env, isFile: (path) => files.includes(path), isBash: (path) => !IMPOSTORS.includes(path) }
}

const windows = (files: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  depsFor('win32', files, { ...WINDOWS_ENV, ...env })

function requireShell(deps: ShellLookupDeps, preferred?: string): ShellProgram {
  return findShellProgram(deps, preferred) ?? expect.unreachable()
}

describe('on Unix', () => {
  test.each([
    [
      'the PATH comes first',
      '/opt/homebrew/bin/bash',
      ['/bin/bash', '/opt/homebrew/bin/bash'],
      '/opt/homebrew/bin:/bin',
    ],
    ['an empty PATH', '/bin/bash', ['/bin/bash'], ''],
    ['Nix', '/run/current-system/sw/bin/bash', ['/run/current-system/sw/bin/bash'], '/usr/bin'],
    ['Termux', '/data/data/com.termux/files/usr/bin/bash', ['/data/data/com.termux/files/usr/bin/bash'], '/system/bin'],
    ['a project with its own bash', '/usr/bin/bash', ['bash', 'bin/bash', '/usr/bin/bash'], '.::bin:/usr/bin'],
  ])('%s', (_, file, files, PATH) => {
    expect(requireShell(depsFor('darwin', files, { PATH }))).toMatchObject({ kind: 'bash', file })
  })

  test('without bash, the message says what to install', () => {
    expect(findShellProgram(depsFor('linux', [], { PATH: '/bin' }))).toBeUndefined()
    expect(describeMissingShell('linux')).toContain('apk add bash')
    expect(describeMissingShell('darwin')).toContain('brew install bash')
  })
})

describe('on Windows', () => {
  test.each([
    ['Git for Windows', [GIT_BASH, PWSH, WSL], {}],
    ['of a 64-bit system seen by a 32-bit program', ['D:\\P\\Git\\bin\\bash.exe'], { ProgramW6432: 'D:\\P' }],
    ['for this user', ['C:\\Users\\me\\AppData\\Local\\Programs\\Git\\bin\\bash.exe'], {}],
    ['of scoop', ['C:\\Users\\me\\scoop\\apps\\git\\current\\bin\\bash.exe'], {}],
    ['of scoop elsewhere', ['D:\\s\\apps\\git\\current\\bin\\bash.exe'], { SCOOP: 'D:\\s' }],
    ['beside cmd\\git.exe', ['D:\\Git\\bin\\bash.exe', 'D:\\Git\\cmd\\git.exe'], { Path: 'x;"D:\\Git\\cmd"' }],
    ['beside mingw64', ['D:\\Git\\bin\\bash.exe', 'D:\\Git\\mingw64\\bin\\git.exe'], { Path: 'D:\\Git\\mingw64\\bin' }],
    ['beside a shim', ['D:\\s\\apps\\git\\current\\bin\\bash.exe', 'D:\\s\\shims\\git.exe'], { Path: 'D:\\s\\shims' }],
    ['of MSYS2', ['C:\\msys64\\usr\\bin\\bash.exe', PWSH], { Path: 'C:\\Windows\\System32;C:\\msys64\\usr\\bin' }],
  ])('the bash %s', (_, files, env) => {
    expect(requireShell(windows(files, env))).toMatchObject({ kind: 'bash', file: files[0] })
  })

  test('PowerShell is used without bash, the newer one first; never the bash of WSL', () => {
    const wsl = [WSL, WSL_OF_THE_STORE]
    expect(requireShell(windows([...wsl, WINDOWS_POWERSHELL, PWSH]))).toMatchObject({ kind: 'powershell', file: PWSH })
    expect(requireShell(windows([...wsl, WINDOWS_POWERSHELL]))).toMatchObject({
      kind: 'powershell',
      file: WINDOWS_POWERSHELL,
    })
    expect(findShellProgram(windows(wsl))).toBeUndefined()
    expect(describeMissingShell('win32')).toContain('winget install Git.Git')
  })

  test('a bash.exe of PATH that is no bash is passed over; that of Git is not asked', () => {
    const [impostor] = IMPOSTORS
    const Path = 'D:\\busybox;C:\\msys64\\usr\\bin'
    const files = [...IMPOSTORS, 'C:\\msys64\\usr\\bin\\bash.exe', PWSH]
    expect(requireShell(windows(files, { Path })).file).toBe('C:\\msys64\\usr\\bin\\bash.exe')
    expect(requireShell(windows([...IMPOSTORS, PWSH], { Path })).file).toBe(PWSH)
    expect(findShellProgram(windows(files, { Path }), impostor)).toBeUndefined()
    expect(describeMissingShell('win32', impostor)).toContain('BusyBox')
    const unasked = { ...windows([GIT_BASH]), isBash: () => expect.unreachable() }
    expect(requireShell(unasked).file).toBe(GIT_BASH)
  })

  test.each([
    ['Git Bash', 'bash 5.2.37(1)-release msys hpBc\n', true],
    ['Cygwin', 'bash 5.2.21(1)-release cygwin hpBc\r\n', true],
    ['WSL', 'bash 5.1.16(1)-release linux-gnu hpBc\n', false],
    ['BusyBox', 'bash\n', false],
    ['a bash that ignores -p', 'bash 5.2.37(1)-release msys hBc\n', false],
    ['a program that fails', '', false],
  ])('the answer of %s to the probe', (_, output, expected) => {
    expect(isBashAnswer(output)).toBe(expected)
  })

  test('a command that is too long for the system is rejected', () => {
    const bash = requireShell(windows([GIT_BASH]))
    const powershell = requireShell(windows([PWSH]))
    expect(describeTooLongCommand('win32', bash, 'x'.repeat(31_000))).toBeUndefined()
    expect(describeTooLongCommand('win32', bash, 'x'.repeat(32_000))).toMatch(/^it is too long: .+ Write it to a file/)
    expect(describeTooLongCommand('win32', bash, '"'.repeat(16_000))).toContain('too long')
    expect(describeTooLongCommand('win32', powershell, 'x'.repeat(11_000))).toBeUndefined()
    expect(describeTooLongCommand('win32', powershell, 'x'.repeat(12_000))).toContain('too long')
    expect(describeTooLongCommand('linux', bash, 'x'.repeat(100_000))).toBeUndefined()
  })
})

describe('the configured shell', () => {
  test.each([
    ['a path', windows([GIT_BASH, 'D:\\my\\bash.exe']), 'D:\\my\\bash.exe', 'bash', 'D:\\my\\bash.exe'],
    ['a path as bash writes it', windows(['D:/my/bash.exe']), 'D:/my/bash', 'bash', 'D:/my/bash.exe'],
    ['a name', windows([GIT_BASH, 'D:\\my\\pwsh.exe'], { Path: 'D:\\my' }), 'pwsh', 'powershell', 'D:\\my\\pwsh.exe'],
    ['on Unix', depsFor('linux', ['/bin/bash', '/opt/bash'], {}), '/opt/bash', 'bash', '/opt/bash'],
  ] as const)('%s', (_, deps, preferred, kind, file) => {
    expect(requireShell(deps, preferred)).toMatchObject({ kind, file })
  })

  test('is not replaced by another if it is missing', () => {
    expect(findShellProgram(depsFor('linux', ['/bin/bash'], {}), '/opt/bash')).toBeUndefined()
    expect(describeMissingShell('linux', '/opt/bash')).toMatch(
      /^the configured shell \/opt\/bash does not exist\. Correct/,
    )
    expect(findShellProgram(windows([GIT_BASH, WSL]), 'c:/windows/system32/bash')).toBeUndefined()
    expect(describeMissingShell('win32', WSL)).toContain('WSL')
  })
})
