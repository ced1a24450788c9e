import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'

import { expect, test } from 'vitest'

import { holdsSystem } from './holds-system.js'

test('the root and the system folders contain the system, project folders do not', () => {
  expect(holdsSystem('/')).toBe(true)
  expect(holdsSystem(dirname(realpathSync('/bin/sh')))).toBe(true)
  expect(holdsSystem(tmpdir())).toBe(false)
  expect(holdsSystem(process.cwd())).toBe(false)
  expect(holdsSystem('/srv/nowhere')).toBe(false)
})
