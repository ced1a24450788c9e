// The command line of the real program.

import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { describe, expect, test } from 'vitest'

import { emptyFolder, isAlive, PROGRAM, resultData } from './support/client.js'
import { HAS_TERMINALS } from './support/terminal.js'

interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(args: readonly string[], cwd = emptyFolder(), env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
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

test('--version prints the version of the package', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('--help lists every command, and <command> --help describes that command', async () => {
  const { stdout, code } = await run(['--help'])
  expect(code).toBe(0)
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
  const helps = await Promise.all(COMMANDS.map((command) => run([command, '--help'])))
  expect(helps.map(({ code: exit, stdout: text }) => [exit, text.split(':')[0]])).toEqual(
    COMMANDS.map((command) => [0, `scorpiox-code ${command}`]),
  )
  for (const { stdout: text } of helps) expect(text).toMatch(/\nUsage\n {2}scorpiox-code .*\n/)
  expect(await run(['help', 'token'])).toEqual(await run(['token', '--help']))
})

const COMMANDS = 'install uninstall doctor config serve token check ui inbox tools call search skills state'.split(' ')

test('tools lists names and parameters', async () => {
  const { stdout } = await run(['tools'])
  expect(stdout).toContain('Bash(command, timeout)\n    Execute a bash command')
})

test('tools --json prints what a client receives', async () => {
  const [tool] = JSON.parse((await run(['tools', '--json'])).stdout) as { name: string; inputSchema: object }[]
  expect(tool).toMatchObject({ name: 'Bash', inputSchema: { required: ['command'] } })
})

test('call takes key=value pairs, typed by the schema', async () => {
  expect(await run(['call', 'Bash', 'command=echo "1 = 1"; exit 0', 'timeout=5000'])).toEqual({
    code: 0,
    stdout: '1 = 1\n',
    stderr: '',
  })
})

test('call takes a JSON object, prints JSON on request, and exits with 1 if the tool reports an error', async () => {
  const { code, stdout } = await run(['call', 'Bash', '{"command":"echo out; exit 3"}', '--json'])
  expect(code).toBe(1)
  const result = JSON.parse(stdout)
  expect([result.isError, resultData(result)]).toMatchObject([true, { exitCode: 3 }])
})

test.each([
  ['an unknown tool', ['call', 'Nope'], 1, 'Unknown tool: Nope. The tools are Bash, '],
  ['a mistyped tool', ['call', 'bgoutput'], 1, 'Unknown tool: bgoutput. Did you mean ReadBgOutput? '],
  ['no tool', ['call'], 2, 'no tool given'],
  ['broken JSON', ['call', 'Bash', '{"command":'], 2, 'not JSON'],
  ['an argument that is not a pair', ['call', 'Bash', 'ls'], 2, 'expected key=value'],
  ['no endpoint to check', ['check'], 2, 'no endpoint given'],
  ['an unknown command', ['dance'], 2, 'unknown command: dance'],
  ['a mistyped command', ['doctr'], 2, 'unknown command: doctr. Did you mean doctor?'],
  ['an unknown option', ['call', 'Bash', '--command', 'ls'], 2, 'unknown option --command; scorpiox-code --help'],
  ['an option of another command', ['config', '--http'], 2, 'config has no option --http; scorpiox-code config --help'],
  ['a port without HTTP', ['serve', '--port', '8808'], 2, '--port requires --http'],
  ['help for an unknown command', ['help', 'dance'], 2, 'unknown command: dance'],
  ['an unknown setting', ['config', 'SANDBOXES'], 2, 'unknown setting: SANDBOXES. Did you mean SANDBOX'],
  ['an unknown flag', ['tools', '--dance'], 2, '--dance'],
  ['a bad port', ['serve', '--http', '--port', '0x50'], 2, '--port must be'],
  [
    'an address that does not exist',
    ['serve', '--http', '--host', '203.0.113.7', '--behind-proxy', '--no-sandbox', '-e', 'HTTP_TOKEN=x'],
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
  ['a bad host', ['serve', '--http', '-e', 'HTTP_HOST=a b'], 1, 'HTTP_HOST must hold host names'],
  ['a bad public URL', ['serve', '--http', '-e', 'PUBLIC_URL=a.example'], 1, 'PUBLIC_URL must be a plain http or'],
  ['a bad allowed host', ['serve', '--http', '-e', 'ALLOWED_HOSTS=a/b'], 1, 'ALLOWED_HOSTS must hold host names'],
])('%s is reported in one sentence', async (_, args, code, sentence) => {
  const result = await run(args)
  expect(result.code).toBe(code)
  expect(result.stdout).toBe('')
  expect(result.stderr).toContain(sentence)
  expect(result.stderr).not.toMatch(/\n\s+at /)
})

test('config describes each setting and the source of its value', async () => {
  const { stdout } = await run(['config', '-e', 'MODEL=opus'], emptyFolder(), { MAX_JOBS: '5' })
  expect(stdout).toContain('MODEL=opus  (from -e on the command line)\n')
  expect(stdout).toContain(
    'MAX_JOBS=5  (from the environment)\n' +
      '    Jobs that one user can run at the same time.\n' +
      "    1 to 10000; default: 64. A project's file cannot set it.\n",
  )
  expect(stdout).toContain('TOOLS=true  (default)\n')
  const { options } = JSON.parse((await run(['config', '--json'])).stdout) as {
    options: { key: string; about: string }[]
  }
  const missing = options.filter(
    ({ key, about }) => !stdout.includes(`${key}=`) || !stdout.includes(about.replaceAll('`', '')),
  )
  expect(missing).toEqual([])
})

test('config prints only the named settings', async () => {
  const { stdout } = await run(['config', 'sandbox_p', 'model'])
  expect(stdout.match(/^[A-Z_]+(?==)/gm)).toEqual(['MODEL', 'SANDBOX_PIDS'])
})

describe('a job that call starts', () => {
  test('is reported, and killed when call exits', async () => {
    const cwd = emptyFolder()
    const started = await run(['call', 'BackgroundBash', 'command=echo $$ > pid; exec sleep 300'], cwd)
    expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Started job 1\b.*\n$/) })
    expect(started.stderr).toContain('Job 1 was killed when this command ended')
    expect(started.stderr).toContain('add -e JOBS_OUTLIVE_SERVER=1')
    const pid = existsSync(join(cwd, 'pid')) ? Number(readFileSync(join(cwd, 'pid'), 'utf8')) : 0
    expect(pid > 0 && isAlive(pid)).toBe(false)
  })

  test('is reported as killed also if Bash continued it, without a raw link', async () => {
    const { stdout, stderr } = await run(['call', 'Bash', 'command=sleep 300', '-e', 'BASH_SOFT_LIMIT_MS=200'])
    expect(stdout).toMatch(/^\[Still running after 0\.2 s;.*\]\n$/)
    expect(stderr).toContain('Job 1 was killed when this command ended')
  })

  test('keeps running with JOBS_OUTLIVE_SERVER, and the printed commands read and kill it', async () => {
    const [cwd, HOME] = [emptyFolder(), emptyFolder()]
    const outlive = ['-e', 'JOBS_OUTLIVE_SERVER=1']
    const started = await run(['call', 'BackgroundBash', 'command=echo hello; sleep 300', ...outlive], cwd, { HOME })
    const printed = [...started.stderr.matchAll(/ call (\w+) task_id=1 -e JOBS_OUTLIVE_SERVER=1$/gm)]
    expect(printed.map(([, tool]) => tool)).toEqual(['ReadBgOutput', 'KillBgTask'])
    const read = ['call', 'ReadBgOutput', 'task_id=1', 'wait_for_pattern=hello', ...outlive]
    expect((await run(read, cwd, { HOME })).stdout).toMatch(/^hello\n[^]*Job 1 is running/)
    expect((await run(['call', 'KillBgTask', 'task_id=1', ...outlive], cwd, { HOME })).stdout).toContain('Killed job')
  })
})

test.skipIf(!HAS_TERMINALS)('on a terminal, text is wrapped between words at its width', async () => {
  for (const args of [['--help'], ['check', '--help'], ['config'], ['tools'], ['call', 'Nope']]) {
    const wide = (await onTerminal(args, 1000)).replaceAll(/\s+/g, ' ')
    const narrow = await onTerminal(args, 70)
    expect(narrow.split('\n').filter((line) => line.length > 70)).toEqual([])
    // The same words in the same order: none was cut.
    expect(narrow.replaceAll(/\s+/g, ' ')).toBe(wide)
  }
})

/** What it prints there. The terminal stays open until everything was read, because closing it discards the rest. */
async function onTerminal(args: readonly string[], cols: number): Promise<string> {
  const { spawn: spawnTerminal } = await import('@lydell/node-pty')
  const env = { PATH: process.env.PATH ?? '', HOME: emptyFolder() }
  const end = '<end of output>'
  const script = ['-c', `"$@"; printf '${end}'; read -r`, 'bash', process.execPath, PROGRAM, ...args]
  const terminal = spawnTerminal('bash', script, { cwd: emptyFolder(), cols, env })
  const exited = new Promise((done) => terminal.onExit(done))
  let screen = ''
  terminal.onData((text) => {
    screen += text
    if (screen.endsWith(end)) terminal.write('\r')
  })
  await exited
  return screen.slice(0, screen.lastIndexOf(end)).replaceAll('\r\n', '\n')
}

test('doctor reports what works, and fails if something does not', async () => {
  const healthy = await run(['doctor'])
  expect(healthy.stdout).toMatch(/✓ bash: GNU bash/)
  expect(healthy.stdout).toMatch(/✓ state: .*state\.db\n/)
  expect(healthy.code).toBe(0)
  const broken = await run(['doctor'], emptyFolder(), {
    SHELL_PATH: '/nowhere/bash',
    PATH: emptyFolder(),
    STARTUP_DIR: '/nowhere',
  })
  expect(broken.code).toBe(1)
  expect(broken.stdout).toContain(
    '✗ bash: commands cannot run\n  → The command was not started: the configured shell /nowhere/bash does not exist',
  )
  expect(broken.stdout).toContain('✗ directory: /nowhere')
  const nowhere = await run(['doctor'], emptyFolder(), { DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/x' })
  expect(nowhere.code).toBe(1)
  expect(nowhere.stdout).toMatch(/✗ state: .*\n  → postgres:\/\/me:\*\*\*\*@127\.0\.0\.1:1\/x cannot be reached/)
  expect(nowhere.stdout).not.toContain('hidden')
  expect(
    (JSON.parse((await run(['doctor', '--json'])).stdout) as { name: string }[]).map(({ name }) => name),
  ).toContain('runtime')
})

test.skipIf(!existsSync('/usr/bin/script'))('on a terminal it prints how to connect', async () => {
  const child = spawn('script', ['-qec', `${process.execPath} ${PROGRAM}`, '/dev/null'], {
    cwd: emptyFolder(),
    env: { PATH: process.env.PATH, HOME: emptyFolder(), TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()))
  expect(await new Promise((done) => child.once('exit', done))).toBe(0)
  for (const text of [
    'claude mcp add scorpiox -- ',
    'claude_desktop_config.json',
    '.cursor/mcp.json',
    '.vscode/mcp.json',
    '[mcp_servers.scorpiox]',
    '✓ bash',
  ]) {
    expect(screen).toContain(text)
  }
})

test('a closed pipe and a full disk cause no stack traces', async () => {
  for (const script of ['"$0" "$1" config | true', '"$0" "$1" --help > /dev/full']) {
    const { stderr } = await new Promise<CommandResult>((done) => {
      const options = { cwd: emptyFolder(), env: { PATH: process.env.PATH, HOME: emptyFolder() } }
      execFile('bash', ['-c', script, process.execPath, PROGRAM], options, (error, stdout, stderr_) => {
        done({ code: error ? Number(error.code) : 0, stdout, stderr: stderr_ })
      })
    })
    expect(stderr).toBe('')
  }
})
