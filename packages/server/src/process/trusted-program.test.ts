import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { loadConfig } from '../config/load-config.js'
import { createWritableRoots } from '../config/writable-roots.js'
import {
  createTrustedEnvironment,
  findTrustedProgram,
  findTrustedShell,
  pickLibraryVariables,
  removeUntrustedLibraries,
} from './trusted-program.js'

const POSIX = process.platform !== 'win32'

function folder(...programs: readonly string[]): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'scorpiox-trusted-')))
  for (const name of programs) {
    writeFileSync(join(path, name), '#!/bin/sh\n')
    chmodSync(join(path, name), 0o755)
  }
  return path
}

test.runIf(POSIX)('a program is not taken from a writable, relative or empty folder of PATH', () => {
  const [writable, good] = [folder('tool'), folder('tool')]
  const roots = createWritableRoots([writable], { home: '' })
  const find = (path: string): string | undefined => findTrustedProgram('tool', { PATH: path }, roots)
  expect(find(`${writable}:.::bin:${good}`)).toBe(join(good, 'tool'))
  expect(find(writable)).toBeUndefined()
  mkdirSync(join(writable, 'bin'))
  expect(find(join(writable, 'bin', '..'))).toBeUndefined()
})

test.runIf(POSIX)('a folder of PATH that is a link into a writable folder, or a link in one, is not searched', () => {
  const [writable, good, links] = [folder('tool'), folder('tool'), folder()]
  symlinkSync(writable, join(links, 'in'))
  symlinkSync(good, join(writable, 'out'))
  const roots = createWritableRoots([writable], { home: '' })
  const path = [join(links, 'in'), join(writable, 'out')].join(':')
  expect(findTrustedProgram('tool', { PATH: path }, roots)).toBeUndefined()
})

test.runIf(POSIX)('libraries in writable, relative and empty entries are removed, and all can be restored', () => {
  const [writable, good] = [folder(), folder()]
  const roots = createWritableRoots([writable], { home: '' })
  const env = {
    LD_LIBRARY_PATH: `${writable}:${good}:lib:`,
    LD_PRELOAD: `${writable}/x.so ${good}/y.so`,
    LD_AUDIT: join(writable, 'z.so'),
    OTHER: writable,
  }
  expect(removeUntrustedLibraries(env, roots)).toEqual({
    LD_LIBRARY_PATH: good,
    LD_PRELOAD: join(good, 'y.so'),
    LD_AUDIT: '',
    OTHER: writable,
  })
  const { OTHER: _, ...libraries } = env
  expect(pickLibraryVariables(env)).toEqual(libraries)
  const unchanged = { LD_LIBRARY_PATH: good, LD_PRELOAD: '' }
  expect(removeUntrustedLibraries(unchanged, roots)).toBe(unchanged)
})

test.runIf(POSIX)(
  'a program outside of the sandbox finds no programs and no start file that commands can write',
  () => {
    const [writable, good] = [folder(), folder()]
    const roots = createWritableRoots([writable], { home: '' })
    const env = { PATH: `${writable}:${good}::.`, BASH_ENV: join(writable, 'start'), HOME: '/home/ann' }
    expect(createTrustedEnvironment(env, roots)).toEqual({ PATH: good, HOME: '/home/ann' })
    const trusted = { PATH: good, BASH_ENV: join(good, 'start') }
    expect(createTrustedEnvironment(trusted, roots)).toEqual(trusted)
  },
)

test.runIf(POSIX)('the shell is not taken from SANDBOX_WRITE, and a configured one there is refused', () => {
  const [project, bin] = [folder(), folder('bash')]
  const config = (...overrides: readonly string[]) =>
    loadConfig({ programDir: '/opt/server', cwdFlag: project, overrides: [`SANDBOX_WRITE=${bin}`, ...overrides] })
  const env = { PATH: `${bin}:/usr/bin:/bin` }
  expect(findTrustedShell(config(), env).file).not.toContain(bin)
  expect(() => findTrustedShell(config(`SHELL_PATH=${join(bin, 'bash')}`), env)).toThrow(
    'in a folder that commands can write to',
  )
  expect(() => findTrustedShell(config('SHELL_PATH=/nowhere/bash'), env)).toThrow('is not there')
})
