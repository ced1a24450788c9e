import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { MISSING, needs } from '../../../test/support/runtime.js'
import { withTypedCommand } from './cli/doctor/doctor.js'
import { commandAsTyped } from './program-info.js'

const folder = mkdtempSync(join(tmpdir(), 'typed-'))
const program = join(folder, 'dist.js')
const bin = join(folder, 'bin')
writeFileSync(program, '')
mkdirSync(bin)
if (MISSING.links === undefined) symlinkSync(program, join(bin, 'scorpiox-code'))
const launch = { command: '/usr/bin/node', args: [program] }

test('the name alone is used only if PATH resolves it to this program', needs(MISSING.links), () => {
  const whole = `/usr/bin/node ${program}`
  expect(commandAsTyped(['/nowhere', bin].join(delimiter), launch)).toBe('scorpiox-code')
  expect(commandAsTyped(undefined, launch)).toBe(whole)
  expect(commandAsTyped('', launch)).toBe(whole)
  expect(commandAsTyped(folder, launch)).toBe(whole)
  expect(commandAsTyped(bin, { command: '/opt/my tools/scorpiox-code', args: [] })).toBe(
    "'/opt/my tools/scorpiox-code'",
  )
  const script = '/home/ann/.npm/_npx/0123/node_modules/.bin/scorpiox-code'
  expect(commandAsTyped('', { command: '/usr/bin/node', args: [script] })).toBe('npx scorpiox-code')
})

test('on Windows the name is that of an executable, or of the batch file of npm', () => {
  const prefix = mkdtempSync(join(tmpdir(), 'typed-'))
  const script = join(prefix, 'node_modules', 'scorpiox-code', 'dist', 'scorpiox-code.js')
  mkdirSync(dirname(script), { recursive: true })
  writeFileSync(script, '')
  const typed = (words: readonly string[], path = prefix): string => {
    const [command = '', ...args] = words
    return commandAsTyped(path, { command, args }, 'win32')
  }
  expect(typed(['node.exe', script])).not.toBe('scorpiox-code')
  writeFileSync(join(prefix, 'scorpiox-code.cmd'), '')
  expect(typed(['node.exe', script])).toBe('scorpiox-code')
  expect(typed(['node.exe', program])).toBe(`node.exe ${program}`)
  const executable = join(prefix, 'scorpiox-code.exe')
  writeFileSync(executable, '')
  expect(typed([executable])).toBe('scorpiox-code')
  expect(typed([executable], bin)).toBe(executable)
})

test.each([
  ['scorpiox-code install', 'X install'],
  ['Correct that, then run: scorpiox-code install zed', 'Correct that, then run: X install zed'],
  ['npx scorpiox-code install', 'npx scorpiox-code install'],
  ['connected to /home/ann/.scorpiox/scorpiox-code install', 'connected to /home/ann/.scorpiox/scorpiox-code install'],
  ['npm install -g scorpiox-code && scorpiox-code install', 'npm install -g scorpiox-code && scorpiox-code install'],
  ['connected to scorpiox-code', 'connected to scorpiox-code'],
])('%s is shown as %s', (text, shown) => {
  expect(withTypedCommand({ name: 'n', ok: true, detail: text, fix: text }, 'X')).toEqual({
    name: 'n',
    ok: true,
    detail: shown,
    fix: shown,
  })
})
