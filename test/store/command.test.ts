// `scorpiox-code state`, typed at the real program.

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { cleanEnv, emptyFolder, PROGRAM } from '../support.js'
import { startWriter } from './writers.js'

function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [PROGRAM, 'state', ...args], { env: cleanEnv(env), encoding: 'utf8' })
}

test('path, export and import work from the command line, and their failures are one sentence', async () => {
  const [here, there] = [emptyFolder(), emptyFolder()]
  const place = { file: join(here, 'state.db'), databaseUrl: '' }
  await startWriter({ place, name: 'one', how: 'closing' }).ended
  expect(run(['path'], { STATE_DIR: here }).stdout).toBe(`${place.file}\n`)
  const file = join(there, 'export.json')
  expect(run(['export', file], { STATE_DIR: here })).toMatchObject({ status: 0, stderr: '' })
  expect(run(['import', file], { STATE_DIR: there })).toMatchObject({ status: 0, stderr: '' })
  expect(run(['export'], { STATE_DIR: there }).stdout).toBe(readFileSync(file, 'utf8'))
  expect(run(['import', file], { STATE_DIR: there })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^scorpiox-code: .* for \/srv\/project of ann; nothing was imported.*--replace.*\n$/),
  })
  expect(run(['import', file, '--replace'], { STATE_DIR: there })).toMatchObject({ status: 0, stderr: '' })
  writeFileSync(file, '{')
  expect(run(['import', file], { STATE_DIR: there })).toMatchObject({ status: 1, stdout: '' })
  expect(run(['nonsense'], {})).toMatchObject({ status: 2, stdout: '' })
})

test('the password of a database is never printed, and a server that is away is a sentence', () => {
  const env = { DATABASE_URL: 'postgres://ann:not-to-be-printed@127.0.0.1:1/app' }
  expect(run(['path'], env).stdout).toBe('postgres://ann:****@127.0.0.1:1/app\n')
  const { status, stdout, stderr } = run(['export'], env)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^scorpiox-code: postgres:\/\/ann:\*{4}@127\.0\.0\.1:1\/app cannot be reached \(.*\).*\n$/)
})
