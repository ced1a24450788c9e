// Configuration files that are damaged or unusual: their content is kept, and unreadable files are not touched.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { emptyFolder, HAS_PROC } from '../support/client.js'
import { newUserHome } from './support.js'

const JSON_FILE = '.cursor/mcp.json'
const TOML_FILE = '.codex/config.toml'
const YAML_FILE = '.continue/config.yaml'
/** Each line refers to the previous one nine times. */
function bombOf(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => `k${at + 1}: &k${at + 1} [${`*k${at},`.repeat(9)}]\n`)
  return `k0: &k0 [${'x,'.repeat(9)}]\n${lines.join('')}`
}

/** Root can read and write everything. */
const IS_ROOT = process.getuid?.() === 0

test.each([
  ['empty', JSON_FILE, ''],
  ['blank', JSON_FILE, ' \n\n'],
  ['a comment only', JSON_FILE, '// nothing yet'],
  ['with a mark of the byte order', JSON_FILE, '\uFEFF{}'],
  [
    'CRLF, tabs, comments, trailing commas',
    JSON_FILE,
    '{\r\n\t"mcpServers": { // mine\r\n\t\t"a": {},\r\n\t},\r\n}\r\n',
  ],
  ['another key twice', JSON_FILE, '{"x": {}, "x": {"mcpServers": {}}}'],
  ['ten megabytes', JSON_FILE, `{"pad": "${'x'.repeat(10_000_000)}", "mcpServers": {"a": {}}}`],
  ['empty', TOML_FILE, ''],
  ['with a mark, CRLF', TOML_FILE, '\uFEFFmodel = "x"\r\n'],
  ['dotted keys', TOML_FILE, 'mcp_servers.a.command = "b"'],
  [
    'inline tables, arrays',
    TOML_FILE,
    '[mcp_servers]\na = { command = "b" }\n[[x]]\ny = """\n[mcp_servers.scorpiox]\n"""',
  ],
  ['empty', YAML_FILE, ''],
  ['a comment only', YAML_FILE, '# nothing yet'],
  ['with a mark, CRLF, no line break at the end', YAML_FILE, '\uFEFFname: A\r\nmcpServers:\r\n  - name: a'],
  ['anchors, block texts', YAML_FILE, 'a: &x {b: 1}\nc: *x\nd: |+\n  mcpServers:\n    - name: scorpiox\n\n\n'],
  ['in braces', YAML_FILE, '{"mcpServers": [{"name": "a"},],}'],
])('%s, in %s: our entry is added, and removed without a trace', async (_, name, text) => {
  const userHome = newUserHome()
  userHome.write(name, text)
  const installed = await userHome.run('install', '--yes')
  expect(installed.code, installed.text.slice(-500)).toBe(0)
  expect(userHome.read(name)).toContain(userHome.executablePath)
  expect((await userHome.run('uninstall', '--yes')).code).toBe(0)
  expect(userHome.read(name) === text).toBe(true)
})

test.each([
  [JSON_FILE, 'line 1, column 25, close brace expected', '{"mcpServers": {"a": {}}'],
  [JSON_FILE, 'line 3, column 3, comma expected', '{\n  "a": 1\n  "b": 2\n}'],
  [JSON_FILE, 'has an unsupported structure: it is an array', '[]'],
  [JSON_FILE, 'its "mcpServers" is null', '{"mcpServers": null}'],
  [JSON_FILE, 'its "mcpServers" is an array', '{"mcpServers": []}'],
  [JSON_FILE, 'its "mcpServers" is a string', '{"mcpServers": "x"}'],
  [JSON_FILE, 'more than once', '{"mcpServers": {}, "mcpServers": {}}'],
  [JSON_FILE, 'is not UTF-8 text', Buffer.from('{"a": "\xFF"}', 'latin1')],
  [JSON_FILE, 'is not UTF-8 text', Buffer.from('\uFEFF{}', 'utf16le')],
  [TOML_FILE, 'cannot be read as TOML: line 1', 'model = "x\n'],
  [TOML_FILE, 'an inline table', 'mcp_servers = { a = { command = "b" } }'],
  [TOML_FILE, 'is not a table', '[[mcp_servers]]\na = 1'],
  [YAML_FILE, 'cannot be read as YAML: line 2, column 1', 'a: [1\nb: 2\n'],
  [YAML_FILE, 'map keys must be unique', 'a: 1\na: 2\n'],
  [YAML_FILE, 'multiple documents', 'a: 1\n---\nb: 2\n'],
  [YAML_FILE, 'its "mcpServers" is a map, not a list', 'mcpServers: {a: {}}\n'],
  [YAML_FILE, 'excessive alias count', bombOf(8)],
  [YAML_FILE, 'is not UTF-8 text', Buffer.from('a: \xFF', 'latin1')],
])('%s is not changed if it %s', async (name, why, text) => {
  const userHome = newUserHome()
  const path = userHome.write(name, text)
  const { code, text: output } = await userHome.run('install', '--yes')
  expect(code).toBe(1)
  expect(output).toContain(why)
  expect(output).toContain('or paste this into the file:\n')
  expect(readFileSync(path)).toEqual(Buffer.from(text))
  expect(readdirSync(join(path, '..'))).toHaveLength(1)
})

test('a link is followed: its target changes and keeps its mode, and the link stays', async () => {
  const userHome = newUserHome()
  const kept = join(emptyFolder(), 'dotfiles.json')
  writeFileSync(kept, '{}')
  chmodSync(kept, 0o640)
  mkdirSync(join(userHome.home, '.cursor'))
  symlinkSync(kept, join(userHome.home, JSON_FILE))
  expect((await userHome.run('install', '--yes')).code).toBe(0)
  expect(lstatSync(join(userHome.home, JSON_FILE)).isSymbolicLink()).toBe(true)
  expect(readFileSync(kept, 'utf8')).toContain(userHome.executablePath)
  expect(statSync(kept).mode & 0o777).toBe(0o640)
  await userHome.run('uninstall', '--yes')
  expect(readFileSync(kept, 'utf8')).toBe('{}')
})

test.each([
  ['a link to nothing', (path: string) => symlinkSync('/nowhere/x.json', path), 'is a link to a missing file'],
  ['a link to itself', (path: string) => symlinkSync(path, path), 'is a circular link'],
  ['a folder', (path: string) => mkdirSync(path), 'is a folder, not a file'],
  ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'is not a regular file'],
])('%s is not changed', async (_, make, why) => {
  const userHome = newUserHome()
  mkdirSync(join(userHome.home, '.cursor'))
  make(join(userHome.home, JSON_FILE))
  const { code, text } = await userHome.run('install', '--yes')
  expect(code).toBe(1)
  expect(text).toContain(why)
  expect(readdirSync(join(userHome.home, '.cursor'))).toEqual(['mcp.json'])
})

if (!IS_ROOT) {
  test('files without permission are not changed', async () => {
    const userHome = newUserHome()
    chmodSync(userHome.write(JSON_FILE, '{}'), 0o000)
    chmodSync(userHome.write(TOML_FILE, ''), 0o444)
    userHome.write('.gemini/settings.json', '{}')
    chmodSync(join(userHome.home, '.gemini'), 0o555)
    const { code, text } = await userHome.run('install', '--yes')
    chmodSync(join(userHome.home, '.gemini'), 0o755)
    expect(code).toBe(1)
    expect(text).toContain('is not readable by this user')
    expect(text.match(/is not writable by this user/g)).toHaveLength(2)
    expect(userHome.read(TOML_FILE)).toBe('')
    expect(userHome.read('.gemini/settings.json')).toBe('{}')
  })
}

test.skipIf(!HAS_PROC)('unreadable files are not changed', async () => {
  const userHome = newUserHome()
  mkdirSync(join(userHome.home, '.cursor'))
  symlinkSync('/proc/self/mem', join(userHome.home, JSON_FILE))
  const { code, text } = await userHome.run('install', '--yes')
  expect(code).toBe(1)
  expect(text).toMatch(/not changed: it cannot be read \(/)
})

test.skipIf(!HAS_PROC)('a file that cannot be written is reported, and the other clients are connected', async () => {
  const userHome = newUserHome(undefined, { CODEX_HOME: '/proc' })
  userHome.write(JSON_FILE, '{}')
  const { code, text } = await userHome.run('install', '--yes')
  expect(code).toBe(1)
  expect(text).toMatch(/✗ Codex: (is not writable by this user|cannot be written)/)
  expect(text).toContain('✓ Cursor: connected')
})

test('an entry written by a project cannot control the terminal or forge a line', async () => {
  const userHome = newUserHome()
  const entry = {
    command: '/evil/scorpiox-code',
    args: ['connect', '--token', 'S3CRET', '-e', 'KEY=S3CRET'],
    '\u001B[2J\u202Eturned': 1,
    'x\n  + forged\u009B31m': 2,
  }
  writeFileSync(join(userHome.cwd, '.mcp.json'), JSON.stringify({ mcpServers: { scorpiox: entry } }))
  for (const tokens of [['uninstall'], ['install', 'project']]) {
    const { text } = await userHome.run(...tokens, '--dry-run')
    expect(text).toContain('/evil/scorpiox-code')
    // oxlint-disable-next-line no-control-regex -- these control a terminal
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]|^ {2}\+ forged|S3CRET/m)
  }
  expect((await userHome.run('uninstall', '--dry-run')).text).toContain('["connect","--token","…","-e","KEY=…"]')
})

test('a linked .mcp.json that leads out of the project is not changed, and its target is named', async () => {
  for (const command of ['install', 'uninstall']) {
    const userHome = newUserHome()
    const outside = userHome.write('outside.json', '{"mcpServers":{"scorpiox":{"command":"scorpiox-code"}}}')
    symlinkSync(outside, join(userHome.cwd, '.mcp.json'))
    const { code, text } = await userHome.run(command, 'project', '--yes')
    expect(text).toContain(`is a link that leads out of the project, to ${realpathSync(outside)}`)
    expect(code).toBe(1)
    expect(userHome.read('outside.json')).toBe('{"mcpServers":{"scorpiox":{"command":"scorpiox-code"}}}')
  }
})

test('a .mcp.json linked within the project, and a linked file of a client, are shown with what is changed', async () => {
  const userHome = newUserHome()
  writeFileSync(join(userHome.cwd, 'shared.json'), '{}')
  symlinkSync('shared.json', join(userHome.cwd, '.mcp.json'))
  const { code, text } = await userHome.run('install', 'project', '--yes')
  expect([code, text]).toEqual([
    0,
    expect.stringContaining(`.mcp.json → ${realpathSync(join(userHome.cwd, 'shared.json'))}`),
  ])
  userHome.write('dotfiles/mcp.json', '{}')
  mkdirSync(join(userHome.home, '.cursor'))
  symlinkSync('../dotfiles/mcp.json', join(userHome.home, '.cursor/mcp.json'))
  const cursor = await userHome.run('install', 'cursor', '--yes')
  expect([cursor.code, cursor.text]).toEqual([
    0,
    expect.stringMatching(/\.cursor\/mcp\.json → \S+\/dotfiles\/mcp\.json/),
  ])
  expect(userHome.read('dotfiles/mcp.json')).toContain('scorpiox')
})

test('a relative home directory is refused, because clients would resolve it differently', async () => {
  const userHome = newUserHome(undefined, { HOME: 'somewhere' })
  for (const command of ['install', 'uninstall']) {
    const { code, text } = await userHome.run(command, '--yes')
    expect(code).toBe(1)
    expect(text).toContain('HOME is "somewhere", which is not an absolute path')
  }
  // Bun keeps its own files there.
  expect(existsSync(join(userHome.cwd, 'somewhere', '.scorpiox'))).toBe(false)
})

test.skipIf(!IS_ROOT)('root does not install into the home of another user', async () => {
  const userHome = newUserHome()
  userHome.write(JSON_FILE, '{}')
  chownSync(userHome.home, 54_321, 54_321)
  for (const command of ['install', 'uninstall']) {
    const { code, text } = await userHome.run(command, '--yes')
    expect(code).toBe(1)
    expect(text).toContain('belongs to another user; run it as that user, without sudo')
    expect(text).not.toContain(' at ')
  }
  expect([...userHome.allFiles().keys()]).toEqual([JSON_FILE])
})

test('without a temporary directory it installs nevertheless', async () => {
  const userHome = newUserHome(undefined, { TMPDIR: '/nowhere' })
  userHome.write(JSON_FILE, '{}')
  const { code, text } = await userHome.run('install', '--yes')
  expect(code, text).toBe(0)
})

test('a record that cannot be written is reported, without a stack', async () => {
  const userHome = newUserHome()
  userHome.write(JSON_FILE, '{}')
  mkdirSync(join(userHome.home, '.scorpiox/install.json/in-the-way'), { recursive: true, mode: 0o700 })
  const { code, text } = await userHome.run('install', '--yes')
  expect(code).toBe(1)
  expect(text).toContain('✗ The program: done, but not recorded in ')
  expect(text).not.toContain(' at ')
})

test('uninstalling removes only what installing has created', async () => {
  const userHome = newUserHome()
  userHome.write(JSON_FILE, '{}')
  expect((await userHome.run('install', '--yes')).code).toBe(0)
  const others = ['program/notes.txt', 'program/1.0/mine', 'scorpiox-code.mine.old', 'scorpiox-code.old/mine']
  for (const name of others) userHome.write(join('.scorpiox', name), 'mine')
  userHome.write('.scorpiox/program/1.0.0-0123abcd/x', 'carried')
  expect((await userHome.run('uninstall', '--yes')).code).toBe(0)
  expect([...userHome.allFiles().keys()]).toEqual(
    [JSON_FILE, ...others.map((name) => join('.scorpiox', name))].toSorted(),
  )
})
