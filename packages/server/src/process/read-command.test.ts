import { spawnSync } from 'node:child_process'

import { expect, test } from 'vitest'

import { READ_COMMAND } from './supervisor.js'

test.each([
  ['whole', 'echo ran\\0', 'ran\n'],
  ['cut off', 'echo ran', ''],
  ['not there', '', ''],
])('a command that is %s', (_, given, output) => {
  const args = ['-c', `exec 3< <(printf '${given}') 9</dev/null; ${READ_COMMAND}`]
  expect(spawnSync('bash', args, { encoding: 'utf8' })).toMatchObject({ stdout: output, status: 0 })
})
