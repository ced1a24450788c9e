import { expect, test } from 'vitest'

import { formatCommandResult, nameKilledChildren, noteNothingRunning } from './format-command-result.js'
import type { CommandResult } from './shell-service.js'

test('on Windows and macOS, nothing is claimed about processes that could not be found', () => {
  expect(nameKilledChildren('linux')).toBe('its child processes')
  expect(noteNothingRunning('linux')).toBe('It left no processes running.')
  for (const platform of ['win32', 'darwin'] as const) {
    expect(nameKilledChildren(platform)).toContain('that could be found')
    expect(noteNothingRunning(platform)).toContain('if they could be found')
  }
})

const KILLED: CommandResult = {
  text: 'begun\n',
  truncated: false,
  bytes: 6,
  binary: undefined,
  omittedCharacters: 0,
  omittedLines: 0,
  omittedBytes: 0,
  incompleteBytes: 0,
  ending: 'timeout',
  exitCode: null,
  signal: null,
  durationMs: 1000,
  jobId: undefined,
  storedBytes: 0,
  recordProblem: undefined,
  failureHint: undefined,
  notice: undefined,
  leftoverProcesses: [],
}
const LIMIT = { ms: 1000, killAtLimit: true }

test('a timeout says if the children could not be listed', () => {
  const format = (parts: Partial<CommandResult>) => JSON.stringify(formatCommandResult({ ...KILLED, ...parts }, LIMIT))
  expect(format({})).toContain('child processes')
  expect(format({ areChildrenUnlisted: true })).toContain(
    'the command was killed. Its child processes could not be listed, and may still run.',
  )
  const leftoverProcesses = [{ pid: 7, name: 'node' }]
  expect(format({ areChildrenUnlisted: true, leftoverProcesses })).toContain('could not be killed: node (7)')
})
