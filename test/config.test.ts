// Settings from files, environment and flags, through the real program.

import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'

import { emptyFolder, PROGRAM, startServer } from './support/client.js'

interface ConfigProject {
  readonly home: string
  readonly cwd: string
}

function newConfigProject(files: Record<string, string | Buffer> = {}): ConfigProject {
  const folders = { home: emptyFolder(), cwd: emptyFolder() }
  for (const [path, text] of Object.entries(files)) {
    const [root = '', ...rest] = path.split('/')
    const file = join(root === 'home' ? folders.home : folders.cwd, ...rest)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folders
}

async function config({ home, cwd }: ConfigProject, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, 'config', '--json', ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ...env },
  })
  const { options }: { options: { key: string; value: unknown; source: string }[] } = JSON.parse(stdout)
  return { stderr, stdout, get: (key: string) => options.find((option) => option.key === key) }
}

test.each([
  ['UTF-8', Buffer.from('\uFEFFMODEL=öpus\r\n')],
  ['UTF-16, as `>` of Windows PowerShell writes it', Buffer.from('\uFEFFMODEL=öpus\r\n', 'utf16le')],
  ['UTF-16 in the other byte order', Buffer.from('\uFEFFMODEL=öpus\r\n', 'utf16le').swap16()],
])('a file with a byte order mark is read: %s', async (_, bytes) => {
  const { get, stderr } = await config(newConfigProject({ 'home/.scorpiox-env.txt': bytes }))
  expect(get('MODEL')?.value).toBe('öpus')
  expect(stderr).toBe('')
})

test('each level takes precedence over the one below', async () => {
  const levels: [string, string][] = [
    ['home/.scorpiox-env.txt', 'a'],
    ['home/.claude/scorpiox-env.txt', 'b'],
    ['cwd/scorpiox-env.txt', 'c'],
    ['cwd/.claude/scorpiox-env.txt', 'd'],
    ['cwd/.scorpiox/scorpiox-env.txt', 'e'],
  ]
  for (let count = 0; count <= levels.length; count++) {
    const files = Object.fromEntries(levels.slice(0, count).map(([path, value]) => [path, `# top\nMODEL=${value}\n`]))
    const model = (await config(newConfigProject(files))).get('MODEL')
    const expected = levels[count - 1]
    expect(model?.value).toBe(expected?.[1] ?? 'sonnet')
    if (expected) expect(model?.source).toMatch(/scorpiox-env\.txt:2$/)
    else expect(model?.source).toBe('default')
  }
  const all = newConfigProject(Object.fromEntries(levels.map(([path, value]) => [path, `MODEL=${value}`])))
  expect((await config(all, [], { MODEL: 'env' })).get('MODEL')).toMatchObject({ value: 'env', source: 'environment' })
  expect((await config(all, ['-e', 'MODEL=flag'], { MODEL: 'env' })).get('MODEL')).toMatchObject({
    value: 'flag',
    source: '-e',
  })
  expect((await config(all, [], { MODEL: '' })).get('MODEL')).toMatchObject({ value: 'e' })
})

test('a profile overrides the files and is overridden by the environment; that of the project hides that of the user', async () => {
  const files = {
    'home/.claude/scorpiox-env.txt': 'ACTIVE_PROFILE=work\nMODEL=plain',
    'home/.claude/scorpiox-env/work.txt': 'MODEL=mine',
    'cwd/.scorpiox/scorpiox-env.txt': 'MODEL=project',
  }
  expect((await config(newConfigProject(files))).get('MODEL')?.value).toBe('mine')
  const both = newConfigProject({ ...files, 'cwd/.scorpiox/scorpiox-env/work.txt': 'STREAMING=0' })
  expect((await config(both)).get('MODEL')?.value).toBe('project')
  expect((await config(newConfigProject(files), [], { MODEL: 'env' })).get('MODEL')?.value).toBe('env')
  expect((await config(newConfigProject(), ['-e', 'X=1'], { ACTIVE_PROFILE: 'gone' })).stderr).toContain(
    'profile gone was not found',
  )
  expect((await config(newConfigProject(), [], { ACTIVE_PROFILE: '../etc' })).stderr).toContain(
    'not allowed as a profile name',
  )
})

test('an unknown key and a bad value cause a warning with file and line, and the default applies', async () => {
  const folders = newConfigProject({
    'cwd/scorpiox-env.txt': 'TOOLS=maybe\nNONSENSE=1\nno equals\nBASH_SOFT_LIMIT_MS=5\nPROVIDER=claude_code\n',
  })
  const { stderr, get } = await config(folders)
  const file = join(folders.cwd, 'scorpiox-env.txt')
  expect(stderr).toContain(`${file}:1: TOOLS must be true or false, got "maybe"; using true`)
  expect(stderr).toContain(`${file}:2: unknown key NONSENSE`)
  expect(stderr).toContain(`${file}:3: expected KEY=VALUE`)
  expect(stderr).toContain(
    `${file}:4: BASH_SOFT_LIMIT_MS must be a whole number from 100 to 86400000, got "5"; using 30000`,
  )
  expect(stderr).not.toContain('PROVIDER')
  expect(get('TOOLS')).toMatchObject({ value: true, source: 'default' })
})

test('secrets are masked, and a project cannot set user settings', async () => {
  const userConfig = await config(newConfigProject({ 'home/.claude/scorpiox-env.txt': 'HTTP_TOKEN=very-secret' }))
  expect(userConfig.get('HTTP_TOKEN')?.value).toBe('****')
  expect(userConfig.stdout + userConfig.stderr).not.toContain('very-secret')
  const projectConfig = await config(newConfigProject({ 'cwd/scorpiox-env.txt': 'HTTP_TOKEN=planted' }))
  expect(projectConfig.get('HTTP_TOKEN')).toMatchObject({ value: '', source: 'default' })
  expect(projectConfig.stderr).toContain('HTTP_TOKEN cannot be set by a project')
  expect(projectConfig.stderr).not.toContain('planted')
})

test('a project can choose its own profile, not one of the user', async () => {
  const files = {
    'cwd/scorpiox-env.txt': 'ACTIVE_PROFILE=work',
    'home/.claude/scorpiox-env/work.txt': 'MODEL=mine\nHTTP_TOKEN=t',
  }
  const projectConfig = await config(newConfigProject(files))
  expect(projectConfig.get('MODEL')?.value).toBe('sonnet')
  expect(projectConfig.get('HTTP_TOKEN')?.value).toBe('')
  const own = await config(
    newConfigProject({ ...files, 'cwd/.scorpiox/scorpiox-env/work.txt': 'MODEL=theirs\nHTTP_TOKEN=planted' }),
  )
  expect(own.get('MODEL')?.value).toBe('theirs')
  expect(own.get('HTTP_TOKEN')?.value).toBe('')
})

test.each([
  'HTTP_TOKEN=x',
  'HTTP_HOST=::1',
  'HTTP_PORT=9',
  'STARTUP_DIR=/',
  'MAX_LINE_BYTES=2000',
  'SANDBOX=off',
  'SANDBOX_HIDE=!~/.ssh',
  'SANDBOX_WRITE=/',
  'SANDBOX_READ=~/.ssh',
  'SANDBOX_PIDS=99999',
  'SANDBOX_MEMORY_MB=99999',
])('a project cannot set %s', async (line) => {
  const { get, stderr } = await config(newConfigProject({ 'cwd/.scorpiox/scorpiox-env.txt': line }))
  const [key = ''] = line.split('=')
  expect(get(key)?.source).toBe('default')
  expect(stderr).toContain(`${key} cannot be set by a project`)
})

test('TOOLS=0 lists nothing and refuses every call with the reason', async () => {
  const client = startServer({ env: { TOOLS: '0' } })
  await client.initialize('2025-11-25')
  expect((await client.request('tools/list')).result.tools).toEqual([])
  const call = await client.request('tools/call', { name: 'Bash', arguments: { command: 'echo x' } })
  expect(call.result).toEqual({
    content: [{ type: 'text', text: 'Bash is disabled by the setting TOOLS=0 (set by environment)\n' }],
    isError: true,
  })
  await client.close()
})

test('TOOL_BASH=0 hides Bash, and a call reports the setting and its source', async () => {
  const folders = newConfigProject({ 'cwd/.scorpiox/scorpiox-env.txt': 'TOOL_BASH=0' })
  const client = startServer({ cwd: folders.cwd })
  expect((await client.request('tools/list')).result.tools.map(({ name }: { name: string }) => name)).not.toContain(
    'Bash',
  )
  const call = await client.request('tools/call', { name: 'Bash', arguments: { command: 'echo x' } })
  expect(call.result.content[0].text).toMatch(/TOOL_BASH=0 \(set by .*scorpiox-env\.txt:1\)/)
  await client.close()
})

test('--cwd takes precedence over STARTUP_DIR, and that over the current directory', async () => {
  const [here, startup, flag] = [emptyFolder(), emptyFolder(), emptyFolder()]
  const pwd = async (args: string[], env: NodeJS.ProcessEnv): Promise<string> => {
    const client = startServer({ args: [PROGRAM, 'serve', ...args], cwd: here, env })
    const { result } = await client.request('tools/call', { name: 'Bash', arguments: { command: 'pwd -P' } })
    await client.close()
    return result.content[0].text.trim()
  }
  expect(await pwd([], {})).toBe(here)
  expect(await pwd([], { STARTUP_DIR: startup })).toBe(startup)
  expect(await pwd(['--cwd', flag], { STARTUP_DIR: startup })).toBe(flag)
})

test("commands do not see the server's own secrets", async () => {
  const client = startServer({ env: { HTTP_TOKEN: 'very-secret', OTHER: 'visible' } })
  const { result } = await client.request('tools/call', { name: 'Bash', arguments: { command: 'env' } })
  expect(result.content[0].text).toContain('OTHER=visible')
  expect(result.content[0].text).not.toContain('very-secret')
  await client.close()
})

test('a settings file that is a directory, too large or endless neither blocks nor floods the start', async () => {
  const folders = newConfigProject({
    'cwd/.claude/scorpiox-env.txt': 'x\n'.repeat(30_000),
    'home/.scorpiox-env.txt': 'A=1\n'.repeat(20_000),
  })
  execFileSync('mkfifo', [join(folders.cwd, 'scorpiox-env.txt')])
  mkdirSync(join(folders.cwd, '.scorpiox'))
  symlinkSync('/dev/stdin', join(folders.cwd, '.scorpiox', 'scorpiox-env.txt'))
  mkdirSync(join(folders.home, '.claude', 'scorpiox-env.txt'), { recursive: true })
  const { stderr } = await config(folders)
  expect(stderr.match(/is not a regular file/g)).toHaveLength(3)
  expect(stderr).toContain('is larger than 65536 bytes')
  expect(stderr.split('\n').length).toBeLessThan(60)
  const client = startServer({ cwd: folders.cwd })
  expect((await client.request('ping')).result).toEqual({})
  await client.close()
})

test('the placeholder of the sandbox for a settings file causes no warning', async () => {
  const folders = newConfigProject()
  mkdirSync(join(folders.cwd, 'scorpiox-env.txt'), { mode: 0o1755 })
  expect((await config(folders)).stderr).toBe('')
})

test('a line of hashes is parsed in linear time', async () => {
  const { stderr, get } = await config(
    newConfigProject({ 'cwd/scorpiox-env.txt': `MODEL=${' #'.repeat(30_000)}\u2028x\nMODEL=m${' #'.repeat(900)}` }),
  )
  expect(stderr).toContain(':1: the line is too long')
  expect(get('MODEL')?.value).toBe('m')
})

test.each(['', '.'])(
  'without a home directory, as with HOME=%j, project settings do not count as user settings',
  async (home) => {
    const folders = newConfigProject({
      'cwd/.scorpiox-env.txt': 'HTTP_TOKEN=planted',
      'cwd/.claude/scorpiox-env.txt': 'HTTP_TOKEN=planted',
    })
    const { get } = await config({ ...folders, home })
    expect(get('HTTP_TOKEN')?.value).toBe('')
  },
)

test('a profile can be named with -e', async () => {
  const folders = newConfigProject({ 'home/.claude/scorpiox-env/night.txt': 'MODEL=owl' })
  expect((await config(folders, ['-e', 'ACTIVE_PROFILE=night'])).get('MODEL')?.value).toBe('owl')
})

test('a directory that was removed under the server is a warning, not a crash', async () => {
  const cwd = emptyFolder()
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    ['-c', 'rmdir "$PWD"; exec "$0" "$1" --version', process.execPath, PROGRAM],
    {
      cwd,
      env: { PATH: process.env.PATH, HOME: emptyFolder() },
    },
  )
  expect(stdout).toMatch(/^\d/)
  expect(stderr).toContain('current directory: ')
})
