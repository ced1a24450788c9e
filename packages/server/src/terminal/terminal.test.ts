import { expect, onTestFinished, test, vi } from 'vitest'

import { exitBySighup, printError, SIGHUP_EXIT_CODE } from './terminal.js'

test('printing leaves no listener behind', async () => {
  const before = process.stderr.listenerCount('error')
  for (let count = 0; count < 20; count++) await printError('')
  expect(process.stderr.listenerCount('error')).toBe(before)
})

test('a closed terminal ends the process by its exit code where there is no such signal', () => {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw new Error('kill ENOSYS')
  })
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`)
  })
  onTestFinished(() => [kill, exit].forEach((mock) => mock.mockRestore()))
  expect(() => exitBySighup('win32')).toThrow(`exit ${SIGHUP_EXIT_CODE}`)
  expect(() => exitBySighup('linux')).toThrow('ENOSYS')
})
