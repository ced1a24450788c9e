import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { needs } from '../../../../test/support/runtime.js'
import { unpackNpmChromium } from './npm-chromium.js'

const HAS_IT = process.platform === 'linux' && process.arch === 'x64'
const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'scorpiox-unpack-'))

test(
  'two concurrent calls unpack one complete program, in a private folder',
  needs(HAS_IT ? undefined : '@sparticuz/chromium is for Linux on x64'),
  async () => {
    const target = join(emptyFolder(), 'browser')
    const [one, other] = await Promise.all([unpackNpmChromium(() => target), unpackNpmChromium(() => target)])
    expect(one).toBe(other)
    const { mode, size } = statSync(one ?? '')
    expect(mode & 0o777).toBe(0o700)
    expect(size).toBeGreaterThan(100_000_000)
    const folder = dirname(one ?? '')
    expect(readdirSync(folder)).toEqual(['chromium'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    chmodSync(folder, 0o777)
    await unpackNpmChromium(() => target)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  },
)

test(
  'nothing is started from a folder of another user',
  needs(HAS_IT ? undefined : '@sparticuz/chromium is for Linux on x64'),
  async () => {
    const planted = join(emptyFolder(), 'planted')
    mkdirSync(planted)
    const victim = emptyFolder()
    symlinkSync(planted, join(victim, await folderName()))
    await expect(unpackNpmChromium(() => victim)).rejects.toThrow('could not be unpacked')
    expect(readdirSync(planted)).toEqual([])
  },
)

test(
  'the single executable uses no npm package, which could be that of the project',
  needs(HAS_IT ? undefined : '@sparticuz/chromium is for Linux on x64'),
  async () => {
    const { argv } = process
    process.argv = [process.execPath, '/$bunfs/root/scorpiox-code']
    try {
      expect(await unpackNpmChromium(emptyFolder)).toBeUndefined()
    } finally {
      process.argv = argv
    }
  },
)

/** The name of the folder of this version, found without unpacking: a device makes that fail. */
async function folderName(): Promise<string> {
  const failed = await unpackNpmChromium(() => '/dev/null').catch((error: unknown) => String(error))
  return /chromium-[\w.-]+(?=:)/.exec(String(failed))?.[0] ?? 'unknown'
}
