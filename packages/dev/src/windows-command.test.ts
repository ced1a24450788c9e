import { expect, test } from 'vitest'

import { toWindowsProgram } from './windows-command.js'

const FILES = new Set(['C:\\node\\npx.cmd', 'C:\\node\\node.exe', 'C:\\work\\run.bat', 'C:\\my tools\\uvx.exe'])
const LOOKUP = {
  cwd: 'C:\\work',
  env: { Path: '"C:\\my tools";relative;C:\\node', ComSpec: 'C:\\Windows\\System32\\cmd.exe' },
  isFile: (path: string) => FILES.has(path),
}

test('a program is started directly', () => {
  expect(toWindowsProgram('node', ['a b.mjs'], LOOKUP)).toEqual({
    file: 'C:\\node\\node.exe',
    args: ['a b.mjs'],
    isCommandLine: false,
  })
  expect(toWindowsProgram('uvx', [], LOOKUP)).toMatchObject({ file: 'C:\\my tools\\uvx.exe' })
  expect(toWindowsProgram('missing', ['x'], LOOKUP)).toEqual({ file: 'missing', args: ['x'], isCommandLine: false })
})

test('a batch file is started by cmd, and no argument is a command', () => {
  expect(toWindowsProgram('npx', ['-y', 'some-server', 'a & b', 'C:\\my folder\\'], LOOKUP)).toEqual({
    file: 'C:\\Windows\\System32\\cmd.exe',
    args: ['/d', '/v:off', '/s', '/c', String.raw`""C:\node\npx.cmd" "-y" "some-server" "a & b" "C:\my folder\\""`],
    isCommandLine: true,
  })
  expect(toWindowsProgram('.\\run.bat', [], LOOKUP)).toMatchObject({
    args: ['/d', '/v:off', '/s', '/c', String.raw`""C:\work\run.bat""`],
  })
})

test.each(['a"b', '%PATH%', 'a\nb'])('%j cannot be passed to a batch file', (argument) => {
  expect(toWindowsProgram('npx', [argument], LOOKUP)).toMatch(
    /npx\.cmd is a batch file, and ".+" cannot be passed to it/,
  )
  expect(toWindowsProgram('node', [argument], LOOKUP)).toMatchObject({ args: [argument] })
})
