import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { expect, test } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { createProfileFolder, removeAbandonedProfiles, removeProfileFolder } from './browser-process.js'

const parent = (): string => mkdtempSync(join(tmpdir(), 'scorpiox-profile-'))

test('a profile folder is private to this user', needs(MISSING.fileModes), async () => {
  expect(statSync(await createProfileFolder(parent())).mode & 0o777).toBe(0o700)
})

test('only the folders of dead servers are removed', async () => {
  const here = parent()
  const outside = parent()
  writeFileSync(join(outside, 'precious'), '')
  const ours = await createProfileFolder(here)
  const { pid: gone } = spawnSync(process.execPath, ['-e', ''])
  const ofPid = (pid: number): string => join(here, basename(ours).replace(/browser-\d+/, `browser-${pid}`))
  const left = ofPid(gone)
  mkdirSync(join(left, 'Default'), { recursive: true })
  writeFileSync(join(left, 'Default', 'Cookies'), 'x')
  // The pid was reused by a process with another start time.
  const reused = join(
    here,
    basename(ours).replace(/-\d*-/, (found) => (found === '--' ? '--' : '-1-')),
  )
  mkdirSync(reused, { recursive: true })
  symlinkSync(outside, `${left}link`)
  const kept = ['scorpiox-browser-1', 'scorpiox-browser-x-1-a-b-c', 'other'].map((name) => join(here, name))
  for (const path of kept) mkdirSync(path)
  await removeAbandonedProfiles(here)
  expect(existsSync(left)).toBe(false)
  expect([ours, ...kept].filter((path) => !existsSync(path))).toEqual([])
  expect(readdirSync(outside)).toEqual(['precious'])
  await removeProfileFolder(ours)
  expect(existsSync(ours)).toBe(false)
})
