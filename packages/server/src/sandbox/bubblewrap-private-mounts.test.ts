import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { requires } from '../../../../test/support/requirements.js'
import { NO_WRITABLE_ROOTS } from '../config/writable-roots.js'
import { findBubblewrap, findPrivateMountWrapper } from './bubblewrap.js'

/** A mount namespace with shared propagation, as on most machines. */
const shared = (script: string, ...args: readonly string[]) =>
  spawnSync('unshare', ['-Urm', '--propagation', 'shared', 'bash', '-c', script, 'bash', ...args], { encoding: 'utf8' })

/** Mounts a folder while a command runs, which then tries to write to it; prints its content afterwards. */
const LATE_MOUNT = `
folder=$1; shift
"$@" --ro-bind / / --bind "$folder/control" "$folder/control" -- bash -c '
  touch "$0/control/up"; until [ -e "$0/control/go" ]; do sleep 0.02; done; touch "$0/late/written"' "$folder" 2>/dev/null &
until [ -e "$folder/control/up" ]; do sleep 0.02; done
mount -t tmpfs none "$folder/late"
touch "$folder/control/go"
wait
ls "$folder/late"`

const MOUNTS = {
  isMet: shared('mount -t tmpfs none /mnt && bwrap --ro-bind / / true').status === 0,
  reason: 'bubblewrap is not installed or cannot mount',
}

describe('a folder that is mounted while a command runs', requires(MOUNTS), () => {
  test.each([
    ['can be written to in bwrap alone', false, 'written\n'],
    ['cannot be written to with the wrapper', true, ''],
  ])('%s', async (_, usesWrapper, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'scorpiox-mounts-'))
    for (const name of ['control', 'late']) mkdirSync(join(folder, name))
    const { path } = await findBubblewrap(process.env, NO_WRITABLE_ROOTS)
    const wrapper = await findPrivateMountWrapper({ bwrap: path, bash: '/bin/bash' }, process.env, NO_WRITABLE_ROOTS)
    expect(wrapper).not.toEqual([])
    expect(shared(LATE_MOUNT, folder, ...(usesWrapper ? wrapper : []), path)).toMatchObject({
      stdout: expected,
      status: 0,
    })
  })
})

test('without a trusted unshare there is no wrapper', async () => {
  const tools = { bwrap: '/usr/bin/bwrap', bash: '/bin/bash' }
  expect(await findPrivateMountWrapper(tools, { PATH: '/nowhere' }, NO_WRITABLE_ROOTS)).toEqual([])
  expect(await findPrivateMountWrapper(tools, process.env, { paths: ['/'], contains: () => true })).toEqual([])
  expect(await findPrivateMountWrapper({ ...tools, bwrap: '/nowhere/bwrap' }, process.env, NO_WRITABLE_ROOTS)).toEqual(
    [],
  )
})
