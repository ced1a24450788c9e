// The MCP Inspector on the command line: one run for one method, judged by its exit code and by what it printed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const launcher = resolve(
  import.meta.dirname,
  '../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)
const codes = { done: 0, authRequired: 3, toolError: 5 }

/**
 * @param reach the arguments that lead to the server: a command, or an address with its transport
 * @param scratch a directory for its home
 */
export function inspectorChecks(reach, scratch, era) {
  const run = (method, ...options) =>
    inspect(scratch, [...reach, '--protocol-era', era, '--method', method, ...options])
  const bash = (command) => run('tools/call', '--tool-name', 'Bash', '--tool-args-json', JSON.stringify({ command }))
  return [
    [
      'tools/list, strictly',
      async () => {
        const { tools } = resultOf(await run('tools/list', '--strict'))
        assert.ok(tools.some(({ name }) => name === 'Bash'))
      },
    ],
    [
      'tools/call',
      async () => {
        const { content, isError } = resultOf(await bash('echo hello'))
        assert.ok(!isError)
        assert.match(content[0].text, /^hello$/m)
      },
    ],
    [
      'a failing command',
      async () => {
        const { content, isError } = resultOf(await bash('exit 3'), codes.toolError)
        assert.equal(isError, true)
        assert.match(content[0].text, /\b3\b/)
      },
    ],
    [
      'a tool that is not there',
      async () => {
        const { code, stderr } = await run('tools/call', '--tool-name', 'NoSuchTool')
        assert.equal(code, codes.toolError)
        assert.match(stderr, /tool_not_found/)
      },
    ],
    [
      'twenty calls at once',
      async () => {
        const load = ['--load', '--load-requests', '60', '--load-concurrency', '20']
        const args = ['--tool-name', 'Bash', '--tool-args-json', '{"command":"true"}', ...load]
        const { code, stdout, stderr } = await run('tools/call', ...args)
        assert.equal(code, codes.done, (stderr || stdout).slice(-300))
        assert.doesNotMatch(stdout, /"errors?":\s*[1-9]/)
      },
    ],
  ]
}

export const withoutToken = (url, scratch) => [
  'without the token',
  async () => {
    const { code, stderr } = await inspect(scratch, [
      url,
      '--transport',
      'http',
      '--stored-auth-only',
      '--method',
      'tools/list',
    ])
    assert.equal(code, codes.authRequired, stderr)
    assert.match(stderr, /auth_required/)
  },
]

function resultOf({ code, stdout, stderr }, expected = codes.done) {
  assert.equal(code, expected, `exit code ${code}: ${stderr.slice(-400) || stdout.slice(-400)}`)
  return JSON.parse(stdout).result
}

function inspect(scratch, args) {
  const home = join(scratch, 'inspector')
  mkdirSync(home, { recursive: true })
  const child = spawn(process.execPath, [launcher, '--cli', ...args, '--format', 'json', '--quiet'], {
    cwd: scratch,
    env: { PATH: process.env.PATH, HOME: home, SHELL: '/bin/sh', TERM: 'dumb', USER: 'judge' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const late = setTimeout(() => child.kill('SIGKILL'), 25_000)
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (chunk) => {
      printed[name] += chunk
    })
  }
  return new Promise((settle) => {
    child.once('close', (code, signal) => {
      clearTimeout(late)
      settle({ code: code ?? signal, ...printed })
    })
  })
}
