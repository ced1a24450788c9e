import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { listNodeFolders } from '../../../config/environment-files.js'
import { findNodeVersion } from './node-version.js'

// Each manager has a layout of its own on each system.
test.each<[NodeJS.Platform, string, string]>([
  ['linux', 'nvm', '.nvm/versions/node/v20.11.1/bin/node'],
  ['linux', 'fnm', '.local/share/fnm/node-versions/v20.11.1/installation/bin/node'],
  ['darwin', 'Volta', '.volta/tools/image/node/20.11.1/bin/node'],
  ['win32', 'nvm-windows', 'AppData/Roaming/nvm/v20.11.1/node.exe'],
  ['win32', 'nvm-windows 1.2', 'AppData/Local/nvm/v20.11.1/node.exe'],
  ['win32', 'fnm', 'AppData/Roaming/fnm/node-versions/v20.11.1/installation/node.exe'],
  ['win32', 'Volta', 'AppData/Local/Volta/tools/image/node/20.11.1/node.exe'],
])('on %s, %s', (platform, _manager, path) => {
  const home = mkdtempSync(join(tmpdir(), 'scorpiox-node-'))
  const program = join(home, path)
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(program, '')
  const file = join(home, '.nvmrc')
  writeFileSync(file, 'v20\r\n')
  expect(findNodeVersion(file, listNodeFolders({ home, childEnv: {} }, platform))).toEqual({ program })
})
