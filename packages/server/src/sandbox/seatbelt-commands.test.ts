import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { parseProfile } from '../../../../judges/seatbelt/evaluate-profile.mjs'
import type { ActiveSandboxLevel } from './sandbox-level.js'
import { createSeatbeltCommands } from './seatbelt-commands.js'

function setUp(options: { readonly allowsOnlyGrants?: boolean } = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'scorpiox-seatbelt-')))
  const [home, project, tmp, state] = ['home', 'home/p', 'T/tmp', 'home/.scorpiox'].map((name) => join(base, name))
  if (!home || !project || !tmp || !state) throw new Error('no folders')
  for (const folder of [join(project, '.git', 'hooks'), join(home, '.ssh'), tmp, state])
    mkdirSync(folder, { recursive: true })
  writeFileSync(join(project, '.git', 'config'), '')
  const policy = {
    project,
    home,
    hidden: [state, join(home, '.ssh'), join(base, 'T'), join(home, '.aws'), join(home, '.config/gh')],
    readable: [],
    readOnly: [],
    writable: [],
    controlFiles: [join(project, 'control', 'tokens.json')],
    memoryBytes: 0,
    ...options,
  }
  const commands = createSeatbeltCommands(policy, { bash: '/bin/bash', tmp })
  const profileOf = (level: ActiveSandboxLevel, writable?: readonly string[]) => {
    const { argv } = commands.create(level, writable && { writable })
    expect(argv.slice(0, 2)).toEqual(['/usr/bin/sandbox-exec', '-p'])
    expect(argv.slice(3, 5)).toEqual(['/usr/bin/env', `TMPDIR=${tmp}`])
    return parseProfile(argv[2] ?? '')
  }
  return { home, project, tmp, state, commands, profileOf }
}

describe('levels', () => {
  test('workspace writes to the project and its own temporary folder, and reads everything but secrets', () => {
    const { home, project, tmp, state, profileOf } = setUp()
    const decide = profileOf('workspace')
    const write = (path: string) => decide('file-write-create', { path })
    expect(write(join(project, 'a'))).toBe('allow')
    expect(write(join(tmp, 'a'))).toBe('allow')
    expect(write(join(home, 'a'))).toBe('deny')
    for (const name of ['.mcp.json', '.MCP.json', '.scorpiox', 'scorpiox-env.txt', '.git/config', '.git/hooks/x'])
      expect.soft(write(join(project, name)), name).toBe('deny')
    // Its folder does not exist: a command could create both.
    expect(write(join(project, 'control'))).toBe('deny')
    for (const path of [join(home, '.ssh', 'id'), join(state, 'tokens.json')])
      expect.soft(decide('file-read-data', { path }), path).toBe('deny')
    expect(decide('file-read-data', { path: join(home, 'notes') })).toBe('allow')
    expect(decide('network-outbound', { address: '1.1.1.1:443' })).toBe('allow')
  })

  test('read-only writes to the temporary folder only', () => {
    const { project, tmp, profileOf } = setUp()
    const decide = profileOf('read-only')
    expect(decide('file-write-create', { path: join(project, 'a') })).toBe('deny')
    expect(decide('file-write-create', { path: join(tmp, 'a') })).toBe('allow')
  })

  test('strict reads the system and the project, without a network', () => {
    const { home, project, profileOf } = setUp()
    const decide = profileOf('strict')
    expect(decide('file-read-data', { path: join(home, 'notes') })).toBe('deny')
    expect(decide('file-read-data', { path: join(project, 'a') })).toBe('allow')
    expect(decide('file-read-metadata', { path: home })).toBe('allow')
    expect(decide('file-read-data', { path: '/usr/bin/git' })).toBe('allow')
    expect(decide('network-outbound', { address: '1.1.1.1:443' })).toBe('deny')
  })
})

test('in plan mode only the granted folder is writable', () => {
  const { home, project, profileOf } = setUp({ allowsOnlyGrants: true })
  const session = join(home, 'session')
  mkdirSync(session)
  const decide = profileOf('read-only', [session])
  expect(decide('file-write-create', { path: join(session, 'plan.md') })).toBe('allow')
  expect(decide('file-write-create', { path: join(project, 'a') })).toBe('deny')
})

test('a profile is outdated when git reads another file, and nothing is created in the project', () => {
  const { project, commands } = setUp()
  const names = readdirSync(project)
  const command = commands.create('workspace')
  expect(command.isUpToDate()).toBe(true)
  writeFileSync(join(project, '.git', 'config'), '[extensions]\n\tworktreeConfig = true\n')
  expect(command.isUpToDate()).toBe(false)
  expect(readdirSync(project)).toEqual(names)
})

test('the second path of the data volume is hidden, also where everything is readable', () => {
  const { home, profileOf } = setUp()
  const decide = profileOf('workspace')
  expect(decide('file-read-data', { path: `/System/Volumes/Data${home}/.ssh/id` })).toBe('deny')
  expect(decide('file-read-data', { path: '/System/Volumes/Preboot/Cryptexes/OS/a.dylib' })).toBe('allow')
})

test('a hidden file that appears while a command runs is refused, and what is beside it is not', () => {
  const { home, profileOf } = setUp()
  const decide = profileOf('workspace')
  for (const name of ['.aws/credentials', '.config/gh/hosts.yml'])
    expect(decide('file-read-data', { path: join(home, name) }), name).toBe('deny')
  expect(decide('file-read-data', { path: join(home, '.config/other') })).toBe('allow')
  mkdirSync(join(home, '.config'))
  const writable = profileOf('workspace', [join(home, '.config')])
  expect(writable('file-write-create', { path: join(home, '.config/gh') })).toBe('allow')
})

test('what is hidden is refused even if this process cannot read it now', () => {
  const { home, profileOf } = setUp()
  chmodSync(join(home, '.ssh'), 0)
  expect(profileOf('workspace')('file-read-data', { path: join(home, '.ssh', 'id') })).toBe('deny')
})

test('nothing else of the temporary files of the user is readable, such as the cache of xcrun', () => {
  const { tmp, profileOf } = setUp()
  for (const level of ['workspace', 'strict'] as const)
    expect(profileOf(level)('file-read-data', { path: join(tmp, '..', 'xcrun_db') })).toBe('deny')
})

test('programs put temporary files and caches into the folder that they can write to', () => {
  const { project, home } = setUp()
  const policy = { project, home, hidden: [], readable: [], readOnly: [], writable: [], memoryBytes: 0 }
  const listVariables = (tmp: string) =>
    createSeatbeltCommands(policy, { bash: '/bin/bash', tmp }).create('read-only').argv.slice(4)
  const folder = '/private/var/folders/zz/zyx_n0000/T/scorpiox-sandbox-7-a'
  expect(listVariables(folder)).toEqual([
    `TMPDIR=${folder}`,
    'DIRHELPER_USER_DIR_SUFFIX=scorpiox-sandbox-7-a',
    `TMPPREFIX=${folder}/zsh`,
    `xcrun_db=${folder}/xcrun_db`,
    `CLANG_MODULE_CACHE_PATH=${folder}/clang-modules`,
    `SWIFTPM_MODULECACHE_OVERRIDE=${folder}/swift-modules`,
  ])
  // Elsewhere the suffix would name a folder that does not exist.
  expect(listVariables('/Volumes/fast/tmp/scorpiox-sandbox-7-a').join(' ')).not.toContain('DIRHELPER')
})
