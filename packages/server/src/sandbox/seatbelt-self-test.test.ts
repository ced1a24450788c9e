// The script cannot run in the sandbox here. Without one, the attempts that are possible on this system must succeed, so
// that a sandbox which does not confine anything fails the test.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { buildSeatbeltTest, findSuccessfulSeatbeltEscapes, SEATBELT_ESCAPE_COUNT } from './seatbelt-self-test.js'
import { listUnwritable } from './seatbelt.js'
import { ESCAPE_COUNT } from './self-test.js'

const SECRET = '5ec2e7'

function runUnconfined() {
  const base = mkdtempSync(join(tmpdir(), 'seatbelt-test-'))
  const [project, held, home] = [join(base, 'p'), join(base, 'T', 'held'), join(base, 'home')]
  for (const folder of [project, held, home]) mkdirSync(folder, { recursive: true })
  const [secretFile, hiddenFile, protectedFile] = [join(base, 'secret'), join(held, 'file'), join(held, 'protected')]
  for (const file of [secretFile, hiddenFile, protectedFile]) writeFileSync(file, SECRET)
  const [file = '', ...args] = buildSeatbeltTest({
    bash: '/bin/bash',
    level: 'strict',
    secret: SECRET,
    secretFile,
    hiddenFile,
    protectedFile,
    socket: join(held, 's'),
    project,
    unwritable: [home],
  })
  const { stdout } = spawnSync(file, args, {
    encoding: 'utf8',
    env: { ...process.env, HOME: home, TMPDIR: join(base, 'T') },
  })
  return { escapes: findSuccessfulSeatbeltEscapes(stdout), base, project, held, home }
}

test('without a sandbox the attempts succeed, and leave nothing behind', () => {
  const { escapes, base, project, held, home } = runUnconfined()
  expect(escapes).toEqual(
    expect.arrayContaining([
      'writing outside',
      'reading a secret',
      'reading a hidden file in a writable folder',
      'reading a secret by a hard link',
      'changing a protected file',
      'changing a protected file by a hard link',
      'renaming a folder above a hidden file',
      'creating a protected file in another spelling',
      'signals to the server',
      'the network',
    ]),
  )
  expect([...readdirSync(project), ...readdirSync(home)]).toEqual([])
  expect(existsSync(join(held, 'file'))).toBe(true)
  expect(readdirSync(join(base, 'T'))).toEqual(['held'])
})

test('an attempt that was not made counts as successful', () => {
  expect(findSuccessfulSeatbeltEscapes('')).toHaveLength(SEATBELT_ESCAPE_COUNT)
})

test('a writable folder above the project makes it writable at read-only; in plan mode it is not', () => {
  const policy = { project: '/w/p', writable: ['/w'], home: '/home/ann', workFolder: '/state' }
  const common = ['/state', '/home/ann', '/tmp']
  expect(listUnwritable('read-only', policy)).toEqual([...common, '/w/p/.scorpiox'])
  expect(listUnwritable('read-only', { ...policy, writable: [] })).toEqual([...common, '/w/p'])
  expect(listUnwritable('workspace', { ...policy, writable: [] })).toEqual([...common, '/w/p/.scorpiox'])
  expect(listUnwritable('read-only', { ...policy, home: '', allowsOnlyGrants: true })).toEqual([
    '/state',
    '/tmp',
    '/w',
    '/w/p',
  ])
})

test('the documentation says how many escapes are tried', () => {
  const docs = join(import.meta.dirname, '../../../../docs')
  expect(readFileSync(join(docs, 'sandbox.md'), 'utf8')).toContain(
    `makes ${ESCAPE_COUNT} escape attempts at the chosen level (${SEATBELT_ESCAPE_COUNT} on macOS)`,
  )
  expect(readFileSync(join(docs, 'security.md'), 'utf8')).toContain(
    `makes ${ESCAPE_COUNT} attempts to escape from it (${SEATBELT_ESCAPE_COUNT} on macOS)`,
  )
})
