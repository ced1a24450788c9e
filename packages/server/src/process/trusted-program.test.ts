import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { loadConfig } from '../config/load-config.js'
import { createWritableRoots } from '../config/writable-roots.js'
import {
  createTrustedEnvironment,
  findTrustedProgram,
  findTrustedShell,
  pickLibraryVariables,
  removeUntrustedLibraries,
} from './trusted-program.js'

function folder(...programs: readonly string[]): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'scorpiox-trusted-')))
  for (const name of programs) {
    writeFileSync(join(path, name), '#!/bin/sh\n')
    chmodSync(join(path, name), 0o755)
  }
  return path
}

test('a program is not taken from a writable, relative or empty folder of PATH', needs(MISSING.posixPaths), () => {
  const [writable, good] = [folder('tool'), folder('tool')]
  const roots = createWritableRoots([writable], { home: '' })
  const find = (path: string): string | undefined => findTrustedProgram('tool', { PATH: path }, roots)
  expect(find(`${writable}:.::bin:${good}`)).toBe(join(good, 'tool'))
  expect(find(writable)).toBeUndefined()
  mkdirSync(join(writable, 'bin'))
  expect(find(join(writable, 'bin', '..'))).toBeUndefined()
})

test(
  'a folder of PATH that is a link into a writable folder, or a link in one, is not searched',
  needs(MISSING.posixPaths),
  () => {
    const [writable, good, links] = [folder('tool'), folder('tool'), folder()]
    symlinkSync(writable, join(links, 'in'))
    symlinkSync(good, join(writable, 'out'))
    const roots = createWritableRoots([writable], { home: '' })
    const path = [join(links, 'in'), join(writable, 'out')].join(':')
    expect(findTrustedProgram('tool', { PATH: path }, roots)).toBeUndefined()
  },
)

test(
  'libraries in writable, relative and empty entries are removed, and all can be restored',
  needs(MISSING.posixPaths),
  () => {
    const [writable, good] = [folder(), folder()]
    const roots = createWritableRoots([writable], { home: '' })
    const env = {
      LD_LIBRARY_PATH: `${writable}:${good}:lib:`,
      LD_PRELOAD: `${writable}/x.so ${good}/y.so`,
      LD_AUDIT: join(writable, 'z.so'),
      DYLD_INSERT_LIBRARIES: `${writable}/a.dylib:${good}/b c.dylib`,
      OTHER: writable,
    }
    expect(removeUntrustedLibraries(env, roots)).toEqual({
      LD_LIBRARY_PATH: good,
      LD_PRELOAD: join(good, 'y.so'),
      LD_AUDIT: '',
      DYLD_INSERT_LIBRARIES: join(good, 'b c.dylib'),
      OTHER: writable,
    })
    const { OTHER: _, ...libraries } = env
    expect(pickLibraryVariables(env)).toEqual(libraries)
    const unchanged = { LD_LIBRARY_PATH: good, LD_PRELOAD: '' }
    expect(removeUntrustedLibraries(unchanged, roots)).toBe(unchanged)
  },
)

test(
  'a program outside of the sandbox finds no programs and no start file that commands can write',
  needs(MISSING.posixPaths),
  () => {
    const [writable, good] = [folder(), folder()]
    const roots = createWritableRoots([writable], { home: '' })
    const env = { PATH: `${writable}:${good}::.`, BASH_ENV: join(writable, 'start'), HOME: '/home/ann' }
    expect(createTrustedEnvironment(env, roots)).toEqual({ PATH: good, HOME: '/home/ann' })
    const trusted = { PATH: good, BASH_ENV: join(good, 'start') }
    expect(createTrustedEnvironment(trusted, roots)).toEqual(trusted)
  },
)

test(
  'the shell is not taken from SANDBOX_WRITE, and a configured one there is refused',
  needs(MISSING.posixPaths),
  () => {
    const [project, bin] = [folder(), folder('bash')]
    const config = (...overrides: readonly string[]) =>
      loadConfig({ programDir: '/opt/server', cwdFlag: project, overrides: [`SANDBOX_WRITE=${bin}`, ...overrides] })
    const env = { PATH: `${bin}:/usr/bin:/bin` }
    expect(findTrustedShell(config(), env).file).not.toContain(bin)
    expect(() => findTrustedShell(config(`SHELL_PATH=${join(bin, 'bash')}`), env)).toThrow(
      'in a folder that commands can write to',
    )
    expect(() => findTrustedShell(config('SHELL_PATH=/nowhere/bash'), env)).toThrow('does not exist')
  },
)

test(
  'on Windows, a bash.exe that is none is not reported as one that commands can have replaced',
  needs(MISSING.posixPaths),
  () => {
    const [project, bin] = [folder(), folder('bash.exe')]
    const shell = join(bin, 'bash.exe')
    const find = (write: string) => () =>
      findTrustedShell(
        loadConfig({
          programDir: '/opt/server',
          cwdFlag: project,
          overrides: [`SHELL_PATH=${shell}`, `SANDBOX_WRITE=${write}`],
        }),
        {},
        'win32',
      )
    expect(find('')).toThrow(`the configured shell ${shell} does not exist, or is not a bash for Windows`)
    expect(find(bin)).toThrow('in a folder that commands can write to')
  },
)

test('on Windows programs end in .exe, and PATH may be called Path', () => {
  const [writable, good] = [folder('tool.exe'), folder('tool.exe', 'script.cmd')]
  const roots = createWritableRoots([writable], { home: '' })
  const env = { Path: `${writable};${good}` }
  expect(findTrustedProgram('tool', env, roots, 'win32')).toBe(join(good, 'tool.exe'))
  expect(findTrustedProgram('script', env, roots, 'win32')).toBeUndefined()
  expect(createTrustedEnvironment(env, roots, 'win32')).toEqual({ Path: good })
})
