// Bash as a client uses it: output, exit status and advice. No command hangs the server, grows its memory or is
// answered twice.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  call,
  directorySize,
  emptyFolder,
  HAS_PROC,
  isAlive,
  readJob,
  readPid,
  residentMegabytes,
  startServer,
  type TestClient,
  type ToolResult,
  toolResultOf,
  waitForExit,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { underLoad } from '../support/load.js'
import { MISSING, skipIfMissing } from '../support/runtime.js'

const cwd = emptyFolder()
const HOME = emptyFolder()
let client: TestClient

beforeAll(() => {
  client = startServer({ cwd, env: { HOME, HTTP_TOKEN: 'a secret', JOB_MAX_OUTPUT: '1000000' } })
})

afterAll(async () => {
  expect(await client.close()).toBe(0)
  expect(client.stderr()).toBe('')
})

const bash = (command: string, more: object = {}): Promise<ToolResult> => call(client, 'Bash', { command, ...more })

describe('results', () => {
  test.each([
    ['success is the output alone', 'printf "a\\nb"', false, 'a\nb'],
    ['success without output', 'true', false, '(no output)'],
    ['an exit code keeps the output', 'echo partly; exit 3', true, 'partly\n[Exit code 3.]'],
    [
      'a question without an answer',
      'printf "Name: "; read -r name || exit 2',
      true,
      "Name: \n[Exit code 2.]\n[It may have needed input, but stdin was at its end: pass the input in the command (printf 'yes\\n' | program), or use an option that skips the question.]",
    ],
    ['an output without a newline', 'printf partly; exit 3', true, 'partly\n[Exit code 3.]'],
    [
      'an exit code without output',
      'false',
      true,
      '[Exit code 1. No output: from grep, diff and test this means "no"; otherwise `set -x` shows what fails.]',
    ],
    [
      'a signal',
      'kill -9 $$',
      true,
      '[Exit code 137 (SIGKILL). It was killed, possibly because memory ran out: do less at once.]',
    ],
    [
      'a crash',
      'echo at work; kill -SEGV $$',
      true,
      'at work\n[Exit code 139 (SIGSEGV). The program crashed. The end of its output may show where.]',
    ],
  ])('%s', async (_, command, isError, text) => {
    const result = await bash(command)
    const ended = text.endsWith('\n') ? text : `${text}\n`
    expect(result).toMatchObject({ text: ended, isError, content: [{ type: 'text' }] })
    expect(result.content).toHaveLength(1)
  })

  test('a missing program, and a path that is not a program', async () => {
    expect((await bash('no-such-program')).text).toContain('[Exit code 127. A program was not found')
    expect((await bash('touch plain; ./plain')).text).toContain('[Exit code 126. A file could not be executed')
  })

  test('metadata: exit code, signal, duration, timed out, truncated, bytes, and no job that has ended', async () => {
    const { structured } = await bash('sleep 0.2; echo é; exit 4')
    const { durationMs, ...rest } = structured
    expect(rest).toEqual({ exitCode: 4, signal: null, timedOut: false, truncated: false, bytes: 3 })
    expect(durationMs).toBeGreaterThanOrEqual(200)
    expect(Number.isInteger(durationMs)).toBe(true)
    expect((await bash('kill -TERM $$')).structured).toMatchObject({ exitCode: 143, signal: 'SIGTERM' })
  })
})

describe('environment', () => {
  test('stdout and stderr in the order a terminal would show', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => String(index))
    const writers = ['echo', '/bin/echo', 'printf "%s\\n"']
    const command = lines
      .map((line, index) => `${writers[index % 3]} ${line} ${index % 2 === 0 ? '>&2' : ''}`)
      .join('\n')
    expect((await bash(command)).text).toBe(`${lines.join('\n')}\n`)
  })

  test('stdin is /dev/null', async () => {
    expect((await bash('cat; read -r x || echo nothing; readlink /proc/self/fd/0')).text).toBe('nothing\n/dev/null\n')
  })

  test('the environment disables prompts and colours, and has no secrets of the server', async () => {
    const result = await bash(
      'echo "$TERM|$NO_COLOR|$PAGER|$GIT_PAGER|${HTTP_TOKEN-none}"; env; cat /proc/$PPID/environ',
    )
    expect(result.text).toMatch(/^dumb\|1\|cat\|cat\|none\n/)
    expect(result.text).not.toContain('a secret')
  })

  test('the directory is that of the project, also after a command has changed it', async () => {
    await bash('cd /; pwd')
    expect((await bash('pwd')).text).toBe(`${cwd}\n`)
  })

  test('a child left behind does not delay the answer, and is reported', async () => {
    const result = await bash('sleep 60 & echo $! > left; sleep 60 >/dev/null 2>&1 & echo started')
    expect(result.isError).toBe(false)
    expect(result.text).toMatch(
      /^started\n\[It left 2 processes running: sleep \(\d+\), sleep \(\d+\)\. They are killed when the server exits/,
    )
    expect(result.structured.durationMs).toBeLessThan(underLoad(10_000))
    const pid = await readPid(join(cwd, 'left'))
    expect(isAlive(pid)).toBe(true)
    process.kill(pid)
  })
})

describe('terminal output', () => {
  test.each([
    ['colours', `printf '\\e[1;31mred\\e[0m \\e[38;5;2mgreen\\e[m\\n'`, 'red green\n'],
    ['progress', `for i in 10 50 100; do printf '\\r%3d%%' $i; done; echo`, '100%\n'],
    ['a cursor that goes back', `printf 'one\\ntwo\\n\\e[2A\\e[2Kthree\\n\\n'`, 'three\ntwo\n'],
    ['backspaces', `printf 'ab\\b\\bcd\\n'`, 'cd\n'],
    ['a title and a link', `printf '\\e]0;title\\a\\e]8;;http://x\\e\\\\text\\e]8;;\\e\\\\\\n'`, 'text\n'],
    ['broken UTF-8, replaced once', `printf 'a\\xffb\\xe2\\x82c\\n'`, 'a\ufffdb\ufffdc\n'],
    ['half a character at the end', `printf 'caf\\xc3'`, 'caf\ufffd\n'],
    ['a character in pieces', `printf '\\xf0\\x9f'; sleep 0.2; printf '\\x98\\x80\\n'`, '😀\n'],
    ['a colour in pieces', `printf 'a\\e[3'; sleep 0.2; printf '1mb\\n'`, 'ab\n'],
    ['UTF-16', `printf '\\xff\\xfeh\\0i\\0\\n\\0'`, 'hi\n'],
  ])('%s', async (_, command, text) => {
    expect((await bash(command)).text).toBe(text)
  })

  test.each([
    ['an image', `printf '\\x89PNG\\r\\n\\x1a\\n'; head -c 5000 /dev/urandom`, 'PNG image, 5,008 bytes'],
    ['an archive', `head -c 5000 /dev/urandom | gzip`, 'gzip'],
    ['noise', `printf '\\0\\1\\2\\3\\0\\0'; head -c 99994 /dev/urandom`, '100,000 bytes'],
  ])('binary output is detected and described: %s', async (_, command, message) => {
    const { text, isError, structured } = await bash(command)
    expect(text).toMatch(/^\[binary output: /)
    expect(text).toContain(message)
    expect(text).toContain('[Binary output is not shown. Write it to a file to use it.]')
    expect(text.length).toBeLessThan(300)
    expect(isError).toBe(false)
    expect(structured.truncated).toBe(false)
  })

  test('1 MB of characters of all lengths, split into chunks at every position: none is broken', async () => {
    const wide = startServer({ cwd, env: { BASH_MAX_OUTPUT: '10000000' } })
    const text = 'aé€😀\n'.repeat(90_000)
    writeFileSync(join(cwd, 'text'), text)
    const result = await call(wide, 'Bash', { command: 'dd if=text bs=1021 status=none' })
    expect(result.structured.bytes).toBeGreaterThan(950_000)
    expect(result.text.match(/\ufffd/g)?.length ?? 0).toBe(0)
    expect(result.text === text).toBe(true)
    await wide.close()
  })
})

describe('a long output', () => {
  test('is shown as head and tail within the budget, with exact counts, and is kept', async () => {
    const result = await bash('seq 1 100000')
    const { structured, content } = result
    const [, head = '', lines = '', characters = '', tail = ''] =
      /^([^[]+)\[([\d,]+) lines \(([\d,]+) characters\) left out here\]\n([^[]+)\[/.exec(result.text) ?? []
    const numberOf = (text: string): number => Number(text.replaceAll(',', ''))
    expect(head.length + tail.length).toBeLessThanOrEqual(30_000)
    expect(head.length + tail.length).toBeGreaterThan(29_000)
    expect(head.split('\n').length - 1 + numberOf(lines) + tail.split('\n').length - 1).toBe(100_000)
    expect(head.length + numberOf(characters) + tail.length).toBe(588_895)
    expect(structured).toMatchObject({ truncated: true, bytes: 588_895 })
    const { uri } = structured
    expect([content.length, uri]).toEqual([1, expect.stringMatching(/^scorpiox:\/\/jobs\/\d+$/)])
    const id = Number(uri.split('/').at(-1))
    expect(result.text.split('\n').at(-2)).toMatch(`All 588,895 bytes of output are kept: ReadBgOutput(task_id: ${id}`)
    expect((await readJob(client, id, { tail: 2, pattern: '^5000' })).text).toMatch(/^50008\n50009\n\[/)
    expect((await client.request('resources/read', { uri })).result.contents[0].text).toMatch(/^1\n2\n/)
  })

  test('is kept up to a maximum size', async () => {
    const { text } = await bash('seq 1 1000000')
    expect(text).toMatch(/\[[\d,]+ of 6,888,896 bytes of output are kept: /)
    expect(directorySize(HOME)).toBeLessThan(5_000_000)
    const id = Number(/task_id: (\d+)/.exec(text)?.[1])
    expect((await readJob(client, id, { tail: 3 })).text).toMatch(/^999998\n999999\n1000000\n\[/)
  })

  test('has the given budget, also in one line and in other scripts', async () => {
    const narrow = startServer({ cwd, env: { BASH_MAX_OUTPUT: '1000' } })
    for (const command of ['printf "%05000d" 0', `printf '😀%.0s' {1..3000}`, 'yes | head -c 5000']) {
      const { text } = await call(narrow, 'Bash', { command })
      expect(text.slice(0, text.lastIndexOf('\n[')).length).toBeLessThan(1080)
      expect(text.isWellFormed() && !text.includes('\ufffd')).toBe(true)
      expect(text).toMatch(/characters?\)? left out here\]/)
    }
    await narrow.close()
  })
})

describe.concurrent('limits', () => {
  test('at an explicit timeout the tree gets SIGTERM, SIGKILL 2 s later, and is then reported', async () => {
    const own = startServer({ cwd })
    const stubborn = `bash -c 'trap "" TERM; echo $$ > stubborn; while :; do sleep 0.1; done' &`
    const command = `trap 'echo asked' TERM; ${stubborn} echo begun; while :; do sleep 0.1; done`
    const result = await call(own, 'Bash', { command, timeout: 500 })
    expect(isAlive(await readPid(join(cwd, 'stubborn')))).toBe(false)
    // Between these lines bash may report that its sleep was terminated.
    expect(result.text).toMatch(
      /^begun\n[^]*asked\n(?:[^]*\n)?\[Timed out after 500 ms: the command and its child processes were killed\. Use a longer timeout, or/,
    )
    expect(result.isError).toBe(true)
    expect(result.structured).toMatchObject({ timedOut: true, exitCode: 137, signal: 'SIGKILL' })
    expect(result.structured.durationMs).toBeGreaterThanOrEqual(2400)
    await own.close()
  })

  test('20 of 20 commands at the same time', async () => {
    const started = Date.now()
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => bash(`sleep 1; echo ${index}`)))
    expect(all.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, index) => `${index}\n`))
    // One after the other they would take 20 s.
    expect(Date.now() - started).toBeLessThan(underLoad(15_000))
  })

  test('a command that ends on SIGTERM is reported at once', async () => {
    const { structured, text } = await bash('trap "echo bye; exit 0" TERM; sleep 60 & wait', { timeout: 200 })
    expect(text).toMatch(/^bye\n\[Timed out after 200 ms/)
    expect(structured.durationMs).toBeLessThan(underLoad(2000))
  })

  test.each([0, -5, 1e15, 2 ** 31])(
    'a timeout of %d is the default or the maximum, not an immediate end',
    async (timeout) => {
      expect((await bash('sleep 0.1; echo done', { timeout })).text).toBe('done\n')
    },
  )

  test('a command that stopped itself is ended nevertheless', async () => {
    expect((await bash('kill -STOP $$', { timeout: 300 })).structured).toMatchObject({
      timedOut: true,
      signal: 'SIGKILL',
    })
  })

  test('a timeout of 1 ends', async () => {
    expect((await bash('sleep 60', { timeout: 1 })).structured.timedOut).toBe(true)
  })

  test('without a timeout it continues as a job, with how to read and end it', async () => {
    const soft = startServer({ cwd, env: { BASH_SOFT_LIMIT_MS: '300' } })
    const result = await call(soft, 'Bash', { command: 'echo one; sleep 1; echo two; sleep 60' })
    expect(result.text).toBe(
      'one\n[Still running after 0.3 s; it continues as job 1: wait with ReadBgOutput(task_id: 1, wait_for_end: true, wait_ms: 50000), kill it with KillBgTask(task_id: 1).]\n',
    )
    expect(result.isError).toBe(false)
    expect(result.structured).toMatchObject({ task_id: 1, exitCode: null, signal: null, timedOut: false, bytes: 4 })
    expect((await call(soft, 'ListBgTasks')).structured.tasks).toMatchObject([{ task_id: 1, status: 'running' }])
    // Only new output: the answer contained the rest.
    expect((await readJob(soft, 1, { wait_for_pattern: 'two' })).text).toMatch(/^two\n\[The pattern matched/)
    const { status, runtimeMs } = (await call(soft, 'KillBgTask', { task_id: 1 })).structured
    expect(status).toBe('ended')
    // Since its start, not since it became a job.
    expect(runtimeMs).toBeGreaterThanOrEqual(1000)
    await soft.close()
  })

  test('with BASH_AUTO_BACKGROUND=0 it is ended', async () => {
    const hard = startServer({ cwd, env: { BASH_SOFT_LIMIT_MS: '300', BASH_AUTO_BACKGROUND: '0' } })
    const result = await call(hard, 'Bash', { command: 'echo one; sleep 60' })
    expect(result).toMatchObject({ isError: true, structured: { timedOut: true, signal: 'SIGTERM' } })
    expect(result.text).toMatch(/^one\n\[Timed out after 300 ms/)
    await hard.close()
  })

  test('the default limit is 30 s', async () => {
    const { tools } = (await client.request('tools/list')).result
    expect(tools[0].inputSchema.properties.timeout.description).toContain('30000')
    expect(tools[0].description).toContain('After 30 s')
  })

  const withToken = { progressToken: 'p' }
  const shownBy = ({ received }: TestClient): string[] =>
    received.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params.message)

  test('progress shows the newest line, at most four times a second', async () => {
    const own = startServer({ cwd })
    const result = await call(
      own,
      'Bash',
      { command: 'for i in {1..150}; do echo line $i; sleep 0.01; done' },
      withToken,
    )
    const shown = shownBy(own)
    expect(shown[0]).toMatch(/^line \d+$/)
    expect(shown.length).toBeGreaterThanOrEqual(3)
    expect(shown.length).toBeLessThanOrEqual(Math.ceil(result.structured.durationMs / 250) + 1)
    await own.close()
  })

  test('progress continues while the command is silent, so that no client times out', async () => {
    const own = startServer({ cwd })
    await call(own, 'Bash', { command: 'echo begun; sleep 6' }, withToken)
    expect(shownBy(own)).toEqual(['begun', expect.stringMatching(/^begun \[5 s\]$/)])
    const values = own.received.flatMap(({ params }) => params?.progress ?? [])
    expect(values).toEqual([...values].sort((a, b) => a - b))
    await own.close()
  })

  test('progress is not sent without a token, nor with STREAMING=0', async () => {
    const own = startServer({ cwd, env: { STREAMING: '0' } })
    await call(own, 'Bash', { command: 'echo a; sleep 0.4; echo b' }, withToken)
    expect(shownBy(own)).toEqual([])
    await own.close()
  })
})

describe('commands cannot be started', () => {
  test('a missing directory, a file, and a directory that is removed', async () => {
    writeFileSync(join(cwd, 'file'), '')
    for (const [path, message] of [
      ['/nowhere/at/all', 'the directory /nowhere/at/all does not exist'],
      [join(cwd, 'file'), 'is not a directory'],
    ] as const) {
      const lost = startServer({ cwd, env: { STARTUP_DIR: path } })
      for (const name of ['Bash', 'BackgroundBash']) {
        const { text, isError } = await call(lost, name, { command: 'ls' })
        expect(isError).toBe(true)
        expect(text).toMatch(/^The command was not started: /)
        expect(text).toContain(message)
        expect(text).toContain('start the server with --cwd')
      }
      await lost.close()
    }
    const path = mkdtempSync(join(tmpdir(), 'scorpiox-leaving-'))
    const left = startServer({ cwd: path })
    expect((await call(left, 'Bash', { command: 'pwd' })).text).toBe(`${path}\n`)
    rmSync(path, { recursive: true })
    expect((await call(left, 'Bash', { command: 'pwd' })).text).toContain('does not exist')
    await left.close()
  })

  test('no temporary directory', async () => {
    const bare = startServer({ cwd, env: { TMPDIR: '/nowhere' } })
    expect((await call(bare, 'Bash', { command: 'echo' })).text).toMatch(
      /^The command was not started: there is no usable folder for temporary files \(.+\)\. Set TMPDIR to a writable folder/,
    )
    await bare.close()
  })

  test('in the root, where some clients start their servers, the bash of the system is used', async () => {
    const server = startServer({ cwd: '/' })
    expect((await call(server, 'Bash', { command: 'pwd' })).text).toBe('/\n')
    await server.close()
  })

  test('a bash in the project is not used', async () => {
    const path = mkdtempSync(join(tmpdir(), 'scorpiox-planted-'))
    writeFileSync(join(path, 'bash'), '#!/bin/sh\ntouch "$(dirname "$0")/was-run"; exec /bin/bash "$@"\n', {
      mode: 0o755,
    })
    const server = startServer({ cwd: path, env: { PATH: `${path}:${process.env.PATH}` } })
    expect((await call(server, 'Bash', { command: 'ls' })).text).toBe('bash\n')
    await server.close()
  })

  test('no bash', async () => {
    const bare = startServer({ cwd, env: { SHELL_PATH: '/nowhere/bash' } })
    for (const name of ['Bash', 'BackgroundBash', 'Bash']) {
      const { text, isError } = await call(bare, name, { command: 'echo' })
      expect(isError).toBe(true)
      expect(text).toContain('/nowhere/bash does not exist. Correct the setting')
    }
    await bare.close()
  })

  test('no free file descriptors: each call is answered, and later ones work again', async (context) => {
    skipIfMissing(context, MISSING.fewFiles)
    const args = ['-c', 'ulimit -n 40; exec "$0" "$@"', process.execPath, ...startArgs()]
    const poor = startServer({ file: 'bash', args, cwd })
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        poor.request('tools/call', { name: 'Bash', arguments: { command: 'sleep 0.3' } }),
      ),
    )
    for (const { text, isError } of answers.map(toolResultOf))
      if (isError) expect(text).toMatch(/^The command was not started: /)
    await eventually(
      () => call(poor, 'Bash', { command: 'echo again' }),
      ({ text }) => text === 'again\n',
    )
    await poor.close()
  })
})

test('200 of 200 commands at once are answered, each with its own output', async () => {
  const fresh = startServer({ cwd })
  const all = await Promise.all(
    Array.from({ length: 200 }, (_, index) => call(fresh, 'Bash', { command: `echo ${index}; exit ${index % 7}` })),
  )
  const arrived = all.map(({ text, structured }) => `${text.split('\n', 1)[0]} exit ${structured.exitCode}`)
  expect(arrived).toEqual(all.map((_, index) => `${index} exit ${index % 7}`))
  await fresh.close()
})

describe('hostile commands', () => {
  test.each([
    ['a NUL', 'echo a\0b', true, 'it contains a NUL character'],
    ['half a surrogate pair', 'echo "a\ud800b"', false, 'a\ufffdb\n'],
    ['nothing', '', false, '(no output)'],
    ['a comment', '# nothing', false, '(no output)'],
    ['a dash', '-x', true, 'command not found'],
    ['an open quote', "echo 'never closed", true, 'unexpected EOF'],
    ['an open here-document', 'cat <<EOF\nfirst', false, 'first'],
    ['a shell that is replaced', 'exec echo replaced', false, 'replaced\n'],
    ['its output closed', 'exec >&- 2>&-; true', false, '(no output)'],
    ['its whole group killed', 'kill -9 0', true, 'SIGKILL'],
  ])('%s', async (_, command, isError, text) => {
    const result = await bash(command, { timeout: 1000 })
    expect(result.text).toContain(text)
    expect(result.isError).toBe(isError)
  })

  test('of 8 MB', async () => {
    const { text } = await bash(`: ${'x'.repeat(8_000_000)}\necho done`)
    expect(text).toBe('done\n')
  })

  test.skipIf(!HAS_PROC)(
    'that print ten million empty lines, one endless line or without end are counted, not kept',
    async () => {
      const own = startServer({ cwd, env: { JOB_MAX_OUTPUT: '1000000' } })
      const empty = await call(own, 'Bash', { command: `yes '' | head -n 10000000` })
      expect(empty.text).toContain('lines')
      expect(empty.structured).toMatchObject({ bytes: 10_000_000, truncated: true, exitCode: 0 })
      const endless = await call(own, 'Bash', { command: `head -c 60000000 /dev/zero | tr '\\0' x` })
      expect(endless.structured.bytes).toBe(60_000_000)
      expect(endless.text.length).toBeLessThan(31_000)
      const forever = call(own, 'Bash', { command: 'yes', timeout: 1000 })
      const asked = Date.now()
      await own.request('ping')
      expect(Date.now() - asked).toBeLessThan(underLoad(1000))
      expect((await forever).text).toContain('Timed out after 1000 ms')
      expect(residentMegabytes(own)).toBeLessThan(250)
      await own.close()
    },
  )

  test('that kill their parent process are answered', async () => {
    const own = startServer({ cwd })
    const { text } = await call(own, 'Bash', { command: 'echo before; kill -9 $PPID; echo after', timeout: 5000 })
    expect(text).toMatch(/^before\nafter\n/)
    expect((await call(own, 'Bash', { command: 'echo again' })).text).toBe('again\n')
    await own.close()
  })
})

test('a cancelled command ends with its children', async () => {
  const own = startServer({ cwd })
  const command = 'sleep 300 & echo $! > cancelled; wait'
  own.send({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'Bash', arguments: { command } } })
  const pid = await readPid(join(cwd, 'cancelled'))
  own.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } })
  await waitForExit(pid)
  await own.close()
  expect(own.received).toEqual([])
})

function startArgs(): readonly string[] {
  return [join(import.meta.dirname, '../../dist/scorpiox-code.js')]
}
