// `scorpiox-code check` reports no problem of this server.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { cleanEnv, emptyFolder, PROGRAM } from '../support/client.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'

let server: HttpServer
beforeAll(async () => void (server = await startProgram()))
afterAll(() => server.stop())

test('this server passes every check without a warning', async () => {
  const args = [PROGRAM, 'check', server.url, '--token', TOKEN, '--tool', 'Bash', '--json']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: emptyFolder(), env: cleanEnv() })
  const { verdicts } = JSON.parse(stdout) as { verdicts: { name: string; state: string; seen: string }[] }
  // The response time depends on the load of the machine.
  const complaints = verdicts.filter(({ name, state }) => name !== 'pace' && !['ok', 'skipped'].includes(state))
  expect(complaints).toEqual([])
  expect(verdicts.filter(({ state }) => state === 'skipped').map(({ name }) => name)).toEqual(['HTTPS', 'certificate'])
})
