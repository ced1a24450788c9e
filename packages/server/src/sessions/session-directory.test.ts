import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { MISSING, needs } from '../../../../test/support/runtime.js'
import { createSessionDirectory, ensureSessionDirectory, sessionDirectoryPath } from './session-directory.js'
import { createSessionNames } from './session-names.js'

const newProject = (): string => mkdtempSync(join(tmpdir(), 'scorpiox-sessions-'))
const isSticky = (path: string): boolean => (lstatSync(path).mode & 0o1000) !== 0

describe('the session directory', () => {
  test('is created with its parents, ignored by git, and kept', () => {
    const project = newProject()
    const directory = ensureSessionDirectory(project, 'a_session')
    expect(directory).toBe(join(project, '.scorpiox', 'sessions', 'a_session'))
    writeFileSync(join(directory, 'mine'), 'x')
    expect(readFileSync(join(directory, '..', '.gitignore'), 'utf8')).toBe('*\n')
    writeFileSync(join(directory, '..', '.gitignore'), 'of the user')
    expect(ensureSessionDirectory(project, 'a_session')).toBe(directory)
    expect(existsSync(join(directory, 'mine'))).toBe(true)
    expect(readFileSync(join(directory, '..', '.gitignore'), 'utf8')).toBe('of the user')
    expect([createSessionDirectory(project, 'a_session'), createSessionDirectory(project, 'another')]).toEqual([
      false,
      true,
    ])
  })

  test('adopts the empty placeholder of the sandbox, but no other sticky directory', needs(MISSING.fileModes), () => {
    const [project, own] = [newProject(), newProject()]
    for (const each of [project, own]) mkdirSync(join(each, '.scorpiox'))
    writeFileSync(join(own, '.scorpiox', 'mine'), 'x')
    for (const each of [project, own]) chmodSync(join(each, '.scorpiox'), 0o1755)
    for (const each of [project, own]) ensureSessionDirectory(each, 'a_session')
    expect([project, own].map((each) => isSticky(join(each, '.scorpiox')))).toEqual([false, true])
    expect(lstatSync(join(project, '.scorpiox')).mode & 0o7777).toBe(0o755)
  })

  test.each(['.scorpiox', '.scorpiox/sessions', '.scorpiox/sessions/a_session'])(
    'is not created behind a link at %s',
    needs(MISSING.links),
    (path) => {
      const [project, victim] = [newProject(), newProject()]
      mkdirSync(join(project, path, '..'), { recursive: true })
      symlinkSync(victim, join(project, path))
      expect(() => ensureSessionDirectory(project, 'a_session')).toThrow(Failure)
      expect(existsSync(join(victim, 'sessions'))).toBe(false)
      expect(existsSync(join(victim, 'a_session'))).toBe(false)
    },
  )

  test.each(['.scorpiox', '.scorpiox/sessions', '.scorpiox/sessions/a_session'])(
    'does not touch a file at %s',
    (path) => {
      const project = newProject()
      mkdirSync(join(project, path, '..'), { recursive: true })
      writeFileSync(join(project, path), 'of the user')
      expect(() => ensureSessionDirectory(project, 'a_session')).toThrow('must be a directory')
      expect(readFileSync(join(project, path), 'utf8')).toBe('of the user')
    },
  )

  test('requires an existing project', () => {
    expect(() => ensureSessionDirectory(join(newProject(), 'nowhere'), 'a_session')).toThrow(Failure)
  })

  test('is never outside the project, whatever name is stored', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('..', '.', '', '../x', 'a/../../b', 'A', 'a\0')), (name) => {
        try {
          expect(sessionDirectoryPath('/p', name).replaceAll('\\', '/')).toMatch(
            /^\/p\/\.scorpiox\/sessions\/[a-z0-9_]+$/,
          )
        } catch (error) {
          expect(error).toBeInstanceOf(Failure)
        }
      }),
    )
  })
})

const CALLER = { user: 'me', session: 'one' }

describe('the session name', () => {
  test('is unique, contains the date, and has a directory', () => {
    const project = newProject()
    const names = createSessionNames(project)
    const name = names.nameOf(CALLER)
    expect(name).toMatch(/^\d{4}_\d\d_\d\d_[a-z]+_[a-z]+$/)
    expect(existsSync(sessionDirectoryPath(project, name))).toBe(true)
    expect(names.nameOf(CALLER)).toBe(name)
  })

  test('changes once a file in the directory has a hard link elsewhere', () => {
    const project = newProject()
    const names = createSessionNames(project)
    const name = names.nameOf(CALLER)
    const deep = join(sessionDirectoryPath(project, name), 'deep')
    mkdirSync(deep)
    writeFileSync(join(deep, 'one'), '')
    linkSync(join(deep, 'one'), join(deep, 'two'))
    symlinkSync(project, join(deep, 'link'))
    expect(names.nameOf(CALLER)).toBe(name)
    linkSync(join(deep, 'one'), join(project, 'outside'))
    const next = names.nameOf(CALLER)
    expect(next).not.toBe(name)
    expect(names.nameOf(CALLER)).toBe(next)
  })

  test('is kept if the directory was removed, but not if a file replaced it', () => {
    const project = newProject()
    const names = createSessionNames(project)
    const name = names.nameOf(CALLER)
    rmSync(sessionDirectoryPath(project, name), { recursive: true })
    expect(names.nameOf(CALLER)).toBe(name)
    writeFileSync(sessionDirectoryPath(project, name), 'a file')
    expect(names.nameOf(CALLER)).not.toBe(name)
  })

  test('differs between sessions, users and servers', () => {
    const project = newProject()
    const servers = [createSessionNames(project), createSessionNames(project)]
    const caller = [...Array(400).keys()].map((at) => ({ user: `user ${at % 2}`, session: String(at >> 1) }))
    const assigned = servers.flatMap((names) => caller.map((each) => names.nameOf(each)))
    expect([...new Set(assigned)]).toHaveLength(800)
  })
})
