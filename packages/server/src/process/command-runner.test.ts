import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, describe, expect, test } from 'vitest'

import { needs } from '../../../../test/support/runtime.js'
import { eventually } from '../../../../test/support/eventually.js'
import { underLoad } from '../../../../test/support/load.js'
import { createCommandRunner } from './command-runner.js'
import { bashArguments } from './shell-program.js'

const shell = { kind: 'bash', file: '/bin/bash', args: bashArguments } as const
const env = { PATH: process.env.PATH }
const cwd = mkdtempSync(join(tmpdir(), 'scorpiox-runner-'))
const pooled = createCommandRunner({ cwd, env, shell, jobsOutliveServer: false })
const supervised = createCommandRunner({ cwd, env, shell, jobsOutliveServer: false, useLauncher: false })
const direct = createCommandRunner({ cwd, env, shell, jobsOutliveServer: false, platform: 'darwin' })

afterAll(async () => {
  await pooled.close(100)
  await supervised.close(100)
  await direct.close(100)
})

async function run(command: string, from = pooled, input?: string) {
  const chunks: Buffer[] = []
  const running = await from.run({ command, input, onOutput: (chunk) => void chunks.push(chunk) })
  const { code, signal } = await running.exited
  return { output: Buffer.concat(chunks).toString(), code, signal }
}

const CASES: readonly [string, string, string, number][] = [
  ['nothing', 'true', '', 0],
  ['an exit code', 'echo a; exit 7', 'a\n', 7],
  ['both outputs in order', 'echo 1; echo 2 >&2; echo 3', '1\n2\n3\n', 0],
  ['an unknown program', 'nosuchprogram', 'bash: line 1: nosuchprogram: command not found\n', 127],
  ['an unknown program in the third line', 'echo\n\nnosuch', '\nbash: line 3: nosuch: command not found\n', 127],
  ['a heredoc', 'cat <<X\nhi $((1+1))\nX', 'hi 2\n', 0],
  ['quotes', `echo "it's" '"quoted"' \\$HOME`, `it's "quoted" $HOME\n`, 0],
  ['what the shell is called', 'echo $0 $#', 'bash 0\n', 0],
  ['no variable of the supervisor', 'echo "[$REPLY]"; declare -p directory tags 2>&1 | wc -l', '[]\n2\n', 0],
  ['seconds since its own start', 'echo $SECONDS', '0\n', 0],
  ['an empty stdin', 'cat; read x; echo $?', '1\n', 0],
  ['stop at the first failure', 'set -e; false; echo no', '', 1],
  ['a signal to itself', 'kill -KILL $$', '', 137],
  ['a trap at the end', 'trap "echo bye" EXIT; exit 3', 'bye\n', 3],
  ['an interrupt, which is not ignored', 'bash -c "kill -INT \\$\\$; echo survived"; echo $?', '130\n', 0],
  ['a trace, as in a script', 'set -ex; echo $(echo a)', '++ echo a\n+ echo a\na\n', 0],
  [
    'a trace by its long name',
    'set -o xtrace\necho a; nosuch',
    '+ echo a\na\n+ nosuch\nbash: line 2: nosuch: command not found\n',
    127,
  ],
  ['a comment alone', '# nothing', '', 0],
  ['an empty line', '', '', 0],
  ['a long command', `x=${'y'.repeat(100_000)}; echo \${#x}`, '100000\n', 0],
]

describe.each([
  ['in a shell that the launcher kept ready', pooled],
  ['in a shell that the supervisor kept ready', supervised],
  ['directly, as on macOS', direct],
])('%s', (_, from) => {
  test('output that was paused when the command exited is complete', async () => {
    const chunks: Buffer[] = []
    const onOutput = (chunk: Buffer): void => void chunks.push(chunk)
    const running = await from.run({ command: "sleep 0.3; printf '%60000s' x", onOutput })
    running.pause()
    // Longer than late output is awaited.
    await sleep(3600)
    running.resume()
    expect(await running.exited).toMatchObject({ code: 0 })
    expect(Buffer.concat(chunks).length).toBe(60_000)
  })

  test.each(CASES)('%s', async (_name, command, output, code) => {
    expect(await run(command, from)).toMatchObject({ output, code })
  })
})

test(
  'the process list shows the names of the launcher and of the supervisor script, not its text',
  needs(process.platform === 'linux' ? undefined : 'the process list of Linux'),
  async () => {
    const list = "tr '\\0' ' ' </proc/$PPID/cmdline"
    expect((await run(list)).output).toMatch(/^\S+\/shell-launcher \S+ $/)
    const { output } = await run(list, supervised)
    expect(output).toMatch(/^\S*bash -p -c \. "\$0" \S+\/shell-supervisor\.sh /)
    expect(output).not.toContain('make_fifos')
  },
)

test('a prepared shell has no more open files than any other', async () => {
  const list = 'echo /proc/self/fd/*'
  expect((await run(list)).output).toBe((await run(list, direct)).output)
})

test.each([
  ['where tags are seen', pooled],
  ['as on macOS', direct],
])('%s, a command ends with its children, also those that ignore TERM', async (_, from) => {
  const command = '(trap "" TERM; echo started; sleep 300) & sleep 300 & wait'
  let output = ''
  const running = await from.run({ command, onOutput: (chunk) => void (output += chunk.toString()) })
  await eventually(() => output === 'started\n')
  const killedAt = performance.now()
  expect(await running.kill(300)).toEqual([])
  expect(performance.now() - killedAt).toBeLessThan(underLoad(3000))
  expect((await running.findRemainingChildren()) ?? []).toEqual([])
})

describe.each([
  ['ready', pooled],
  ['direct', direct],
])('stdin of a shell that is %s', (_, from) => {
  const large = 'ü\0\n'.repeat(1_000_000)

  test.each([
    ['nothing', undefined, 'cat; echo end', 'end\n'],
    ['an empty text', '', 'cat; echo end', 'end\n'],
    ['a text', 'one\ntwo', 'read -r line; echo "[$line]"; cat', '[one]\ntwo'],
    ['megabytes', large, 'wc -c', `${Buffer.byteLength(large)}\n`],
    ['more than is read', large, 'head -c 2', 'ü'],
    ['more than is read', large, 'exec <&-; echo no', 'no\n'],
    ['with a long command', 'x', `cat; : ${'y'.repeat(10_000)}`, 'x'],
  ])('%s', async (_what, input, command, output) => {
    const ran = await run(command, from, input)
    expect([ran.output.trimStart(), ran.code]).toEqual([output, 0])
  })
})

describe('a sandbox that is a command line, as on macOS', () => {
  function sandbox(seccompFile = '') {
    const released: string[] = []
    const create = () => ({
      argv: ['/usr/bin/env', 'CONFINED=yes'],
      seccompFile,
      cgroupFiles: [],
      bash: '/bin/bash',
      shellPrelude: 'umask 027; ',
      isUpToDate: () => true,
      release: () => void released.push('released'),
    })
    return { factory: { key: 'test', create }, released }
  }

  test('starts the shell and its prelude, and is released when the command has exited', async () => {
    const { factory, released } = sandbox()
    let output = ''
    const running = await direct.run({
      command: 'echo "$CONFINED $(umask) $0"; nosuch; exit 3',
      onOutput: (chunk) => void (output += chunk.toString()),
      sandbox: factory,
    })
    expect(released).toEqual([])
    expect(await running.exited).toMatchObject({ code: 3 })
    expect(output).toBe('yes 0027 bash\nbash: line 1: nosuch: command not found\n')
    await eventually(() => released.length === 1)
  })

  test('is killed with its children', async () => {
    const { factory, released } = sandbox()
    const running = await direct.run({ command: 'sleep 300 & sleep 300', onOutput: () => {}, sandbox: factory })
    expect(await running.kill(300)).toEqual([])
    await eventually(() => released.length === 1)
  })

  test('one that needs the supervisor is refused without it, and nothing starts', async () => {
    const { factory, released } = sandbox('/filter')
    const refused = direct.run({ command: 'true', onOutput: () => {}, sandbox: factory })
    await expect(refused).rejects.toThrow('mkfifo not found')
    expect(released).toEqual(['released'])
  })
})
