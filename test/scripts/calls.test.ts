// Script tools as a client uses them: input, output, end, and changes of the folder.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, test } from 'vitest'

import { call, cleanEnv, PROGRAM, readJob, readPid, type TestClient, waitForExit } from '../support/client.js'
import { bashScript, newScriptProject, put, type ScriptProject, scriptsOf, startIn } from './support.js'

const ANY = JSON.stringify({ description: 'Takes anything.', input: {} })
const WITH_OUTPUT_SCHEMA = JSON.stringify({
  description: 'Promises a number.',
  input: { properties: { print: { type: 'string' } } },
  outputSchema: { properties: { n: { type: 'integer' } }, required: ['n'] },
})

describe('a call', () => {
  const scriptProject = newScriptProject({
    'echo.sh': bashScript('cat', ANY),
    'where.sh': bashScript('pwd; echo "$0"; echo "$# $*"', ANY),
    'noise.sh': bashScript('echo out; echo err >&2; exit 3', ANY),
    'killed.sh': bashScript('kill -KILL $$', ANY),
    'promise.mjs': `#!/usr/bin/env node
import { readFileSync } from 'node:fs'
if (process.argv[2] === '--schema') console.log(${JSON.stringify(WITH_OUTPUT_SCHEMA)})
else process.stdout.write(JSON.parse(readFileSync(0, 'utf8')).print)
`,
    'slow.sh': bashScript('echo begun; echo $$ > "$0.pid"; trap "" TERM; sleep 300 & wait; sleep 300', ANY),
    'late.sh': bashScript('sleep 300; echo \'{"n": 1}\'', WITH_OUTPUT_SCHEMA),
    'short.sh': bashScript('echo begun; sleep 300', JSON.stringify({ description: 'Ends.', timeout: 300 })),
  })
  let client: TestClient

  beforeAll(async () => {
    client = await startIn(scriptProject, { BASH_SOFT_LIMIT_MS: '1500' })
    // It is found although no list was requested.
    expect((await call(client, 'echo', { early: true })).text).toBe('{"early":true}\n')
  })

  test.each([
    ['unicode', { 'ключ 🙂': 'ü\u0000\u007f\u2028\n\r\t\u001b[31m"\'`$(touch x)\\' }],
    ['half a character', { half: '\ud83d' }],
    ['what looks like an end', { text: "END\n\nEOF\n'; exit 1" }],
    ['nothing', {}],
  ])('passes its arguments unchanged: %s', async (_, args) => {
    const { text } = await call(client, 'echo', args)
    // On a terminal the output is shown; JSON contains no control characters, except DEL.
    expect(JSON.parse(text)).toEqual(
      JSON.parse(JSON.stringify(args).replace('\u007f', '').replace('\\ud83d', '\ufffd')),
    )
  })

  test('passes three megabytes, not on the command line', async () => {
    const counting = put(scriptProject, 'size.sh', bashScript('wc -c; tr "\\0" " " </proc/$$/cmdline | wc -c', ANY))
    const { text } = await call(client, 'size', { text: 'ü'.repeat(1_500_000) })
    const [size, line] = text.trim().split(/\s+/).map(Number)
    expect(size).toBe(3_000_000 + '{"text":""}\n'.length)
    expect(line).toBeLessThan(200 + counting.length)
  })

  test('runs in the project, by its path and without arguments', async () => {
    expect((await call(client, 'where')).text).toBe(
      `${scriptProject.project}\n${join(scriptProject.tools, 'where.sh')}\n0 \n`,
    )
  })

  test('that fails is an error with the complete output', async () => {
    const { text, isError } = await call(client, 'noise')
    expect([isError, text]).toEqual([true, 'out\nerr\n[Exit code 3.]\n'])
    expect((await call(client, 'killed')).text).toMatch(/^\[Exit code 137 \(SIGKILL\)/)
  })

  test.each([
    ['{"n": 4, "more": [1]}', { n: 4 }],
    ['{\n  "n": 4\n}\n', { n: 4 }],
    ['a warning\n{"n": 5}\n', { n: 5 }],
    ['{"n": 1}\n{"n": 6}', { n: 6 }],
    [JSON.stringify({ pad: 'x'.repeat(5000), n: 7 }), { n: 7 }],
  ])('that matches its output schema returns data: %.40s', async (print, data) => {
    const { structured, isError, text } = await call(client, 'promise', { print })
    expect([structured, isError]).toEqual([{ exitCode: 0, output: expect.objectContaining(data) }, false])
    expect(text.trim()).toBe(print.trim())
  })

  test.each([
    ['{"n": "four"}', "'n' must be"],
    ['[4]', 'not a JSON object'],
    ['4', 'not a JSON object'],
    ['', 'not a JSON object'],
    [`{"n": 4, "pad": "${'x'.repeat(40_000)}"}`, 'BASH_MAX_OUTPUT'],
  ])('that does not match its output schema is an error: %.20s', async (print, why) => {
    const { structured, isError, text } = await call(client, 'promise', { print })
    expect([structured, isError]).toEqual([{ exitCode: 0 }, true])
    expect(text).toContain(`The output does not match the output schema of promise.mjs: `)
    expect(text).toContain(why)
  })

  test('that takes long continues as a job, and ends with all its processes', async () => {
    const { text, isError } = await call(client, 'slow')
    expect(isError).toBe(false)
    const id = Number(/job (\d+)/.exec(text)?.[1])
    expect((await call(client, 'ListBgTasks')).text).toContain('script tool slow')
    expect((await readJob(client, id, { tail: 5 })).text).toContain('begun')
    const pid = await readPid(join(scriptProject.tools, 'slow.sh.pid'))
    await call(client, 'KillBgTask', { task_id: id })
    await waitForExit(pid)
  })

  test('that takes long and has an output schema is an error until it ends, and continues', async () => {
    const { text, isError, structured } = await call(client, 'late')
    expect([isError, structured]).toEqual([true, { exitCode: null }])
    const id = Number(/continues as job (\d+)/.exec(text)?.[1])
    expect((await call(client, 'KillBgTask', { task_id: id })).isError).toBe(false)
  })

  test('that has its own timeout is ended then', async () => {
    const { text, isError } = await call(client, 'short')
    expect(isError).toBe(true)
    expect(text).toBe(
      'begun\n[Timed out after 300 ms: the command and its child processes were killed. Set a longer "timeout" in the output of short.sh --schema.]\n',
    )
  })

  test('that is cancelled ends with all its processes', async () => {
    rmSync(join(scriptProject.tools, 'slow.sh.pid'))
    client.send({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'slow', arguments: {} } })
    const pid = await readPid(join(scriptProject.tools, 'slow.sh.pid'))
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } })
    await waitForExit(pid)
  })
})

describe('the folder', () => {
  const changeNotification = (client: TestClient) =>
    client.waitFor(({ method }) => method === 'notifications/tools/list_changed')

  test('may change while the server runs', async () => {
    const scriptProject = newScriptProject({
      'one.sh': bashScript('echo 1', 'One.'),
      'two.sh': bashScript('echo 2', 'Two.'),
    })
    const client = await startIn(scriptProject)
    expect(Object.keys(await scriptsOf(client))).toEqual(['one', 'two'])
    client.clearReceived()
    put(scriptProject, 'three.sh', bashScript('echo 3', 'Three.'))
    rmSync(join(scriptProject.tools, 'one.sh'))
    await changeNotification(client)
    await expect.poll(async () => Object.keys(await scriptsOf(client))).toEqual(['three', 'two'])
    expect((await call(client, 'three')).text).toBe('3\n')
    client.clearReceived()
    put(scriptProject, 'two.sh', bashScript('echo 2', 'Another two.'))
    await changeNotification(client)
    await expect.poll(async () => (await scriptsOf(client)).two.description).toBe('Another two.')
    chmodSync(join(scriptProject.tools, 'two.sh'), 0o644)
    renameSync(join(scriptProject.tools, 'three.sh'), join(scriptProject.tools, '_three.sh'))
    await expect.poll(() => scriptsOf(client)).toEqual({})
    await expect.poll(() => client.stderr()).toContain('two.sh is left out: it is not executable: chmod +x')
  })

  test('may be relative to the home or the project, and may be created later', async () => {
    const scriptProject = newScriptProject({ 'one.sh': bashScript('echo 1') })
    expect(Object.keys(await scriptsOf(await startIn(scriptProject, { SCRIPT_TOOLS: '~/tools' })))).toEqual(['one'])
    expect(Object.keys(await scriptsOf(await startIn(scriptProject, { SCRIPT_TOOLS: '../tools' })))).toEqual(['one'])
    const missing = join(scriptProject.home, 'later')
    const client = await startIn(scriptProject, { SCRIPT_TOOLS: missing })
    expect(await scriptsOf(client)).toEqual({})
    expect(client.stderr()).toContain(`${missing} does not exist: create it, or correct SCRIPT_TOOLS.`)
    renameSync(scriptProject.tools, missing)
    await expect.poll(async () => Object.keys(await scriptsOf(client))).toEqual(['one'])
  })

  test('is not read if tools are disabled, nor taken from project settings', async () => {
    const scriptProject = newScriptProject({ 'mark.sh': '#!/bin/bash\ntouch "$0.ran"; echo Marks.\n' })
    const off = await startIn(scriptProject, { TOOLS: '0' })
    expect((await off.request('tools/list')).result.tools).toEqual([])
    writeFileSync(join(scriptProject.project, 'scorpiox-env.txt'), `SCRIPT_TOOLS=${scriptProject.tools}\n`)
    const cloned = await startIn(scriptProject, { SCRIPT_TOOLS: '' })
    expect(await scriptsOf(cloned)).toEqual({})
    expect(cloned.stderr()).toContain('SCRIPT_TOOLS cannot be set by a project')
    expect(existsSync(join(scriptProject.tools, 'mark.sh.ran'))).toBe(false)
  })

  test('is used even if Bash is disabled', async () => {
    const scriptProject = newScriptProject({ 'one.sh': bashScript('echo 1') })
    const client = await startIn(scriptProject, { TOOL_BASH: '0', TOOL_BACKGROUNDBASH: '0', TOOL_INVOKESKILL: '0' })
    expect((await call(client, 'one')).text).toBe('1\n')
    expect((await call(client, 'Bash', { command: 'echo 1' })).isError).toBe(true)
  })
})

describe('on the command line', () => {
  const run = ({ home, project, tools }: ScriptProject, ...args: readonly string[]): string => {
    const env = cleanEnv({ HOME: home, SCRIPT_TOOLS: tools })
    const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { cwd: project, env, encoding: 'utf8' })
    return stdout + stderr
  }

  test('tools, call and doctor include them', () => {
    const scriptProject = newScriptProject({
      'good.sh': bashScript('cat', 'Is good.'),
      'bad.sh': '#!/bin/bash\necho no >&2; exit 4\n',
    })
    const why = 'ended with exit code 4 when run with --schema, with output: no'
    const listed = run(scriptProject, 'tools')
    expect(listed).toMatch(/good\(\)\n {4}Is good\./)
    expect(listed).toContain(`bad.sh is left out: it ${why}`)
    // It declares no arguments.
    expect(run(scriptProject, 'call', 'good', 'a=1')).toMatch(/^\{\}$/m)
    const diagnosed = run(scriptProject, 'doctor')
    expect(diagnosed).toContain(`✗ script tools: good (in ${scriptProject.tools})`)
    expect(diagnosed).toContain(`→ bad.sh ${why}`)
  })
})
