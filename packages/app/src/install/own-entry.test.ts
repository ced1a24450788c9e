import { expect, test } from 'vitest'

import { compareEntry } from './own-entry.js'

const PLAIN = { hasCommandList: false }
const PLACE = '/home/ann/.scorpiox/scorpiox-code'
const LAUNCH = { command: PLACE, args: [] }

test.each([
  { command: PLACE },
  { command: PLACE, args: [] },
  { command: PLACE, args: ['-e', 'MODEL=opus'], env: { A: '1' }, disabled: true },
])('%j is connected', (entry) => {
  expect(compareEntry(PLAIN, entry, LAUNCH)).toEqual({ kind: 'connected' })
})

test.each([
  [{ command: '/old/scorpiox-code', args: ['-e', 'A=1'] }, ['-e', 'A=1']],
  [{ command: 'C:\\x\\Scorpiox-Code.exe', args: [] }, []],
  [{ command: '/usr/bin/node', args: ['/srv/dist/scorpiox-code.js', '-e', 'A=1'] }, ['-e', 'A=1']],
  [{ command: 'node.exe', args: ['C:\\srv\\dist\\scorpiox-code.js'] }, []],
  [{ command: 'npx', args: ['-y', 'scorpiox-code'] }, []],
  [{ command: 'npx', args: ['-y', 'scorpiox-code@1.2.3', 'serve'] }, ['serve']],
])('%j is recognized, and arguments of the user are kept', (entry, args) => {
  expect(compareEntry(PLAIN, entry, LAUNCH)).toEqual({ kind: 'outdated', members: { command: PLACE, args } })
})

test.each([
  undefined,
  null,
  'scorpiox-code',
  [],
  {},
  { command: 7 },
  { url: 'http://127.0.0.1:8808/mcp' },
  { command: '/usr/bin/scorpion' },
  { command: 'node', args: ['/srv/other.js'] },
  { command: 'rm', args: ['scorpiox-code'] },
])('%j belongs to another program', (entry) => {
  expect(compareEntry(PLAIN, entry, LAUNCH)).toEqual({ kind: 'other-program' })
})

test('the script is part of the launch command if the client starts the runtime', () => {
  const launch = { command: 'C:\\node.exe', args: ['C:\\srv\\scorpiox-code.js'] }
  expect(compareEntry(PLAIN, { ...launch, args: [...launch.args, '-e', 'A=1'] }, launch)).toEqual({ kind: 'connected' })
  expect(compareEntry(PLAIN, { ...launch, args: ['C:\\old\\scorpiox-code.js', 'x'] }, launch)).toEqual({
    kind: 'outdated',
    members: { command: launch.command, args: [...launch.args, 'x'] },
  })
})

test('an entry without arguments stays without', () => {
  const entry = { command: '/old/scorpiox-code' }
  expect(compareEntry(PLAIN, entry, LAUNCH)).toEqual({ kind: 'outdated', members: { command: PLACE } })
})

test.each([
  [{ type: 'local', command: [PLACE, '-e', 'A=1'] }, { kind: 'connected' }],
  [{ command: ['/old/scorpiox-code', '-e', 'A=1'] }, { kind: 'outdated', members: { command: [PLACE, '-e', 'A=1'] } }],
  [{ command: ['npx', '-y', 'scorpiox-code'] }, { kind: 'outdated', members: { command: [PLACE] } }],
  [{ command: ['npx', '-y', 'other'] }, { kind: 'other-program' }],
  [{ command: [] }, { kind: 'other-program' }],
])('command as a list: %j', (entry, state) => {
  expect(compareEntry({ hasCommandList: true }, entry, LAUNCH)).toEqual(state)
})
