// Real disks that are full or read-only: a small file system in memory, a read-only mount.

import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { emptyFolder } from '../support/client.js'
import { canRun, requires } from '../support/requirements.js'
import { acknowledgedTo, startWriter } from './writers.js'

const BWRAP = ['bwrap', '--dev-bind', '/', '/', '--die-with-parent']
const BUBBLEWRAP = {
  isMet: canRun('bwrap', [...BWRAP.slice(1), 'true']),
  reason: 'bubblewrap is not installed or cannot mount',
}

describe('a disk', requires(BUBBLEWRAP), () => {
  test('that is full and has space again, 20 times: nothing is lost, nothing is restarted', async () => {
    const folder = emptyFolder()
    const location = { file: join(folder, 'state.db'), databaseUrl: '' }
    const within = [...BWRAP, '--perms', '0700', '--size', '16777216', '--tmpfs', folder]
    const writer = startWriter({ location, name: 'w', how: 'starve', count: 20, within })
    expect(await writer.ended).toEqual({ code: 0, stderr: '' })
    const { failures, ...found } = JSON.parse(writer.lines[0] ?? '')
    expect(found).toMatchObject({ cycles: 20, lost: 0 })
    expect(found.refused).toBeGreaterThanOrEqual(20)
    expect(found.acknowledged).toBeGreaterThanOrEqual(400)
    for (const failure of failures) expect(failure).toMatch(/^Failure: The disk of \S+state\.db is full, nothing was/)
  })

  test('that has no space from the start is reported', async () => {
    const folder = emptyFolder()
    const location = { file: join(folder, 'state.db'), databaseUrl: '' }
    const within = [...BWRAP, '--perms', '0700', '--size', '8192', '--tmpfs', folder]
    const writer = startWriter({ location, name: 'w', how: 'try', within })
    expect(await writer.ended).toEqual({ code: 0, stderr: '' })
    expect(writer.lines).toEqual([
      '{"tasks":0,"open":0,"openSteps":0}',
      expect.stringMatching(/^Failure: The disk of \S+state\.db (is full|failed).*space/),
    ])
  })

  test('that is read-only is a failure that names the file; afterwards work continues', async () => {
    const folder = join(emptyFolder(), 'state')
    mkdirSync(folder, { mode: 0o700 })
    const location = { file: join(folder, 'state.db'), databaseUrl: '' }
    const within = [...BWRAP, '--ro-bind', folder, folder]
    const attempt = async (name: string, inside: readonly string[] = []) => {
      const writer = startWriter({ location, name, how: 'try', within: inside })
      expect(await writer.ended).toEqual({ code: 0, stderr: '' })
      return writer
    }
    const refusal = expect.stringMatching(/^Failure: \S+state\.db cannot be (written to|opened) \(.+\).*make it/)
    expect((await attempt('empty', within)).lines).toEqual([expect.any(String), refusal])
    expect(acknowledgedTo(await attempt('one'))).toEqual(new Map([[1, 'one']]))
    expect((await attempt('two', within)).lines.at(-1)).toEqual(refusal)
    expect(acknowledgedTo(await attempt('three'))).toEqual(new Map([[2, 'three']]))
    expect(dirname(location.file)).toBe(folder)
  })
})
