import { ChildProcess } from 'node:child_process'

import { expect, onTestFinished, test, vi } from 'vitest'

import { spawnPipedChild } from './piped-child.js'

/** Ends when its input does. */
const READER = `require('fs').createReadStream(null, { fd: 3 }).on('end', () => process.exit(7)).resume()`

test('its input is closed on Windows, where no process can be told to go on', async () => {
  const kill = vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(() => {
    throw new Error('kill ENOSYS')
  })
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
  onTestFinished(() => [kill, platform].forEach((mock) => mock.mockRestore()))
  const options = { cwd: '/', env: process.env, onData: () => {} }
  const child = await spawnPipedChild(process.execPath, ['-e', READER], options)
  child.disconnect()
  expect(await child.exited).toMatchObject({ code: 7 })
})
