import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { MISSING, needs } from '../../../../test/support/runtime.js'
import { listProjectNames } from '../clients/client-paths.js'
import { createProtectedPaths, type ProtectOptions } from './protected-paths.js'

function project(files: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'scorpiox-project-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const PROJECT: ProtectOptions = { isProject: true, isMountedInAll: () => true }
const PROTECTED_NAMES = [
  ...new Set(['.scorpiox', '.claude', 'scorpiox-env.txt', ...listProjectNames(), '.agents', 'commondir', 'refs']),
]

test('a missing path gets a placeholder folder, which is removed on close', async () => {
  const root = project({ 'readme.md': '' })
  const guard = createProtectedPaths()
  expect(guard.protectFolder(root, PROJECT)).toEqual(PROTECTED_NAMES.map((name) => join(root, name)))
  expect(guard.protectFolder(root, PROJECT)).toHaveLength(PROTECTED_NAMES.length)
  for (const name of PROTECTED_NAMES) expect(readdirSync(join(root, name))).toEqual([])
  await guard.close()
  expect(readdirSync(root)).toEqual(['readme.md'])
})

test('existing files are not changed', async () => {
  const root = project({ 'scorpiox-env.txt': 'TOOLS=1', '.claude/settings.json': '{}' })
  mkdirSync(join(root, '.scorpiox'))
  const guard = createProtectedPaths()
  guard.protectFolder(root, PROJECT)
  await guard.close()
  expect(readdirSync(root).sort()).toEqual(['.claude', '.scorpiox', 'scorpiox-env.txt'])
})

test('a placeholder that the user filled is kept', async () => {
  const root = project()
  const guard = createProtectedPaths()
  guard.protectFolder(root, PROJECT)
  writeFileSync(join(root, '.scorpiox', 'scorpiox-env.txt'), 'MODEL=x')
  await guard.close()
  expect(readdirSync(root)).toEqual(['.scorpiox'])
})

test('the placeholders of a killed server are removed when the next one closes', async () => {
  const root = project()
  createProtectedPaths().protectFolder(root, PROJECT)
  const next = createProtectedPaths()
  next.protectFolder(root, PROJECT)
  await next.close()
  expect(readdirSync(root)).toEqual([])
})

test('the parts of a repository that run programs are protected, also missing hooks', async () => {
  const root = project({ '.git/config': '', '.git/HEAD': '' })
  const guard = createProtectedPaths()
  const readOnly = guard.protectFolder(root, PROJECT)
  const gits = ['config', 'hooks', 'commondir'].map((name) => join(root, '.git', name))
  expect(readOnly.slice(PROTECTED_NAMES.length)).toEqual(gits)
  expect(readFileSync(join(root, '.git', 'commondir'), 'utf8')).toBe('.\n')
  await guard.close()
  expect(readdirSync(join(root, '.git')).toSorted()).toEqual(['HEAD', 'config'])
})

test('a commondir and a config.worktree of the user are protected and kept', async () => {
  const root = project({ '.git/config': '', '.git/commondir': '.\n', '.git/config.worktree': '' })
  const guard = createProtectedPaths()
  const readOnly = guard.protectFolder(root, PROJECT)
  for (const name of ['commondir', 'config.worktree']) expect(readOnly).toContain(join(root, '.git', name))
  await guard.close()
  expect(readdirSync(join(root, '.git')).toSorted()).toEqual(['commondir', 'config', 'config.worktree'])
})

test('a missing config.worktree is protected if git would read it', async () => {
  const root = project({ '.git/config': '[extensions]\n\tworktreeConfig = true\n' })
  const guard = createProtectedPaths()
  expect(guard.protectFolder(root, PROJECT)).toContain(join(root, '.git', 'config.worktree'))
  await guard.close()
  expect(readdirSync(join(root, '.git'))).toEqual(['config'])
})

test('the files of a crashed server in a repository are removed when the next one closes', async () => {
  const root = project({ '.git/config': '' })
  createProtectedPaths().protectFolder(root, PROJECT)
  const next = createProtectedPaths()
  next.protectFolder(root, PROJECT)
  await next.close()
  expect(readdirSync(join(root, '.git'))).toEqual(['config'])
})

test('what the repository has for worktrees elsewhere is protected, for those in the project it is not', () => {
  const root = project({ '.git/config': '', '.git/worktrees/out/gitdir': '/elsewhere/.git\n' })
  mkdirSync(join(root, '.git', 'worktrees', 'in'))
  writeFileSync(join(root, '.git', 'worktrees', 'in', 'gitdir'), `${root}/in/.git\n`)
  const readOnly = createProtectedPaths().protectFolder(root, PROJECT)
  expect(readOnly.filter((path) => path.includes('worktrees/'))).toEqual([join(root, '.git', 'worktrees', 'out')])
})

test('a FIFO where a file of git is expected does not block', needs(MISSING.fifos), () => {
  const root = project({ '.git/worktrees/x/HEAD': '' })
  execFileSync(
    'mkfifo',
    ['config', 'commondir', 'worktrees/x/gitdir'].map((name) => join(root, '.git', name)),
  )
  expect(createProtectedPaths().protectFolder(root, PROJECT)).toContain(join(root, '.git', 'worktrees', 'x'))
})

test('a project that has folders called refs or objects keeps them writable', () => {
  const [one, both] = [project({ 'refs/x': '' }), project({ 'refs/x': '', 'objects/x': '' })]
  const names = (root: string): readonly string[] =>
    createProtectedPaths()
      .protectFolder(root, PROJECT)
      .map((path) => path.slice(root.length + 1))
  expect(names(one)).toEqual(expect.arrayContaining(['commondir', 'objects']))
  expect(names(one)).not.toContain('refs')
  expect(names(both)).toEqual(expect.arrayContaining(['commondir', 'HEAD']))
})

test('the .git file of a worktree is protected', () => {
  const root = project({ '.git': 'gitdir: /elsewhere' })
  expect(createProtectedPaths().protectFolder(root, PROJECT)).toContain(join(root, '.git'))
})

test('a repository that a running command could replace is not protected', () => {
  const root = project({ '.git/config': '' })
  const readOnly = createProtectedPaths().protectFolder(root, {
    isProject: true,
    isMountedInAll: (path) => !path.endsWith('.git'),
  })
  expect(readOnly).toHaveLength(PROTECTED_NAMES.length)
  expect(readdirSync(join(root, '.git'))).toEqual(['config'])
})

test('.agents is not protected if its skills are not read', () => {
  const root = project({ '.claude/skills/it/SKILL.md': '' })
  symlinkSync('.claude', join(root, '.agents'))
  expect(createProtectedPaths().protectFolder(root, PROJECT)).not.toContain(join(root, '.agents'))
  const other = project({ '.agents/skills/it/SKILL.md': '', '.claude/x': '' })
  symlinkSync('../.agents/skills', join(other, '.claude/skills'))
  expect(createProtectedPaths().protectFolder(other, PROJECT)).toContain(join(other, '.agents'))
})

test('a symbolic link at a protected path is an error', () => {
  const names = PROTECTED_NAMES.filter((name) => name !== 'refs')
  for (const name of [...names, '.git', '.git/hooks', '.git/config', '.git/commondir']) {
    const root = project({ '.git/config': '', 'other/config': '' })
    rmSync(join(root, name), { recursive: true, force: true })
    if (name === '.git/hooks' || !name.includes('/')) mkdirSync(join(root, 'other', 'x'))
    symlinkSync(join(root, 'other'), join(root, name))
    expect(() => createProtectedPaths().protectFolder(root, PROJECT)).toThrow(Failure)
  }
})

test('a file that a client expects is protected if it exists, and has no placeholder', () => {
  const root = project({ 'opencode.json': '{}' })
  const readOnly = createProtectedPaths().protectFolder(root, PROJECT)
  expect(readOnly).toContain(join(root, 'opencode.json'))
  expect(readOnly).not.toContain(join(root, 'opencode.jsonc'))
})

test('outside a project only existing paths are protected', () => {
  const root = project({ '.claude/x': '' })
  expect(createProtectedPaths().protectFolder(root, { ...PROJECT, isProject: false })).toEqual([join(root, '.claude')])
  expect(readdirSync(root)).toEqual(['.claude'])
})

test('a writable bare git directory is protected', () => {
  const root = project({ config: '', HEAD: '', 'objects/x': '', 'refs/x': '' })
  expect(createProtectedPaths().protectFolder(root, { ...PROJECT, isProject: false })).toEqual([
    join(root, 'config'),
    join(root, 'hooks'),
    join(root, 'commondir'),
  ])
  expect(lstatSync(join(root, 'hooks')).isDirectory()).toBe(true)
})
