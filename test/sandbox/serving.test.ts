// The sandbox in the running server: by a setting over stdio, by default over HTTP, and never partially.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { cleanEnv, PROGRAM, readJob, resultData, startJob, startServer, type TestClient } from '../support/client.js'
import { callTool, startProgram } from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { RUNTIME_FLAGS } from '../support/runtime.js'

/** Not in /tmp, which commands do not see. */
const newHome = (): string => mkdtempSync('/var/tmp/scorpiox-home-')

function newProject(home: string): string {
  const project = join(home, 'project')
  mkdirSync(project)
  return project
}

async function bash(client: TestClient, command: string, more: object = {}) {
  const { result } = await client.request('tools/call', { name: 'Bash', arguments: { command, ...more } })
  return result
}

describe('over stdio', requires(SANDBOX), () => {
  test.each(['read-only', 'workspace', 'strict'])('%s restricts every command', async (level) => {
    const home = newHome()
    mkdirSync(join(home, '.ssh'))
    writeFileSync(join(home, '.ssh', 'id'), 'the secret')
    const client = startServer({ cwd: newProject(home), env: { HOME: home, SANDBOX: level } })
    const tries = `cat ${home}/.ssh/id; echo x > ${home}/out; echo x > /usr/out; echo x > in; cat in`
    for (let round = 0; round < 3; round++) {
      const { text } = (await bash(client, tries)).content[0]
      expect(text).not.toContain('the secret')
      expect(text.includes('\nx\n') || text.endsWith('\nx\n')).toBe(level !== 'read-only')
    }
    expect(existsSync(join(home, 'out'))).toBe(false)
    const { text } = (await bash(client, 'echo $$ $(ls /proc | grep -c "^[0-9]")')).content[0]
    expect(Number(text.split(' ')[0])).toBeLessThan(10)
    expect(await client.close()).toBe(0)
    expect(existsSync(join(home, 'project', '.scorpiox'))).toBe(false)
  })

  test('the processes of a command end with it, and jobs are sandboxed too', async () => {
    const home = newHome()
    const client = startServer({ cwd: newProject(home), env: { HOME: home, SANDBOX: 'workspace' } })
    expect((await bash(client, 'sleep 300 & echo started')).content[0].text).toBe('started\n')
    const text = await bash(client, 'trap "echo goodbye; exit 7" TERM; sleep 300 & wait', { timeout: 300 })
    expect(text.content[0].text).toMatch(/^goodbye\n\[Timed out after 300 ms/)
    const started = await client.request('tools/call', {
      name: 'BackgroundBash',
      arguments: { command: `echo x > ${home}/out; echo tried; sleep 300` },
    })
    const read = { task_id: resultData(started.result).task_id, wait_for_pattern: 'tried' }
    const { result } = await client.request('tools/call', { name: 'ReadBgOutput', arguments: read })
    expect(result.content[0].text).toMatch(/Read-only file system|Permission denied/)
    await client.close()
    expect(existsSync(join(home, 'out'))).toBe(false)
  })

  test('a job that pauses within a line does not count as waiting for input', async () => {
    const home = newHome()
    const client = startServer({ cwd: newProject(home), env: { HOME: home, SANDBOX: 'workspace' } })
    const id = await startJob(client, "printf 'at work ...'; sleep 3; echo done")
    const { text } = await readJob(client, id, { wait_for_end: true })
    expect(text).toMatch(/^at work \.\.\.done\n\[Job \d+ ended/)
    await client.close()
  })

  test('if it is unavailable, no command is run, and the log reports it at once', async () => {
    // The home cannot be a workspace: it contains all files of the user.
    const home = newHome()
    const client = startServer({ cwd: home, env: { HOME: home, SANDBOX: 'workspace' } })
    const result = await bash(client, 'touch was-here')
    expect(result.isError).toBe(true)
    expect(existsSync(join(home, 'was-here'))).toBe(false)
    await client.close()
    const silent = startServer({ cwd: home, env: { HOME: home, SANDBOX: 'workspace' } })
    await expect.poll(() => silent.stderr(), { timeout: 5000 }).toContain('no command will run')
    await silent.close()
  })
})

describe('over HTTP', requires(SANDBOX), () => {
  test('on loopback it is on by default', async () => {
    const home = newHome()
    const server = await startProgram({ cwd: newProject(home), env: { HOME: home } })
    const command = `echo x > ${home}/out; echo $$`
    expect(await callTool(server, 'Bash', { command })).toMatch(/Read-only file system\n\d\n$/)
    await server.stop()
  })

  test('a command that comes before the sandbox is verified waits for that', async () => {
    const home = newHome()
    const server = await startProgram({ cwd: newProject(home), env: { HOME: home }, isReady: 'address' })
    const command = `echo x > ${home}/out; echo done`
    expect(await callTool(server, 'Bash', { command })).toMatch(/Read-only file system\ndone\n$/)
    expect(await server.stop()).toBe(0)
  })

  test('on loopback, a server without the sandbox that is required ends, and runs no command before', async () => {
    // The home cannot be a workspace.
    const home = newHome()
    const env = { HOME: home, SANDBOX: 'workspace' }
    const server = await startProgram({ cwd: home, env, isReady: 'address' })
    const call = callTool(server, 'Bash', { command: 'touch was-here' })
    expect(await call.catch(() => 'no answer')).toMatch(/^no answer$|The sandbox cannot let commands write/)
    expect(await server.exited).toBe(1)
    expect(server.stderr()).toContain('The sandbox cannot let commands write')
    expect(existsSync(join(home, 'was-here'))).toBe(false)
  })

  test('a server that ran no command leaves nothing in the project, nor does one whose port is taken', async () => {
    const home = newHome()
    const project = newProject(home)
    const server = await startProgram({ cwd: project, env: { HOME: home } })
    const other = join(home, 'other')
    mkdirSync(other)
    const taken = await run(['--port', new URL(server.url).port], other, { HOME: home })
    expect([taken.code, readdirSync(other)]).toEqual([2, []])
    expect(await server.stop()).toBe(0)
    expect(readdirSync(project)).toEqual([])
  })

  const beyond = ['--host', '0.0.0.0', '--behind-proxy']

  test.each([
    ['switched off', { SANDBOX: 'off' }, 'project'],
    ['not to be had', {}, ''],
  ])('beyond loopback, nothing is served if it is %s', async (_, env, path) => {
    const home = newHome()
    newProject(home)
    const { code, stderr } = await run([...beyond], join(home, path), { HOME: home, ...env })
    expect(code).toBe(2)
    expect(stderr).toContain('--no-sandbox')
  })

  test('settings with which commands could escape are refused, not served without a sandbox', async () => {
    const home = newHome()
    const project = newProject(home)
    symlinkSync(home, join(project, 'link'))
    mkdirSync(join(home, 'cache'))
    const { code, stderr } = await run([], project, { HOME: home, SANDBOX_WRITE: join(project, 'link', 'cache') })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/a symbolic link in .*--no-sandbox/)])
  })

  test('an access log that a command could replace by a link is refused', async () => {
    const home = newHome()
    const project = newProject(home)
    const log = { HOME: home, ACCESS_LOG: join(project, 'access.log') }
    const { code, stderr } = await run([], project, log)
    expect([code, stderr]).toEqual([2, expect.stringContaining('in a folder that commands can write to')])
    expect(existsSync(log.ACCESS_LOG)).toBe(false)
  })

  test('beyond loopback, a flag disables it', async () => {
    const home = newHome()
    const flags = [...beyond, '--no-sandbox']
    const server = await startProgram({ cwd: newProject(home), flags, env: { HOME: home, ALLOWED_HOSTS: '127.0.0.1' } })
    expect(await callTool(server, 'Bash', { command: `echo x > ${home}/out; echo done` })).toBe('done\n')
    await server.stop()
  })
})

async function run(flags: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [...RUNTIME_FLAGS, PROGRAM, 'serve', '--http', '--port', '0', ...flags], {
    cwd,
    env: cleanEnv({ HTTP_TOKEN: 'a-token-for-tests-only', ...env }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { code, stderr }
}
