// The command line, as a person types it.

import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { expect, test } from 'vitest'

import { dataOf, emptyFolder, PROGRAM } from './support.js'

interface Said {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(args: readonly string[], cwd = emptyFolder(), env: NodeJS.ProcessEnv = {}): Promise<Said> {
  return new Promise((done) => {
    const options = { cwd, env: { PATH: process.env.PATH, HOME: emptyFolder(), ...env } }
    execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
  })
}

const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string
}

test("--version is the package's", async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('--help names every command', async () => {
  const { stdout, code } = await run(['--help'])
  expect(code).toBe(0)
  for (const command of ['install', 'uninstall', 'serve', 'tools', 'call', 'config', 'doctor', 'check'])
    expect(stdout).toContain(`scorpiox-code ${command}`)
})

test('tools lists names and parameters', async () => {
  const { stdout } = await run(['tools'])
  expect(stdout).toContain('Bash(command, timeout)\n    Execute a bash command')
})

test('tools --json is what a client is sent', async () => {
  const [tool] = JSON.parse((await run(['tools', '--json'])).stdout) as { name: string; inputSchema: object }[]
  expect(tool).toMatchObject({ name: 'Bash', inputSchema: { required: ['command'] } })
})

test('call takes key=value pairs, typed by the schema', async () => {
  expect(await run(['call', 'Bash', 'command=echo "1 = 1"; exit 0', 'timeout=5000'])).toEqual({
    code: 0,
    stdout: '1 = 1\n\n',
    stderr: '',
  })
})

test('call takes a JSON object, prints JSON on request, and exits 1 when the tool says so', async () => {
  const { code, stdout } = await run(['call', 'Bash', '{"command":"echo out; exit 3"}', '--json'])
  expect(code).toBe(1)
  const result = JSON.parse(stdout)
  expect([result.isError, dataOf(result)]).toMatchObject([true, { exitCode: 3 }])
})

test.each([
  ['an unknown tool', ['call', 'Nope'], 1, 'Unknown tool: Nope'],
  ['no tool', ['call'], 2, 'which tool?'],
  ['broken JSON', ['call', 'Bash', '{"command":'], 2, 'not JSON'],
  ['a word that is no pair', ['call', 'Bash', 'ls'], 2, 'expected key=value'],
  ['no endpoint to check', ['check'], 2, 'which endpoint?'],
  ['an unknown command', ['dance'], 2, 'unknown command: dance'],
  ['an unknown flag', ['tools', '--dance'], 2, '--dance'],
  ['a bad port', ['serve', '--http', '--port', '0x50'], 2, '--port must be'],
  [
    'an address that does not exist',
    ['serve', '--http', '--host', '203.0.113.7', '--behind-proxy', '-e', 'HTTP_TOKEN=x'],
    1,
    'cannot listen on',
  ],
  [
    'no token for a public name',
    ['serve', '--http', '--no-auth', '-e', 'PUBLIC_URL=https://a.example'],
    2,
    'this machine only',
  ],
  ['a public address', ['serve', '--http', '--host', '0.0.0.0'], 2, 'set TLS_CERT and TLS_KEY'],
])('%s is told in a sentence', async (_, args, code, sentence) => {
  const said = await run(args)
  expect(said.code).toBe(code)
  expect(said.stdout).toBe('')
  expect(said.stderr).toContain(sentence)
  expect(said.stderr).not.toMatch(/\n\s+at /)
})

test('config prints values and sources', async () => {
  const { stdout } = await run(['config', '-e', 'MODEL=opus'])
  expect(stdout).toMatch(/^MODEL\s+opus\s+-e$/m)
  expect(stdout).toMatch(/^TOOLS\s+true$/m)
})

test('doctor says what works, and fails when something does not', async () => {
  const well = await run(['doctor'])
  expect(well.stdout).toMatch(/✓ bash: GNU bash/)
  expect(well.stdout).toMatch(/✓ state: .*state\.db\n/)
  expect(well.code).toBe(0)
  const ill = await run(['doctor'], emptyFolder(), { PATH: emptyFolder(), STARTUP_DIR: '/nowhere' })
  expect(ill.code).toBe(1)
  expect(ill.stdout).toContain('✗ bash: not found\n  → ')
  expect(ill.stdout).toContain('✗ directory: /nowhere')
  const nowhere = await run(['doctor'], emptyFolder(), { DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/x' })
  expect(nowhere.code).toBe(1)
  expect(nowhere.stdout).toMatch(/✗ state: .*\n  → postgres:\/\/me:\*\*\*\*@127\.0\.0\.1:1\/x cannot be reached/)
  expect(nowhere.stdout).not.toContain('hidden')
  expect(
    (JSON.parse((await run(['doctor', '--json'])).stdout) as { name: string }[]).map(({ name }) => name),
  ).toContain('runtime')
})

test.skipIf(!existsSync('/usr/bin/script'))('on a terminal it greets and tells how to connect', async () => {
  const child = spawn('script', ['-qec', `${process.execPath} ${PROGRAM}`, '/dev/null'], {
    cwd: emptyFolder(),
    env: { PATH: process.env.PATH, HOME: emptyFolder(), TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()))
  expect(await new Promise((done) => child.once('exit', done))).toBe(0)
  for (const words of [
    'claude mcp add scorpiox -- ',
    'claude_desktop_config.json',
    '.cursor/mcp.json',
    '.vscode/mcp.json',
    '[mcp_servers.scorpiox]',
    '✓ bash',
  ]) {
    expect(screen).toContain(words)
  }
})

test('a reader that goes away, and a full disk, are no stack traces', async () => {
  for (const script of ['"$0" "$1" config | true', '"$0" "$1" --help > /dev/full']) {
    const { stderr } = await new Promise<Said>((done) => {
      const options = { cwd: emptyFolder(), env: { PATH: process.env.PATH, HOME: emptyFolder() } }
      execFile('bash', ['-c', script, process.execPath, PROGRAM], options, (error, stdout, stderr_) => {
        done({ code: error ? Number(error.code) : 0, stdout, stderr: stderr_ })
      })
    })
    expect(stderr).toBe('')
  }
})
