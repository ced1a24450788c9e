import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

import { expect, test } from 'vitest'

import { createWritableRoots, NO_WRITABLE_ROOTS } from '../config/writable-roots.js'
import { explainBubblewrapError, findBubblewrap } from './bubblewrap.js'

/** A folder with a bwrap that prints this version. */
function folderWith(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-bwrap-'))
  writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\necho "${version}"\n`)
  chmodSync(join(folder, 'bwrap'), 0o755)
  return folder
}

test('a bwrap that is new enough is found on the PATH', async () => {
  const folder = folderWith('bubblewrap 0.11.1')
  const env = { PATH: `/nowhere:${folder}` }
  expect(await findBubblewrap(env, NO_WRITABLE_ROOTS)).toEqual({ path: join(folder, 'bwrap'), version: '0.11.1' })
})

test.each(['bubblewrap 0.7.0', 'bubblewrap 0.4.1', '0.0.99'])('%s is too old', async (version) => {
  await expect(findBubblewrap({ PATH: folderWith(version) }, NO_WRITABLE_ROOTS)).rejects.toThrow('0.8.0 or newer')
})

test('a bwrap that does not report its version is rejected', async () => {
  await expect(findBubblewrap({ PATH: folderWith('hello') }, NO_WRITABLE_ROOTS)).rejects.toThrow(
    'does not report its version',
  )
})

test('a bwrap in a writable or relative folder is skipped', async () => {
  const [planted, good] = [folderWith('bubblewrap 9.9.9'), folderWith('bubblewrap 0.8.0')]
  mkdirSync(join(planted, 'bin'))
  const roots = createWritableRoots([planted], { home: '' })
  const found = await findBubblewrap({ PATH: `${planted}:${good}` }, roots)
  expect(found.path).toBe(join(good, 'bwrap'))
  await expect(findBubblewrap({ PATH: planted }, roots)).rejects.toThrow('is not installed')
  await expect(findBubblewrap({ PATH: relative(process.cwd(), good) }, NO_WRITABLE_ROOTS)).rejects.toThrow(
    'is not installed',
  )
  await expect(findBubblewrap({}, NO_WRITABLE_ROOTS)).rejects.toThrow('is not installed')
})

test('a bwrap that a link in a writable folder leads to is skipped', async () => {
  const [folder, good] = [folderWith('bubblewrap 0.8.0'), folderWith('bubblewrap 0.8.0')]
  const writable = mkdtempSync(join(tmpdir(), 'scorpiox-bwrap-'))
  symlinkSync(join(folder, 'bwrap'), join(writable, 'bwrap'))
  const outside = mkdtempSync(join(tmpdir(), 'scorpiox-bwrap-'))
  symlinkSync(join(writable, 'bwrap'), join(outside, 'bwrap'))
  const roots = createWritableRoots([writable], { home: '' })
  const found = await findBubblewrap({ PATH: `${writable}:${outside}:${good}` }, roots)
  expect(found.path).toBe(join(good, 'bwrap'))
})

test('every bwrap error has advice', () => {
  for (const printed of [
    'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.',
    'bwrap: Creating new namespace failed: Operation not permitted',
    'bwrap: setting up uid map: Permission denied',
    'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted',
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    'bwrap: pivot_root: Operation not permitted',
    'something else',
  ]) {
    expect(explainBubblewrapError(printed)).toMatch(/sysctl|--security-opt|SANDBOX=off/)
  }
})
