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

import { Failure } from '../../lib/failure.js'
import { ensureSessionFolder, makeSessionFolder, sessionFolder } from './session-folder.js'
import { createSessionNames } from './session-names.js'

const newProject = (): string => mkdtempSync(join(tmpdir(), 'scorpiox-sessions-'))
const isSticky = (path: string): boolean => (lstatSync(path).mode & 0o1000) !== 0

describe('the folder of a session', () => {
  test('is made with all above it, kept out of git, and kept', () => {
    const project = newProject()
    const folder = ensureSessionFolder(project, 'a_session')
    expect(folder).toBe(join(project, '.scorpiox', 'sessions', 'a_session'))
    writeFileSync(join(folder, 'mine'), 'x')
    expect(readFileSync(join(folder, '..', '.gitignore'), 'utf8')).toBe('*\n')
    writeFileSync(join(folder, '..', '.gitignore'), 'of the person')
    expect(ensureSessionFolder(project, 'a_session')).toBe(folder)
    expect(existsSync(join(folder, 'mine'))).toBe(true)
    expect(readFileSync(join(folder, '..', '.gitignore'), 'utf8')).toBe('of the person')
    expect([makeSessionFolder(project, 'a_session'), makeSessionFolder(project, 'another')]).toEqual([false, true])
  })

  test('takes over the empty folder of the sandbox, and no other that has the sticky bit', () => {
    const [project, own] = [newProject(), newProject()]
    for (const each of [project, own]) mkdirSync(join(each, '.scorpiox'))
    writeFileSync(join(own, '.scorpiox', 'mine'), 'x')
    for (const each of [project, own]) chmodSync(join(each, '.scorpiox'), 0o1755)
    for (const each of [project, own]) ensureSessionFolder(each, 'a_session')
    expect([project, own].map((each) => isSticky(join(each, '.scorpiox')))).toEqual([false, true])
    expect(lstatSync(join(project, '.scorpiox')).mode & 0o7777).toBe(0o755)
  })

  test.each(['.scorpiox', '.scorpiox/sessions', '.scorpiox/sessions/a_session'])(
    'is not made behind a link at %s',
    (path) => {
      const [project, victim] = [newProject(), newProject()]
      mkdirSync(join(project, path, '..'), { recursive: true })
      symlinkSync(victim, join(project, path))
      expect(() => ensureSessionFolder(project, 'a_session')).toThrow(Failure)
      expect(existsSync(join(victim, 'sessions'))).toBe(false)
      expect(existsSync(join(victim, 'a_session'))).toBe(false)
    },
  )

  test.each(['.scorpiox', '.scorpiox/sessions', '.scorpiox/sessions/a_session'])(
    'a file at %s is left alone',
    (path) => {
      const project = newProject()
      mkdirSync(join(project, path, '..'), { recursive: true })
      writeFileSync(join(project, path), 'of the person')
      expect(() => ensureSessionFolder(project, 'a_session')).toThrow('must be a folder')
      expect(readFileSync(join(project, path), 'utf8')).toBe('of the person')
    },
  )

  test('lies in a project that is there', () => {
    expect(() => ensureSessionFolder(join(newProject(), 'nowhere'), 'a_session')).toThrow(Failure)
  })

  test('is never outside, whatever name is remembered', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('..', '.', '', '../x', 'a/../../b', 'A', 'a\0')), (name) => {
        try {
          expect(sessionFolder('/p', name)).toMatch(/^\/p\/\.scorpiox\/sessions\/[a-z0-9_]+$/)
        } catch (error) {
          expect(error).toBeInstanceOf(Failure)
        }
      }),
    )
  })
})

const ME = { user: 'me', session: 'one' }

describe('the name of a session', () => {
  test('is given once, says the day, and has a folder', () => {
    const project = newProject()
    const names = createSessionNames(project)
    const name = names.nameOf(ME)
    expect(name).toMatch(/^\d{4}_\d\d_\d\d_[a-z]+_[a-z]+$/)
    expect(existsSync(sessionFolder(project, name))).toBe(true)
    expect(names.nameOf(ME)).toBe(name)
  })

  test('is another once a file in its folder has a name elsewhere, through which that could be changed', () => {
    const project = newProject()
    const names = createSessionNames(project)
    const name = names.nameOf(ME)
    const deep = join(sessionFolder(project, name), 'deep')
    mkdirSync(deep)
    writeFileSync(join(deep, 'one'), '')
    linkSync(join(deep, 'one'), join(deep, 'two'))
    symlinkSync(project, join(deep, 'link'))
    expect(names.nameOf(ME)).toBe(name)
    linkSync(join(deep, 'one'), join(project, 'outside'))
    const next = names.nameOf(ME)
    expect(next).not.toBe(name)
    expect(names.nameOf(ME)).toBe(next)
  })

  test('stays that of a folder that was taken away, and not that of a file in its place', () => {
    const project = newProject()
    const names = createSessionNames(project)
    const name = names.nameOf(ME)
    rmSync(sessionFolder(project, name), { recursive: true })
    expect(names.nameOf(ME)).toBe(name)
    writeFileSync(sessionFolder(project, name), 'a file')
    expect(names.nameOf(ME)).not.toBe(name)
  })

  test('is that of no other session, user or server', () => {
    const project = newProject()
    const servers = [createSessionNames(project), createSessionNames(project)]
    const caller = [...Array(400).keys()].map((at) => ({ user: `user ${at % 2}`, session: String(at >> 1) }))
    const given = servers.flatMap((names) => caller.map((each) => names.nameOf(each)))
    expect(new Set(given).size).toBe(800)
  })
})
