import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { listWindowsProcesses, msysListScript, toFileTime } from './windows-processes.js'

const GIT_BASH = 'C:\\Program Files\\Git\\bin\\bash.exe'

function listing(windows: string | undefined, msys: string | undefined) {
  return listWindowsProcesses({
    gitBash: GIT_BASH,
    runTool: async (file) => (file === GIT_BASH ? msys : windows),
  })
}

async function listedProcesses(windows: string | undefined, msys: string | undefined) {
  return (await listing(windows, msys))?.processes
}

test('times are FILETIMEs', () => {
  expect(toFileTime(0)).toBe(116_444_736_000_000_000n)
})

describe('the tables of Windows and MSYS', () => {
  test('are joined by the pid of Windows', async () => {
    const windows = '4 0 1\r\n500 4 20\r\n505 504 21\r\n'
    expect(await listedProcesses(windows, '1200 1 1200 500 ;a.d1;\n1204 1200 1200 505 ;a.d1;\n')).toEqual([
      { pid: 4, ppid: 0, startedAt: 1n, msysParents: [], tags: '' },
      { pid: 500, ppid: 4, startedAt: 20n, msysParents: [], tags: ';a.d1;' },
      { pid: 505, ppid: 504, startedAt: 21n, msysParents: [500, 500], tags: ';a.d1;' },
    ])
  })

  test('a pid that was assigned after the question is not looked up in the other table', async () => {
    const later = toFileTime(Date.now() + 60_000)
    expect(await listedProcesses(`505 504 ${later}`, '1204 1 1204 505 ;a.d1;\n')).toMatchObject([
      { pid: 505, tags: '' },
    ])
  })

  test('one is enough; without both, nothing is listed', async () => {
    expect(await listedProcesses(undefined, '1204 1 1204 505 ;a.d1;\n')).toMatchObject([{ pid: 505, startedAt: 0n }])
    expect(await listedProcesses('505 504 21\r\n', undefined)).toMatchObject([{ pid: 505, startedAt: 21n }])
    expect(await listedProcesses(undefined, undefined)).toBeUndefined()
    expect(await listedProcesses('', '')).toBeUndefined()
    expect(await listing(undefined, '1204 1 1204 505\n')).toMatchObject({ isComplete: false })
    expect(await listing('505 504 21\r\n', undefined)).toMatchObject({ isComplete: true })
  })

  test.each([
    'bash.exe: warning: could not find /tmp, please create!',
    '1204 1 1204',
    '1204 1 1204 505 ;a d1;',
    '-1 1 1204 505',
    '99999999999999999999 1 1204 505',
    '1204 1 1204 505 ;a.d1; 7',
    '1204 1 1204 505 $(calc);',
    ' 1204  1200  1200  505 ?  197609 10:16:14 /usr/bin/sleep',
  ])('a garbled line is skipped: %s', async (line) => {
    expect(await listedProcesses('505 504 21\r\n', `${line}\n`)).toEqual([
      { pid: 505, ppid: 504, startedAt: 21n, msysParents: [], tags: '' },
    ])
    expect(await listedProcesses('PowerShell: denied\r\n505 504\r\nx 505 504 21\r\n', `${line}\n`)).toBeUndefined()
  })
})

test('Windows PowerShell uses its own modules, also where PowerShell 7 has put others first', async () => {
  const started: string[] = []
  await listWindowsProcesses({ runTool: async (file, args) => void started.push(`${file} ${args.at(-1)}`) })
  expect(started).toEqual([
    expect.stringMatching(
      /System32\\WindowsPowerShell\\v1\.0\\powershell\.exe \$env:PSModulePath = \$PSHOME \+ '\\Modules'; Get-CimInstance .*; exit 0$/,
    ),
  ])
})

describe('the script for Git Bash', needs(MISSING.bash), () => {
  function listFolder(processes: Record<string, Record<string, string>>): string {
    const folder = mkdtempSync(join(tmpdir(), 'scorpiox-proc-'))
    for (const [pid, files] of Object.entries(processes)) {
      mkdirSync(join(folder, pid))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, pid, name), text)
    }
    return execFileSync('bash', ['-p', '-c', msysListScript(folder)], { encoding: 'utf8', stdio: 'pipe' })
  }
  const ids = { ppid: '1\n', pgid: '1200\n', winpid: '502\n' }

  test('prints each process with its tags', () => {
    const environ = 'PATH=/usr/bin\0SCORPIOX_TREE=;a-b.d1;c-d.d2;\0HOME=/c/Users/a\0'
    expect(listFolder({ 1200: { ...ids, environ }, 1201: { ...ids, environ: '<defunct>' }, self: ids })).toBe(
      '1200 1 1200 502 ;a-b.d1;c-d.d2;\n1201 1 1200 502\n',
    )
  })

  test.each(['a b', ';a;\n1 1 1 900 ;b;', ';*;', ';$(id);', '\u0007'])(
    'a tag of other characters is left out: %j',
    (tag) => {
      expect(listFolder({ 1200: { ...ids, environ: `SCORPIOX_TREE=${tag}\0` } })).toBe('1200 1 1200 502\n')
    },
  )

  test('skips a process that has ended meanwhile, and one whose environment cannot be read has no tags', () => {
    expect(listFolder({ 1200: ids, 1201: { ppid: '1\n' }, 1202: {} })).toBe('1200 1 1200 502\n')
  })

  test('has no character that the command line of Git Bash changes', () => {
    expect(msysListScript()).not.toMatch(/[\\"\n]/)
  })
})
