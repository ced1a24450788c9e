// A server started by hand in a terminal prints what it is, and can be ended.

import { join } from 'node:path'

import { expect, test } from 'vitest'

import { FOLDER } from '../grammar/support.js'
import { cleanEnv } from '../support/client.js'
import { CTRL_C, HAS_TERMINALS } from '../support/terminal.js'

test.skipIf(!HAS_TERMINALS)('a server in a terminal prints what it waits for', async () => {
  const { spawn } = await import('@lydell/node-pty')
  const env = Object.fromEntries(Object.entries(cleanEnv()).filter((entry): entry is [string, string] => !!entry[1]))
  const terminal = spawn(process.execPath, [join(FOLDER, 'tools-only.mjs')], { cwd: FOLDER, cols: 200, env })
  let screen = ''
  terminal.onData((text) => {
    const wasWaiting = screen.includes('on stdio')
    screen += text
    if (!wasWaiting && screen.includes('on stdio')) terminal.write(CTRL_C)
  })
  const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve))
  expect(screen).toContain('minimcp-grammar: info: MCP server on stdio')
  expect(exitCode).toBe(0)
})
