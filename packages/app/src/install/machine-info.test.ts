import { expect, test } from 'vitest'

import { toPermanentRuntime } from './machine-info.js'

test('clients are given no Node.js of a folder that fnm removes when the terminal is closed', () => {
  const installed = 'C:\\Users\\ann\\AppData\\Roaming\\fnm\\node-versions\\v22.12.0\\installation\\node.exe'
  const resolve = (): string => installed
  const ofTerminal = 'C:\\Users\\ann\\AppData\\Local\\fnm_multishells\\9320_1700000000000\\node.exe'
  expect(toPermanentRuntime(ofTerminal, resolve)).toBe(installed)
  // That of nvm-windows is a link too, which stays when another version is chosen.
  const ofManager = 'C:\\nvm4w\\nodejs\\node.exe'
  expect(toPermanentRuntime(ofManager, resolve)).toBe(ofManager)
})
