// Programs that are typed into, as a model uses them: prompts, REPLs, editors, pagers, menus, keys, long pastes, resizes,
// broken characters, programs that die, and what is refused.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  call,
  emptyFolder,
  HAS_PROC,
  isAlive,
  readJob,
  readPid,
  startServer,
  type TestClient,
  type ToolResult,
  waitForExit,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { canRun, type Requirement, requires } from '../support/requirements.js'
import { needs, openTerminalJob, type TerminalJob } from './terminal-job.js'

const cwd = emptyFolder()
const STATE_DIR = emptyFolder()
let client: TestClient

beforeAll(() => {
  client = startServer({ cwd, env: { STATE_DIR } })
})

afterAll(async () => {
  expect(await client.close()).toBe(0)
  expect(client.stderr()).toBe('')
})

const TERMINALS: Requirement = {
  isMet: HAS_PROC && canRun('script'),
  reason: 'script of util-linux is not installed, or there is no /proc',
}

const open = (command: string, more: object = {}): Promise<TerminalJob> => openTerminalJob(client, command, more)

describe('a terminal', requires(TERMINALS), () => {
  test('has the size that was asked for, and is one for stdin, stdout and stderr', async () => {
    const job = await open('[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size; echo "$TERM"', { cols: 101, rows: 31 })
    expect((await job.end()).text).toMatch(/^31 101\nxterm-256color\n\[Job \d+ ended [^\n]*exit code 0\./)
  })

  test('is 80x24 by default, and runs programs with the exit code they have', async () => {
    const job = await open('stty size; exit 7')
    expect((await job.end()).text).toMatch(/^24 80\n\[[^\n]*exit code 7\./)
  })

  test('that asks three questions is answered with one call each', async () => {
    const job = await open('read -p "Name? " n; read -p "Age? " a; read -sp "Code: " c; echo; echo "$n $a $c"')
    expect((await job.read({ wait_for_end: true, wait_ms: 120_000 })).text).toMatch(
      /^Name\? \n\[Waiting for input\.\]\n\[Job/,
    )
    expect((await job.type({ input: 'Ada\n' })).text).toMatch(/^Ada\nAge\? \n\[Waiting for input\.\]\n/)
    expect((await job.type({ input: '36', keys: ['enter'] })).text).toMatch(/^36\nCode: \n\[Waiting for input\.\]\n/)
    // What is typed at a prompt without echo is not printed.
    expect((await job.type({ input: '4711\n', wait_for_end: true })).text).toMatch(/^\nAda 36 4711\n\[[^\n]*ended/)
  })

  test('literal text has no Enter added', async () => {
    const job = await open('read -p "> " line; echo "got $line"')
    await job.waitFor('> ')
    expect((await job.type({ input: 'ab', wait_for_quiet_ms: 50 })).text).not.toContain('got')
    expect((await job.type({ input: 'cd', keys: ['enter'], wait_for_end: true })).text).toContain('got abcd')
  })

  test('a pattern is not found in the echo of what was typed', async () => {
    const job = await open('read -p "$ " line; sleep 0.3; eval "$line"; read -p "$ " line')
    await job.waitFor('\\$ ')
    const { text } = await job.type({ input: 'echo re""ady; echo ready\n', wait_for_pattern: 'ready$' })
    expect(text).toMatch(/^echo re""ady; echo ready\nready\n/)
    await job.kill()
  })

  test('a program that has ended is said to have, and nothing is typed', async () => {
    const job = await open('exit 3')
    await job.end()
    const { text, isError } = await job.type({ input: 'x' })
    expect(text).toMatch(/^Nothing was typed: job \d+ has ended \(exit code 3\)\. /)
    expect(isError).toBe(true)
    expect((await job.read({ screen: '90x20' })).text).toMatch(/^The terminal was not resized: [^\n]* has ended\.\n$/)
  })

  test('a program that dies while typed to is reported', async () => {
    const job = await open('stty raw -echo; echo ready; head -c 1000 > /dev/null; kill -9 $$')
    await job.waitFor('ready')
    const { text, isError } = await job.type({ input: 'y'.repeat(900_000) })
    expect(text).toMatch(/Job \d+ ended [^\n]*exit code 137 \(SIGKILL\)/)
    expect(isError).toBe(false)
  })

  test('keys that do not exist are named, and nothing is typed', async () => {
    const job = await open('cat')
    const { text, isError } = await job.type({ input: 'abc', keys: ['hyper+x'] })
    expect(text).toMatch(/^Nothing was typed: unknown key "hyper\+x"\. Keys are enter, tab, /)
    expect(isError).toBe(true)
    await job.kill()
  })

  test.each([{ cols: 9 }, { cols: 501 }, { rows: 1 }, { rows: 501 }, { cols: 'x' }])(
    'of a size of %j is refused',
    async (size) => {
      const { text, isError } = await call(client, 'BackgroundBash', { command: 'true', tty: true, ...size })
      expect(text).toMatch(/^Invalid arguments: '(cols|rows)' must be /)
      expect(isError).toBe(true)
    },
  )

  test('what is typed is part of the record of the job', async () => {
    const job = await open('read -p "? " a')
    await job.waitFor('\\? ')
    await job.type({ input: 'recorded text', keys: ['enter'], wait_for_end: true })
    const typed = readdirSync(STATE_DIR, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith(`/${job.id}/typed`))
      .map((path) => readFileSync(join(STATE_DIR, path), 'utf8'))
    expect(typed).toHaveLength(1)
    expect(JSON.parse(typed[0] ?? '')).toMatchObject({ input: 'recorded text', keys: ['enter'], offset: 2 })
  })

  test('10,000 pasted lines arrive whole', async () => {
    const job = await open('cat > pasted; wc -l < pasted')
    const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index} — ü`)
    const { text } = await job.type({
      input: `${lines.join('\n')}\n`,
      keys: ['ctrl+d'],
      wait_for_end: true,
      wait_ms: 600_000,
    })
    expect(text).toMatch(/\n10000\n/)
    expect(readFileSync(join(cwd, 'pasted'), 'utf8')).toBe(`${lines.join('\n')}\n`)
  })

  test('UTF-8 may be split anywhere', async () => {
    const bytes = [...Buffer.from('naïve – 日本 🙂 é|')].map((byte) => `\\x${byte.toString(16)}`)
    const job = await open(
      `stty -echo; for b in ${bytes.map((byte) => `'${byte}'`).join(' ')}; do printf "$b"; read -n 1 _; done; echo`,
    )
    let text = ''
    for (let isOver = false; !isOver;) {
      const result = await job.type({ input: 'x' }).catch(() => undefined)
      text = (await job.read({ screen: 'full' })).text
      isOver = text.includes('|') || !result || result.isError
    }
    expect(text).toContain('naïve – 日本 🙂 é|')
    await job.kill()
  })

  test('a line that is longer than the terminal is one line, and colours are not shown', async () => {
    const job = await open(`printf '\\e[31m%s\\e[0m\\n' "$(printf 'x%.0s' {1..200})"; printf 'a\\rb\\n'`)
    expect((await job.end()).text).toMatch(/^x{200}\nb\n\[/)
  })

  test('ctrl+c interrupts, and the shell goes on', async () => {
    const job = await open("PS1='$ ' bash --norc --noprofile -i")
    await job.waitFor('\\$ ')
    await job.type({ input: 'sleep 300\n', wait_for_quiet_ms: 100 })
    const { text } = await job.type({ keys: ['ctrl+c'], wait_for_pattern: '\\$ $' })
    expect(text).toMatch(/\^C\n[^\n]*\$ \n/)
    expect((await job.type({ input: 'cd /; export A=5\n' })).text).toContain('[Waiting for input.]')
    expect((await job.type({ input: 'echo "$PWD $A"\n' })).text).toContain('\n/ 5\n')
    expect((await job.type({ input: 'exit 4\n', wait_for_end: true })).text).toContain('exit code 4')
  })
})

describe('a program on a terminal:', requires(TERMINALS), () => {
  test('python', needs('python3'), async () => {
    const job = await open("python3 -q -c \"import code; code.interact(banner='', exitmsg='')\"")
    await job.waitFor('>>> ')
    expect((await job.type({ input: '6 * 7\n', wait_for_pattern: '^42' })).text).toMatch(/^6 \* 7\n42\n>>> /)
    const block = 'def double(x):\n    return 2 * x\n\ndouble("ab")\n'
    expect((await job.type({ input: block, wait_for_pattern: "'abab'" })).text).toContain("\n'abab'\n>>> ")
    expect((await job.type({ keys: ['ctrl+d'], wait_for_end: true })).text).toContain('exit code 0')
  })

  test('node', needs('node'), async () => {
    const job = await open(`${process.execPath} -i`)
    await job.waitFor('^> ')
    expect((await job.type({ input: '[1, 2].map((n) => n * 21)\n', wait_for_pattern: '^\\[' })).text).toContain(
      '[ 21, 42 ]',
    )
    expect((await job.type({ input: '.exit\n', wait_for_end: true })).text).toContain('exit code 0')
  })

  test('npm init', needs('npm'), async () => {
    const job = await open('mkdir -p made && cd made && npm init')
    let seen = (await job.waitForPrompt('package name')).text
    expect(seen).toContain('[Waiting for input.]')
    seen = (await job.type({ input: 'made-by-test\n', wait_for_pattern: '^version' })).text
    for (let round = 0; round < 20 && !/ended after/.test(seen); round++)
      seen = (await job.type({ keys: ['enter'] })).text
    expect(JSON.parse(readFileSync(join(cwd, 'made/package.json'), 'utf8')).name).toBe('made-by-test')
  })

  test('git rebase -i with vi', needs('git', 'vi'), async () => {
    const commits = 'for i in 1 2 3; do echo $i > $i; git add $i; git commit -qm "commit $i"; done'
    const identity = 'git config user.email a@example.com; git config user.name a'
    const job = await open(
      `git init -q rebased; cd rebased; ${identity}; ${commits}; EDITOR=vi git rebase -i HEAD~2; git log --format='is: %s'`,
    )
    await job.screen(/pick \w+ commit 2\n[^]*pick \w+ commit 3/)
    await job.type({ input: ':1s/^pick/drop/', keys: ['enter'] })
    await job.screen(/drop \w+ commit 2/)
    const { text } = await job.type({ input: ':wq\n', wait_for_end: true })
    expect(text).toContain('is: commit 3\nis: commit 1\n')
    expect(text).not.toContain('is: commit 2')
  })

  test('less, which is on the alternate screen', needs('less'), async () => {
    const job = await open('echo before; seq 1 100 | less; echo left')
    const first = await job.screen(/^1\n2\n[^]*\n23\n:/)
    expect(first.text).toMatch(/\[Screen of 80x24, cursor at row 24, column 2\.\]\n/)
    expect(first.structured.screen).toMatchObject({ cols: 80, rows: 24, isAlternate: true })
    await job.type({ keys: ['pagedown'] })
    await job.screen(/^24\n/)
    await job.type({ input: '/77', keys: ['enter'] })
    await job.screen(/^77\n/)
    expect((await job.type({ input: 'q', wait_for_end: true })).text).toMatch(/^left\n\[/)
  })

  test('a menu of curses: cursor keys, resize', needs('python3'), async () => {
    writeFileSync(join(cwd, 'menu.py'), MENU)
    const job = await open('python3 menu.py')
    await job.screen(/^80x24\n> red\n {2}green\n {2}blue/)
    await job.type({ keys: ['down', 'down'] })
    await job.screen(/^80x24\n {2}red\n {2}green\n> blue/)
    await job.read({ screen: '100x30' })
    await job.screen(/^100x30\n {2}red\n {2}green\n> blue[^]*Screen of 100x30/)
    await job.type({ keys: ['up'] })
    await job.screen(/\n> green/)
    expect((await job.type({ keys: ['enter'], wait_for_end: true })).text).toMatch(/^chosen 1\n\[/)
  })

  test('a program that reads raw keys gets their bytes', async () => {
    const job = await open(`stty raw -echo; printf 'ready\\r\\n'; head -c 21 | od -An -c -w40; stty sane`)
    await job.waitFor('ready')
    const keys = ['esc', 'up', 'shift+tab', 'ctrl+a', 'alt+x', 'f5', 'backspace', 'delete']
    const { text } = await job.type({ input: 'é', keys, wait_for_end: true })
    expect(text.replaceAll(/ +/g, ' ')).toContain('303 251 033 033 [ A 033 [ Z 001 033 x 033 [ 1 5 ~ 177 033 [')
  })

  test('a program that asks where the cursor is gets an answer', async () => {
    const job = await open(
      `stty raw -echo; printf 'abc\\e[6n'; head -c 6 | od -An -c; printf '\\e[c'; head -c 4 | od -An -c; stty sane`,
    )
    expect((await job.end()).text.replaceAll(/ +/g, ' ')).toMatch(/033 \[ 1 ; 4 R[^]*033 \[ \? 6/)
  })
})

const MENU = `
import curses
def main(screen):
    chosen = 0
    curses.curs_set(0)
    while True:
        screen.erase()
        rows, cols = screen.getmaxyx()
        screen.addstr(0, 0, f"{cols}x{rows}")
        for index, name in enumerate(["red", "green", "blue"]):
            screen.addstr(index + 1, 0, ("> " if index == chosen else "  ") + name)
        screen.refresh()
        key = screen.getch()
        if key == curses.KEY_DOWN: chosen += 1
        if key == curses.KEY_UP: chosen -= 1
        if key == curses.KEY_RESIZE: curses.update_lines_cols()
        if key in (10, 13): return chosen
print("chosen", curses.wrapper(main))
`

describe('a pipe', () => {
  const pipe = (command: string): Promise<TerminalJob> => open(command, { tty: false })

  test('is what a job has as stdin: it can be written to, and ended', async () => {
    const job = await pipe('while read -r line; do echo "got $line"; done; echo over')
    expect((await job.type({ input: 'one\n', wait_for_pattern: 'got one' })).text).toMatch(/^got one\n/)
    expect((await job.type({ input: 'two', keys: ['enter'], wait_for_pattern: 'got two' })).text).toMatch(/^got two\n/)
    expect((await job.type({ keys: ['ctrl+d'], wait_for_end: true })).text).toMatch(/^over\n\[[^\n]*exit code 0/)
  })

  test.skipIf(!HAS_PROC)('of a program that prompts and reads is reported', async () => {
    const job = await pipe('printf "Continue? "; read -r answer; echo "$answer"')
    const { text, structured } = await job.read({ wait_for_end: true })
    expect(text).toMatch(/^Continue\? \n\[Waiting for input\.\]\n\[Job \d+ is running/)
    expect(structured).toMatchObject({ waitedFor: 'input', waitingForInput: true })
    expect((await job.type({ input: 'yes\n', wait_for_end: true })).text).toMatch(/^yes\n/)
  })

  test('has no keys and no screen', async () => {
    const job = await pipe('cat')
    expect((await job.type({ keys: ['up'] })).text).toMatch(/^Nothing was typed: job \d+ has no terminal, /)
    expect((await job.read({ screen: 'full' })).text).toMatch(/^Job \d+ has no terminal\. /)
    expect((await job.read({ screen: 'half' })).text).toMatch(/^Invalid arguments: 'screen' must be full or /)
    await job.kill()
  })

  test('a command of Bash that goes on in the background has none', async () => {
    const { structured } = await call(client, 'Bash', { command: 'exit 0' })
    expect(structured?.task_id).toBeUndefined()
    const { text } = await readJob(client, 999_999, { input: 'x' })
    expect(text).toMatch(/^There is no job 999999\./)
  })

  test('takes 10,000 lines', async () => {
    const job = await pipe('wc -l')
    const { text } = await job.type({ input: 'line\n'.repeat(10_000), keys: ['ctrl+d'], wait_for_end: true })
    expect(text).toMatch(/^10000\n/)
  })
})

test.skipIf(!HAS_PROC)('ListBgTasks shows ports, processor time and memory if asked', needs('node'), async () => {
  const script = `require('net').createServer().listen(0, '127.0.0.1', function () { console.log('port', this.address().port) })`
  const job = await open(`${process.execPath} -e "${script}"`, { tty: false })
  const [, port] = /port (\d+)/.exec((await job.waitFor('port \\d+')).text) ?? []
  const find = async (details: boolean): Promise<ToolResult> => call(client, 'ListBgTasks', { details })
  expect((await find(false)).text).not.toContain('listens on')
  const { text, structured } = await find(true)
  expect(text).toMatch(
    new RegExp(`\\n {3}listens on port ${port}, [\\d.]+ s of processor time, [\\d.]+ MB in \\d+ process`),
  )
  expect(structured.tasks.find((task: { task_id: number }) => task.task_id === job.id)).toMatchObject({
    ports: [Number(port)],
    memoryBytes: expect.any(Number),
  })
  await job.kill()
})

test('KillBgTask ends a terminal with everything on it', requires(TERMINALS), async () => {
  const job = await open('bash --norc -i -c "sleep 300 & echo \\$! > on-terminal; trap : TERM HUP; wait; sleep 300"')
  const pid = await readPid(join(cwd, 'on-terminal'))
  expect(isAlive(pid)).toBe(true)
  expect(await job.kill()).toMatch(/Killed job \d+ and its child processes\./)
  await waitForExit(pid)
  await eventually(
    async () => (await job.read()).text,
    (text) => /It left no processes running/.test(text),
  )
})
