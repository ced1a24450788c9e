import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { createCommandEnvironment } from './command-environment.js'

const PLATFORMS = ['linux', 'darwin', 'win32'] as const

test.each(PLATFORMS)('on %s colours, pagers and prompts are off, whatever the user has set', (platform) => {
  const env = { PAGER: 'less', GIT_PAGER: 'delta', EDITOR: 'vi', FORCE_COLOR: '1', COLUMNS: '80', HOME: '/home/me' }
  const quiet = createCommandEnvironment(env, platform)
  expect(quiet).toMatchObject({ TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_PAGER: 'cat', EDITOR: 'false' })
  expect(quiet).not.toHaveProperty('FORCE_COLOR')
  expect(quiet).not.toHaveProperty('COLUMNS')
  expect(quiet).not.toHaveProperty('CI')
  expect(quiet.HOME).toBe('/home/me')
})

test('on Windows, names are case-insensitive', () => {
  const quiet = createCommandEnvironment(
    { Pager: 'more', Force_Color: '1', pythonUnbuffered: '', Path: 'C:\\' },
    'win32',
  )
  const spelled = (name: string) => Object.keys(quiet).filter((key) => key.toUpperCase() === name)
  expect(spelled('PAGER')).toEqual(['PAGER'])
  expect(spelled('FORCE_COLOR')).toEqual([])
  expect(spelled('PYTHONUNBUFFERED')).toEqual(['pythonUnbuffered'])
  expect(quiet.Path).toBe('C:\\')
  expect(createCommandEnvironment({ Pager: 'more' }, 'linux')).toMatchObject({ Pager: 'more', PAGER: 'cat' })
})

test('harmless settings of the user are kept', () => {
  expect(createCommandEnvironment({}, 'linux')).toMatchObject({ GIT_ASKPASS: '', PYTHONUNBUFFERED: '1' })
  const decided = { GIT_ASKPASS: '/bin/token', PYTHONUNBUFFERED: '', NODE_OPTIONS: '--max-old-space-size=8192' }
  expect(createCommandEnvironment(decided, 'linux')).toMatchObject(decided)
})

test.each([
  ['linux', {}, 'C.UTF-8'],
  ['linux', { LANG: 'C' }, 'C.UTF-8'],
  ['darwin', {}, 'en_US.UTF-8'],
  ['win32', {}, undefined],
  ['linux', { LANG: 'de_DE.ISO-8859-1' }, 'de_DE.ISO-8859-1'],
  ['linux', { LC_ALL: 'C' }, undefined],
  ['linux', { LC_CTYPE: 'fr_FR.UTF-8' }, undefined],
] as const)('a locale on %s with %j: %s', (platform, env, expected) => {
  expect(createCommandEnvironment(env, platform).LANG).toBe(expected)
})

describe('started by npx', () => {
  // As npm 11 sets it.
  const npm = {
    COLOR: '0',
    INIT_CWD: '/home/me',
    NODE: '/usr/bin/node',
    npm_command: 'exec',
    npm_config_global_prefix: '/usr',
    npm_config_prefix: '/usr',
    npm_config_user_agent: 'npm/11.19.1',
    npm_config_yes: 'true',
    npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js',
    npm_lifecycle_event: 'npx',
    npm_package_name: 'theirs',
  }
  const gyp = '/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin'
  const bins = '/home/me/.npm/_npx/ed8c/node_modules/.bin:/home/me/node_modules/.bin:/node_modules/.bin'

  test('the variables of npm are removed', () => {
    const PATH = `${bins}:${gyp}:/opt/mine/node_modules/.bin:/usr/bin`
    const quiet = createCommandEnvironment({ ...npm, PATH }, 'linux')
    expect(Object.keys(quiet).filter((key) => key in npm)).toEqual([])
    expect(quiet.PATH).toBe('/opt/mine/node_modules/.bin:/usr/bin')
  })

  test('the npm settings of the user are kept, and all variables without npm', () => {
    expect(createCommandEnvironment({ ...npm, npm_config_registry: 'http://r' }, 'linux').npm_config_registry).toBe(
      'http://r',
    )
    const without = { npm_config_prefix: '/home/me/npm', NODE: 'x', PATH: `${bins}:/usr/bin` }
    expect(createCommandEnvironment(without, 'linux')).toMatchObject(without)
  })

  test('on Windows too', () => {
    const Path = 'C:\\x\\node_modules\\.bin;C:\\npm\\node-gyp-bin;C:\\Windows'
    expect(createCommandEnvironment({ ...npm, Path }, 'win32').Path).toBe('C:\\Windows')
  })
})

describe('real programs', needs(MISSING.programsOfLinux), () => {
  const home = mkdtempSync(join(tmpdir(), 'scorpiox-quiet-'))
  const env = createCommandEnvironment(
    { PATH: process.env.PATH, HOME: home, EDITOR: 'vi', FORCE_COLOR: '1' },
    process.platform,
  )

  function run(command: string) {
    const { status, stdout } = spawnSync('bash', ['-c', `exec 2>&1; ${command}`], {
      cwd: home,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 20_000,
      encoding: 'utf8',
    })
    return { status, output: stdout }
  }

  const git = 'git -c user.name=n -c user.email=e'

  test('git does not prompt for a message, and reports that it is missing', () => {
    writeFileSync(join(home, 'file'), 'text')
    expect(run(`git init -q . && git add file && ${git} -c core.editor="sleep 60" commit`)).toEqual({
      status: 1,
      output: 'Aborting commit due to empty commit message.\n',
    })
    expect(run(`${git} commit -qm one && ${git} commit -q --amend && git log --format=%s`)).toEqual({
      status: 0,
      output: 'one\n',
    })
    expect(run(`${git} commit -q --allow-empty -m two && ${git} rebase -i HEAD~1`)).toMatchObject({ status: 1 })
  })

  test('Node.js neither colours nor warns', () => {
    expect(run(`'${process.execPath}' -p '[1]'`)).toEqual({ status: 0, output: '[ 1 ]\n' })
  })
})
