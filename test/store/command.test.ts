// `scorpiox-code state`, run as a command.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { cleanEnv, emptyFolder, PROGRAM } from '../support/client.js'
import { startWriter } from './writers.js'

const EMPTY_SCOPE = {
  project: '/srv/project',
  user: 'ann',
  nextTask: 9,
  nextStep: 9,
  nextPlan: 9,
  currentTask: null,
  tasks: [],
  plans: [],
}

function aTask(more = {}) {
  return { id: 1, name: 'x', createdAt: 1, completedAt: null, steps: [], ...more }
}

function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [PROGRAM, 'state', ...args], { env: cleanEnv(env), encoding: 'utf8' })
}

test('path, export and import work from the command line, and their failures are one sentence', async () => {
  const [here, there] = [emptyFolder(), emptyFolder()]
  const location = { file: join(here, 'state.db'), databaseUrl: '' }
  await startWriter({ location, name: 'one', how: 'closing' }).ended
  expect(run(['path'], { STATE_DIR: here }).stdout).toBe(`${location.file}\n`)
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

test('the export does not overwrite the database, however its path is written', async () => {
  const here = emptyFolder()
  const location = { file: join(here, 'state.db'), databaseUrl: '' }
  await startWriter({ location, name: 'one', how: 'closing' }).ended
  const link = join(emptyFolder(), 'link')
  symlinkSync(here, link)
  for (const file of [location.file, `${location.file}-wal`, join(link, 'state.db')]) {
    expect(run(['export', file], { STATE_DIR: here })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/is the database of tasks and plans; choose another file/),
    })
  }
  expect(run(['export'], { STATE_DIR: here })).toMatchObject({ status: 0, stdout: expect.stringContaining('one') })
})

test.each([
  ['a number that cannot be counted on', { nextTask: Number.MAX_SAFE_INTEGER }, 'nextTask must be an integer'],
  ['an invalid time', { tasks: [aTask({ completedAt: 9e15 })] }, 'completedAt must be a time'],
  ['a number of which there are two', { tasks: [aTask(), aTask()] }, 'tasks must be unique'],
  ['a negative number', { tasks: [aTask({ id: -1 })] }, 'id must be an integer'],
])('an import with %s is refused with the position', (_, scope, reason) => {
  const folder = emptyFolder()
  const file = join(folder, 'export.json')
  writeFileSync(file, JSON.stringify({ version: 1, scopes: [{ ...EMPTY_SCOPE, ...scope }] }))
  const { status, stderr } = run(['import', file], { STATE_DIR: folder })
  expect(status).toBe(1)
  expect(stderr).toContain(`cannot be imported: scopes[0].`)
  expect(stderr).toContain(reason)
  expect(existsSync(join(folder, 'state.db'))).toBe(false)
})

test('the password of a database is never printed, and an unreachable server is reported in one sentence', () => {
  const env = { DATABASE_URL: 'postgres://ann:not-to-be-printed@127.0.0.1:1/app' }
  expect(run(['path'], env).stdout).toBe('postgres://ann:****@127.0.0.1:1/app\n')
  const { status, stdout, stderr } = run(['export'], env)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^scorpiox-code: postgres:\/\/ann:\*{4}@127\.0\.0\.1:1\/app cannot be reached \(.*\).*\n$/)
})
