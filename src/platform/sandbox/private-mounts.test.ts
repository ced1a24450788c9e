import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { requires } from '../../../test/support/requirements.js'
import { findBubblewrap } from './bubblewrap.js'
import { privateMounts } from './private-mounts.js'

/** A world of its own in which mounts are shared, as they are on most machines. */
const shared = (script: string, ...args: readonly string[]) =>
  spawnSync('unshare', ['-Urm', '--propagation', 'shared', 'bash', '-c', script, 'bash', ...args], { encoding: 'utf8' })

/** Mounts something while a command runs, which then tries to write to it; prints what is there afterwards. */
const LATE_MOUNT = `
folder=$1; shift
"$@" --ro-bind / / --bind "$folder/said" "$folder/said" -- bash -c '
  touch "$0/said/up"; until [ -e "$0/said/go" ]; do sleep 0.02; done; touch "$0/late/written"' "$folder" 2>/dev/null &
until [ -e "$folder/said/up" ]; do sleep 0.02; done
mount -t tmpfs none "$folder/late"
touch "$folder/said/go"
wait
ls "$folder/late"`

const MOUNTS = {
  isMet: shared('mount -t tmpfs none /mnt && bwrap --ro-bind / / true').status === 0,
  reason: 'bubblewrap is not installed or cannot mount',
}

describe('what is mounted while a command runs', requires(MOUNTS), () => {
  test.each([
    ['can be written to in bwrap alone', false, 'written\n'],
    ['cannot be in a cage that is kept from it', true, ''],
  ])('%s', async (_, isKept, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'scorpiox-mounts-'))
    for (const name of ['said', 'late']) mkdirSync(join(folder, name))
    const { path } = await findBubblewrap(process.env, [])
    const words = await privateMounts({ bwrap: path, bash: '/bin/bash' }, process.env, [])
    expect(words).not.toEqual([])
    expect(shared(LATE_MOUNT, folder, ...(isKept ? words : []), path)).toMatchObject({ stdout: expected, status: 0 })
  })
})

test('where there is no such program, or it was put there by a command, nothing is said before bwrap', async () => {
  const tools = { bwrap: '/usr/bin/bwrap', bash: '/bin/bash' }
  expect(await privateMounts(tools, { PATH: '/nowhere' }, [])).toEqual([])
  expect(await privateMounts(tools, process.env, ['/'])).toEqual([])
  expect(await privateMounts({ ...tools, bwrap: '/nowhere/bwrap' }, process.env, [])).toEqual([])
})
