// What the doctor reports about the installation, and that the commands it suggests repair it.

import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

import { expect, test } from 'vitest'

import { PROGRAM } from '../support/client.js'
import { newUserHome, type UserHome } from './support.js'

interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  readonly fix?: string
}

async function examined(userHome: UserHome, name: string): Promise<Finding> {
  const { text } = await userHome.run('doctor', '--json')
  return (
    (JSON.parse(text) as Finding[]).find((finding) => finding.name === name) ?? { name, ok: false, detail: 'nothing' }
  )
}

const TYPED = `${process.execPath} ${PROGRAM}`

/** Runs exactly the commands that the doctor prints. */
function follow(userHome: UserHome, { fix = '' }: Finding): Promise<{ readonly code: number; readonly text: string }> {
  return new Promise((done) => {
    execFile('sh', ['-c', `${fix} --yes`], { env: userHome.env }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, text: stdout + stderr })
    })
  })
}

test('nothing installed is no problem, and one command installs it', async () => {
  const userHome = newUserHome()
  userHome.write('.cursor/mcp.json', '{}')
  const before = await examined(userHome, 'executable')
  expect(before).toEqual({
    name: 'executable',
    ok: true,
    detail: `not installed at ${userHome.executablePath}`,
    fix: `${TYPED} install`,
  })
  const cursor = await examined(userHome, 'Cursor')
  expect(cursor).toEqual({ name: 'Cursor', ok: true, detail: 'not connected', fix: `${TYPED} install cursor` })
  await follow(userHome, cursor)
  expect(await examined(userHome, 'executable')).toEqual({
    name: 'executable',
    ok: true,
    detail: `${userHome.executablePath}, 1.0.0, same as this program`,
  })
  expect(await examined(userHome, 'Cursor')).toEqual({
    name: 'Cursor',
    ok: true,
    detail: `connected to ${userHome.executablePath}`,
  })
  rmSync(userHome.executablePath)
  const gone = await examined(userHome, 'Cursor')
  expect(gone).toMatchObject({ ok: false, detail: `connected to ${userHome.executablePath}, which does not exist` })
  await follow(userHome, gone)
  expect((await examined(userHome, 'Cursor')).ok).toBe(true)
})

test.each([
  ['older', '#!/bin/sh\necho 0.9.9\n', 'is version 0.9.9, older than this'],
  ['broken', 'not a program', 'does not start'],
])('an executable that is %s is reported and replaced', async (_, text, detail) => {
  const userHome = newUserHome()
  mkdirSync(dirname(userHome.executablePath), { mode: 0o700 })
  writeFileSync(userHome.executablePath, text, { mode: 0o755 })
  const found = await examined(userHome, 'executable')
  expect(found).toMatchObject({ ok: false, detail: expect.stringContaining(detail) })
  expect(await follow(userHome, found)).toMatchObject({
    code: 0,
    text: expect.stringContaining('the previous file is now'),
  })
  expect(await examined(userHome, 'executable')).toMatchObject({ ok: true })
})

test('clients with broken, dangling or foreign entries are reported', async () => {
  const userHome = newUserHome()
  userHome.write('.cursor/mcp.json', '{"mcpServers": ')
  userHome.write('.gemini/settings.json', '{"mcpServers": {"scorpiox": {"command": "/usr/bin/scorpion"}}}')
  userHome.write('.codex/config.toml', '[mcp_servers.scorpiox]\ncommand = "node"\nargs = ["/gone/scorpiox-code.js"]\n')
  userHome.write('.claude.json', '{"mcpServers": {"scorpiox": {"command": "npx", "args": ["-y", "scorpiox-code"]}}}')
  const { code, text } = await userHome.run('doctor')
  expect(code).toBe(1)
  expect(text).toMatch(
    /✗ Cursor: .*mcp\.json cannot be read as JSON: line 1, column 16.*\n {2}→ .*scorpiox-code\.js install cursor\n/,
  )
  expect(text).toMatch(
    /○ Gemini CLI: its entry "scorpiox" starts another program\n {2}→ .*scorpiox-code\.js install gemini\n/,
  )
  expect(text).toMatch(
    /✗ Codex: connected to \/gone\/scorpiox-code\.js, which does not exist\n {2}→ \S+ \S+scorpiox-code\.js install codex\n/,
  )
  expect(text).toMatch(
    /○ Claude Code: connected to scorpiox-code\n {2}→ \S+ \S+scorpiox-code\.js install claude-code\n/,
  )
})
