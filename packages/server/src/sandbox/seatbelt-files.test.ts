import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { afterEach, expect, test, vi } from 'vitest'

import { createSeatbeltFiles } from './seatbelt-files.js'

afterEach(() => vi.unstubAllEnvs())

function setUp() {
  const base = mkdtempSync(join(tmpdir(), 'seatbelt-files-'))
  const [work, temp] = [join(base, 'work'), join(base, 'T')]
  mkdirSync(temp)
  vi.stubEnv('TMPDIR', temp)
  return { base, work, temp }
}

test('the targets of the self-test are removed before the folder', async () => {
  const { work, temp } = setUp()
  const files = await createSeatbeltFiles(work)
  const { secret, secretFile, hiddenFile, protectedFile, socket, hidden } = files.targets
  for (const file of [secretFile, hiddenFile]) expect(readFileSync(file, 'utf8')).toBe(secret)
  expect(hidden).toEqual([hiddenFile, dirname(socket)])
  expect(dirname(protectedFile)).toBe(dirname(hiddenFile))
  await files.removeTargets()
  expect([...readdirSync(work), ...readdirSync(files.tmp)]).toEqual([])
  files.close()
  expect(readdirSync(temp)).toEqual([])
})

test('the path of the socket fits on macOS, where temporary folders have long names', async () => {
  const { work, temp } = setUp()
  const files = await createSeatbeltFiles(work)
  const parent = '/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T'
  expect(parent.length + files.targets.socket.length - temp.length).toBeLessThan(100)
  await files.removeTargets()
  files.close()
})

test('folders of servers that were killed are removed at the next start, and nothing else', async () => {
  const { base, work, temp } = setUp()
  const { pid } = spawnSync('true')
  const kept = [`scorpiox-sandbox-${process.pid}-abcdef`, `scorpiox-sandbox-x-${pid}`, `other-${pid}-x`]
  for (const name of [...kept, `scorpiox-sandbox-${pid}-abcdef`]) mkdirSync(join(temp, name))
  const outside = join(base, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), '')
  symlinkSync(outside, join(temp, `scorpiox-sandbox-${pid}-abcdef`, 'link'))
  symlinkSync(outside, join(temp, `scorpiox-sandbox-${pid}-zzzzzz`))
  const files = await createSeatbeltFiles(work)
  await files.removeTargets()
  files.close()
  expect(readdirSync(temp)).toEqual([...kept, `scorpiox-sandbox-${pid}-zzzzzz`].toSorted())
  expect(existsSync(join(outside, 'file'))).toBe(true)
})
