// Scripts that misbehave when run with --schema or when called. None affects the others, the list or the server.

import { chmodSync, chownSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, test, vi } from 'vitest'

import { call, type Json, readPid, type TestClient, waitForExit } from '../support/client.js'
import { underLoad } from '../support/load.js'
import { bashScript, newScriptProject, put, scriptsOf, startIn } from './support.js'

const DEEP = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`

/** The output of each for --schema, and the resulting message. */
const REFUSED: Readonly<Record<string, readonly [schema: string, reason: string]>> = {
  'nothing.sh': ['', 'printed nothing for --schema'],
  'blank.sh': ["printf '\\n \\n\\t\\n'", 'printed nothing for --schema'],
  // Not more than a busy machine prints and reads within the 5 s limit of --schema.
  'much.sh': ['head -c 1000000 /dev/zero | tr "\\0" x', 'printed more than 64 KB for --schema'],
  'binary.sh': ['head -c 5000 "$BASH"', 'printed no text for --schema'],
  'hang.sh': ['echo $$ > "$0.pid"; trap "" TERM; sleep 300 & wait; sleep 300', 'did not answer --schema within 5 s'],
  'garbage.sh': ['echo "Usage: garbage"; echo "  -h  help"', 'neither JSON nor a parameter'],
  'half.sh': [`echo '{"description": "x", '`, 'cannot be read: it ends too early'],
  'broken.sh': [`printf '{\\n  "description": "x",\\n  oops\\n}'`, 'cannot be read: line 3, at "oops'],
  'list.sh': [`echo '[{"description": "x"}]'`, 'print one JSON object'],
  'deep.sh': [`echo '{"description": "x", "input": ${DEEP}}'`, 'cannot be read'],
  'silent.sh': [`echo '{"input": {}}'`, 'has no "description"'],
  'number.sh': [`echo '{"description": 4}'`, 'has a "description" that is not text'],
  'string-input.sh': [`echo '{"description": "x", "input": {"type": "string"}}'`, 'not of the type "object"'],
  'bad-input.sh': [`echo '{"description": "x", "input": {"properties": {"a": {"type": "sting"}}}}'`, 'cannot be used'],
  'ref.sh': [
    `echo '{"description": "x", "input": {"properties": {"a": {"$ref": "http://127.0.0.1:1/x.json"}}}}'`,
    'has an "input" that cannot be used',
  ],
  'header.sh': [
    `echo '{"description": "x", "input": {"properties": {"a": {"type": "object", "x-mcp-header": "a b"}}}}'`,
    'x-mcp-header',
  ],
  'timeout.sh': [`echo '{"description": "x", "timeout": -4}'`, 'has a "timeout" that is not a number'],
  'fails.sh': [
    'echo {}; echo reason >&2; exit 5',
    'ended with exit code 5 when run with --schema, with output: {} reason',
  ],
  'dies.sh': ['kill -SEGV $$', 'ended by SIGSEGV when run with --schema, without output'],
  'bash.sh': ['echo Takes over.', 'cannot be called bash: that tool already exists'],
  'Bash.py': [`echo Takes over.`, 'cannot be called Bash: that tool already exists'],
  KillBgTask: ['echo Takes over.', 'cannot be called KillBgTask: that tool already exists'],
  'named.sh': [`echo '{"description": "x", "name": "invokeskill"}'`, 'cannot be called invokeskill'],
  'same.py': ['echo Is there twice.', 'would be called same as same.mjs is'],
  'samer.sh': [`echo '{"description": "x", "name": "same"}'`, 'would be called same as same.mjs is'],
  '日本語.sh': ['echo No letter is left.', 'has a name without any of A-Z and 0-9'],
}

const scriptProject = newScriptProject({
  'good.sh': bashScript('echo good'),
  'same.mjs': bashScript('echo same'),
  'straße für 9€ & mehr.sh': bashScript('echo name'),
  [`${'long'.repeat(30)}.sh`]: bashScript('echo long'),
  "quote'd $(touch x) `touch y`.sh": bashScript('echo quoted'),
  'no-shebang': 'if [ "$1" = --schema ]; then echo Has no first line.; exit; fi\necho none\n',
  'forks.sh': '#!/bin/bash\nsleep 300 &\necho $! > "$0.pid"\necho Leaves a process.\n',
  '_helper.sh': '#!/bin/bash\ntouch "$0.ran"; echo Helps.\n',
  '.hidden.sh': '#!/bin/bash\ntouch "$0.ran"; echo Hides.\n',
  ...Object.fromEntries(Object.entries(REFUSED).map(([file, [schema]]) => [file, `#!/bin/bash\n${schema}\n`])),
})
put(scriptProject, 'plain.py', 'print("x")', 0o644)
put(scriptProject, 'anybodys.sh', '#!/bin/bash\ntouch "$0.ran"; echo Can be changed.\n', 0o757)
put(scriptProject, 'notes.md', '# Notes', 0o644)
put(scriptProject, 'program', 'no such thing', 0o755)
writeFileSync(join(scriptProject.tools, 'wrong-interpreter'), '#!/nowhere/at/all\n', { mode: 0o755 })
writeFileSync(join(scriptProject.home, 'outside.sh'), bashScript('echo out'), { mode: 0o755 })
symlinkSync('../outside.sh', join(scriptProject.tools, 'leads-out.sh'))
symlinkSync('good.sh', join(scriptProject.tools, 'leads-in.sh'))
symlinkSync('nowhere', join(scriptProject.tools, 'leads-nowhere.sh'))

test.runIf(process.getuid?.() === 0)('a folder and a script of another user are not run', async () => {
  const others = newScriptProject({
    'theirs.sh': '#!/bin/bash\ntouch "$0.ran"; echo Is theirs.\n',
    'ours.sh': bashScript(''),
  })
  chownSync(join(others.tools, 'theirs.sh'), 54_321, 54_321)
  const file = await startIn(others)
  expect(Object.keys(await scriptsOf(file))).toEqual(['ours'])
  expect(file.stderr()).toMatch(/theirs\.sh is left out: it belongs to another user \(uid 54321\), so it is not run/)
  chownSync(others.tools, 54_321, 54_321)
  const folder = await startIn(others)
  expect(await scriptsOf(folder)).toEqual({})
  expect(folder.stderr()).toMatch(/tools belongs to another user \(uid 54321\), so it is not run: .* chown 0 /)
  expect(existsSync(join(others.tools, 'theirs.sh.ran'))).toBe(false)
})

describe('run with --schema', () => {
  let client: TestClient
  let tools: Readonly<Record<string, Json>>

  beforeAll(async () => {
    client = await startIn(scriptProject)
    await scriptsOf(client)
    // On a busy machine no list waits for the one that hangs.
    await vi.waitFor(() => expect(client.stderr()).toContain('did not answer'), { timeout: 20_000, interval: 100 })
    tools = await scriptsOf(client)
  })

  test('valid ones are tools', () => {
    const long = 'long'.repeat(16)
    const names = [
      'forks',
      'good',
      'leads-in',
      long,
      'no-shebang',
      'quote_d_touch_x_touch_y',
      'same',
      'stra_e_fur_9_mehr',
    ]
    expect(Object.keys(tools).toSorted()).toEqual([...names].toSorted())
  })

  test.each(Object.entries(REFUSED))('%s is left out, and the log says why', (file, [, reason]) => {
    const line = client
      .stderr()
      .split('\n')
      .find((each) => each.includes(`: ${file} is left out`))
    expect(line).toContain(reason)
  })

  test.each([
    ['plain.py', 'is not executable: chmod +x'],
    ['program', 'ended with exit code 127'],
    ['wrong-interpreter', 'ended with exit code 127'],
    ['leads-out.sh', 'is a link that leads out of the folder'],
    ['anybodys.sh', 'can be changed by every user of this machine, so it is not run: chmod o-w'],
  ])('%s is left out, and the log says why', (file, reason) => {
    const line = client
      .stderr()
      .split('\n')
      .find((each) => each.includes(`: ${file} is left out`))
    expect(line).toContain(reason)
  })

  test('ignored files are not run, and cause no warnings', () => {
    expect(existsSync(join(scriptProject.tools, '_helper.sh.ran'))).toBe(false)
    expect(existsSync(join(scriptProject.tools, '.hidden.sh.ran'))).toBe(false)
    expect(existsSync(join(scriptProject.tools, 'anybodys.sh.ran'))).toBe(false)
    expect(existsSync(join(scriptProject.project, 'x')) || existsSync(join(scriptProject.project, 'y'))).toBe(false)
    for (const file of ['notes.md', '_helper', '.hidden', 'leads-nowhere']) expect(client.stderr()).not.toContain(file)
  })

  test('none of their processes is left', async () => {
    await waitForExit(
      await readPid(join(scriptProject.tools, 'hang.sh.pid')),
      await readPid(join(scriptProject.tools, 'forks.sh.pid')),
    )
  })

  test('the others work', async () => {
    expect((await call(client, 'good')).text).toBe('good\n')
    expect((await call(client, 'quote_d_touch_x_touch_y')).text).toBe('quoted\n')
    expect((await call(client, 'no-shebang')).text).toBe('none\n')
    expect((await call(client, 'Bash', { command: 'echo ours' })).text).toBe('ours\n')
  })

  test('a later list does not wait for any of them', async () => {
    const startedAt = performance.now()
    expect(await scriptsOf(client)).toEqual(tools)
    // Running one that hangs takes five seconds.
    expect(performance.now() - startedAt).toBeLessThan(underLoad(5000))
  })
})

test('in a folder that every user can write to nothing is run until that is fixed', async () => {
  const open = newScriptProject({ 'planted.sh': '#!/bin/bash\ntouch "$0.ran"; echo Was planted.\n' })
  chmodSync(open.tools, 0o1777)
  const client = await startIn(open)
  expect(await scriptsOf(client)).toEqual({})
  expect(client.stderr()).toContain(`script tools: ${open.tools} can be changed by every user of this machine`)
  expect(existsSync(join(open.tools, 'planted.sh.ran'))).toBe(false)
  chmodSync(open.tools, 0o755)
  await expect.poll(async () => Object.keys(await scriptsOf(client)), { timeout: 20_000 }).toEqual(['planted'])
})

test('of 130 scripts 128 are tools, and the log names the others', async () => {
  const script = bashScript('echo one')
  const many = newScriptProject(Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`t${100 + i}.sh`, script])))
  const client = await startIn(many)
  await expect.poll(async () => Object.keys(await scriptsOf(client)).length, { timeout: 30_000 }).toBe(128)
  expect(client.stderr()).toContain('t228.sh is left out: it exceeds the limit of 128 script tools')
  expect(client.stderr()).toContain('t229.sh is left out: it exceeds the limit of 128 script tools')
}, 40_000)

describe('called', () => {
  const any = JSON.stringify({ description: 'Takes anything.', input: {} })
  const hostile = newScriptProject({
    'quiet.sh': bashScript('', any),
    'much.sh': bashScript('yes 0123456789 | head -c 10000000', any),
    'binary.sh': bashScript('head -c 100000 "$BASH"', any),
    'deaf.sh': bashScript('exec <&-; echo deaf', any),
    'sips.sh': bashScript('head -c 5; echo', any),
    'leaves.sh': bashScript('sleep 300 & echo $! > "$0.pid"; echo left', any),
    'vanishes.sh': bashScript('rm "$0"; echo gone', any),
    'stubborn.sh': bashScript(
      'trap "" TERM INT HUP; echo $$ > "$0.pid"; while :; do sleep 1; done',
      JSON.stringify({ description: 'Does not go.', input: {}, timeout: 500 }),
    ),
  })
  let client: TestClient

  beforeAll(async () => {
    client = await startIn(hostile)
    await scriptsOf(client)
  })

  test('one that prints nothing', async () => {
    expect(await call(client, 'quiet')).toMatchObject({ text: '(no output)\n', isError: false })
  })

  test('one that prints ten megabytes', async () => {
    const { text } = await call(client, 'much')
    expect(text.length).toBeLessThan(32_000)
    expect(text).toMatch(/All 10,000,000 bytes of output are kept: ReadBgOutput/)
  })

  test('one that prints binary data', async () => {
    expect((await call(client, 'binary')).text).toContain('[binary output:')
  })

  test('those that read nothing, or little, of a large argument', async () => {
    const args = { text: 'x'.repeat(2_000_000) }
    expect(await call(client, 'deaf', args)).toMatchObject({ text: 'deaf\n', isError: false })
    expect(await call(client, 'sips', args)).toMatchObject({ text: '{"tex\n', isError: false })
  })

  test('one that leaves a process behind', async () => {
    const { text } = await call(client, 'leaves')
    expect(text).toMatch(/^left\n\[It left 1 process running: sleep/)
  })

  test('one that ignores SIGTERM', async () => {
    const { text } = await call(client, 'stubborn')
    expect(text).toContain('Timed out after 500 ms')
    await waitForExit(await readPid(join(hostile.tools, 'stubborn.sh.pid')))
  })

  test('one that no longer exists', async () => {
    expect((await call(client, 'vanishes')).text).toBe('gone\n')
    // The list may be updated already or not: both have a message.
    const { result, error } = await client.request('tools/call', { name: 'vanishes', arguments: {} })
    expect(error?.message ?? result.content[0].text).toMatch(/Unknown tool: vanishes|No such file or directory/)
  })

  test('processes left behind end with the server', async () => {
    const pid = await readPid(join(hostile.tools, 'leaves.sh.pid'))
    expect(await client.close()).toBe(0)
    await waitForExit(pid)
  })
})
