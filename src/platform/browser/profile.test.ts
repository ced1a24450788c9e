import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { expect, test } from 'vitest'

import { createProfile, removeProfile, sweepProfiles } from './profile.js'

const parent = (): string => mkdtempSync(join(tmpdir(), 'scorpiox-profile-'))

test.skipIf(process.platform === 'win32')('a profile is of this user alone', async () => {
  expect(statSync(await createProfile(parent())).mode & 0o777).toBe(0o700)
})

test('what a server that is gone left behind is swept, and nothing else', async () => {
  const here = parent()
  const outside = parent()
  writeFileSync(join(outside, 'precious'), '')
  const ours = await createProfile(here)
  const { pid: gone } = spawnSync(process.execPath, ['-e', ''])
  const ofPid = (pid: number): string => join(here, basename(ours).replace(/browser-\d+/, `browser-${pid}`))
  const left = ofPid(gone)
  mkdirSync(join(left, 'Default'), { recursive: true })
  writeFileSync(join(left, 'Default', 'Cookies'), 'x')
  // The number is in use again, by somebody who started at another time.
  const reused = join(
    here,
    basename(ours).replace(/-\d*-/, (found) => (found === '--' ? '--' : '-1-')),
  )
  mkdirSync(reused, { recursive: true })
  symlinkSync(outside, `${left}link`)
  const kept = ['scorpiox-browser-1', 'scorpiox-browser-x-1-a-b-c', 'other'].map((name) => join(here, name))
  for (const path of kept) mkdirSync(path)
  await sweepProfiles(here)
  expect(existsSync(left)).toBe(false)
  expect([ours, ...kept].filter((path) => !existsSync(path))).toEqual([])
  expect(readdirSync(outside)).toEqual(['precious'])
  await removeProfile(ours)
  expect(existsSync(ours)).toBe(false)
})
