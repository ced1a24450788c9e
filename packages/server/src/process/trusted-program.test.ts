import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'

import { expect, test } from 'vitest'

import { containsSystemFolders } from './trusted-program.js'

test('the root and the system folders contain the system, project folders do not', () => {
  expect(containsSystemFolders('/')).toBe(true)
  expect(containsSystemFolders(dirname(realpathSync('/bin/sh')))).toBe(true)
  expect(containsSystemFolders(tmpdir())).toBe(false)
  expect(containsSystemFolders(process.cwd())).toBe(false)
  expect(containsSystemFolders('/srv/nowhere')).toBe(false)
})
