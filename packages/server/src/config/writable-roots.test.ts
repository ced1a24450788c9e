import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { expect, test } from 'vitest'

import { findSystem32 } from '@scorpiox/mcp/system32'
import { MISSING, needs } from '../../../../test/support/runtime.js'
import { loadConfig } from './load-config.js'
import { listOptions } from './options.js'
import { containsSystemFolders, createWritableRoots, listWritableRoots, tracePath } from './writable-roots.js'

function folder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'scorpiox-roots-')))
}

test('the root and the system folders contain the system, project folders do not', () => {
  expect(containsSystemFolders('/')).toBe(true)
  const shell = process.platform === 'win32' ? join(findSystem32(), 'cmd.exe') : '/bin/sh'
  expect(containsSystemFolders(dirname(realpathSync.native(shell)))).toBe(true)
  expect(containsSystemFolders(tmpdir())).toBe(false)
  expect(containsSystemFolders(process.cwd())).toBe(false)
  expect(containsSystemFolders('/srv/nowhere')).toBe(false)
})

test('as on Windows, the folder of the shell is one of the system folders', () => {
  const windows = folder()
  const system = join(windows, 'System32')
  for (const path of [system, join(windows, 'Temp')]) mkdirSync(path)
  writeFileSync(join(system, 'cmd.exe'), '')
  const contains = (path: string): boolean => containsSystemFolders(path, join(system, 'cmd.exe'))
  expect([windows, system, join(windows, 'Temp')].map(contains)).toEqual([true, true, false])
  expect(findSystem32({ SystemRoot: 'D:\\WINNT' })).toBe('D:\\WINNT\\System32')
  expect(findSystem32({})).toBe('C:\\Windows\\System32')
})

test(
  'the project, its repository and SANDBOX_WRITE are writable roots, by their real paths',
  needs(MISSING.links),
  () => {
    const [repository, cache, home] = [folder(), folder(), folder()]
    mkdirSync(join(repository, '.git'))
    mkdirSync(join(repository, 'package'))
    mkdirSync(join(home, '.cache'))
    symlinkSync(cache, join(home, 'link'))
    const overrides = [`SANDBOX_WRITE=~/.cache, ${join(home, 'link')} ,/nowhere/at/all`]
    const config = {
      ...loadConfig({ programDir: '/opt/server', cwdFlag: join(repository, 'package'), overrides }),
      home,
    }
    expect(listWritableRoots(config).paths).toEqual([
      join(repository, 'package'),
      repository,
      join(home, '.cache'),
      cache,
    ])
  },
)

test('a home or the root directory is not one, because commands can never write there', () => {
  const home = folder()
  mkdirSync(join(home, 'bin'))
  expect(createWritableRoots([home, dirname(home), '/'], { home }).paths).toEqual([])
  expect(createWritableRoots([join(home, 'bin')], { home }).paths).toEqual([join(home, 'bin')])
})

test('a path through a link in a root is writable, wherever it leads', needs(MISSING.links), () => {
  const [root, outside] = [folder(), folder()]
  writeFileSync(join(outside, 'program'), '')
  symlinkSync(join(outside, 'program'), join(root, 'program'))
  symlinkSync(join(root, 'program'), join(outside, 'twice'))
  symlinkSync(join(outside, 'program'), join(outside, 'direct'))
  const roots = createWritableRoots([root], { home: '' })
  for (const path of [root, join(root, 'program'), join(root, 'missing', 'x'), join(outside, 'twice')])
    expect(roots.contains(path), path).toBe(true)
  for (const path of [outside, join(outside, 'program'), join(outside, 'direct'), `${root}-other`, '/'])
    expect(roots.contains(path), path).toBe(false)
  expect(tracePath(join(outside, 'twice'))).toEqual([outside, root, join(outside, 'program')])
})

test('a loop of links ends', () => {
  const root = folder()
  symlinkSync('b', join(root, 'a'))
  symlinkSync('a', join(root, 'b'))
  expect(createWritableRoots([root], { home: '' }).contains(join(root, 'a'))).toBe(true)
})

test('what is read-only in a root is not writable', () => {
  const root = folder()
  mkdirSync(join(root, 'node_modules', 'package'), { recursive: true })
  const roots = createWritableRoots([root], { home: '', readOnly: [join(root, 'node_modules')] })
  expect(roots.contains(join(root, 'node_modules', 'package', 'file'))).toBe(false)
  expect(roots.contains(join(root, 'file'))).toBe(true)
})

const CAN_MOUNT = process.getuid?.() === 0 && process.platform === 'linux'

// A file system that ignores case shows one folder under many names, as this mount does.
test(
  'a root is recognized under another name',
  needs(CAN_MOUNT ? undefined : 'only root on Linux can mount'),
  (context) => {
    const [root, alias] = [folder(), folder()]
    writeFileSync(join(root, 'bash'), '')
    if (spawnSync('mount', ['--bind', root, alias]).status !== 0) context.skip('bind mounts are not permitted')
    try {
      const roots = createWritableRoots([root], { home: '' })
      expect(roots.contains(join(alias, 'bash'))).toBe(true)
    } finally {
      execFileSync('umount', [alias])
    }
  },
)

/** What keeps commands from changing what each of these settings names. A new one needs an answer here. */
const PATH_SETTINGS: Readonly<Record<string, string>> = {
  WORKSPACE_ROOT: 'its folder is hidden, and a link in it is refused',
  STARTUP_DIR: 'is the project; the sandbox refuses a link that commands can replace',
  SHELL_PATH: 'process/trusted-program.ts',
  SANDBOX_HIDE: 'mounted over',
  SANDBOX_WRITE: 'sandbox/check-roots.ts',
  SANDBOX_READ: 'only read by commands',
  TLS_CERT: 'mounted read-only',
  TLS_KEY: 'hidden',
  MACHINE_CA: 'mounted read-only',
  ACCESS_LOG: 'refused in a writable folder',
  STATE_DIR: 'hidden',
  DATABASE_URL: 'a file of the state directory, or a server',
  ADDITIONAL_SKILLS: 'mounted read-only',
  SCRIPT_TOOLS: 'mounted read-only, and run as commands',
  CALLBACK_COMMAND: 'runs with a PATH without writable folders',
  SCORPIOX_INBOX: 'a switch; the folder is that of the session',
  BROWSER_PATH: 'browser/find-browser.ts',
  READIMAGE_ROOTS: 'only read',
  ACTIVE_PROFILE: 'the files of profiles are protected',
}

test('every setting that names a file, a folder or a program says what protects it', () => {
  const naming = [...listOptions([])].filter(
    ([, { type, about }]) =>
      type === 'string' && /\b(files?|folders?|director(y|ies)|programs?|command|bash|Chrome)\b/i.test(about),
  )
  expect(naming.map(([name]) => name).filter((name) => !(name in PATH_SETTINGS))).toEqual([])
})

test('secrets of the server are not passed to commands', () => {
  const secrets = ['DATABASE_URL', 'CALLBACK_WEBHOOK', 'HTTP_TOKEN', 'WEBSEARCH_KEYS', 'FETCH_PROXY']
  const options = listOptions([])
  expect(secrets.filter((name) => options.get(name)?.secret !== true)).toEqual([])
})
