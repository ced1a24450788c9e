// WORKSPACE_ROOT: each user has a directory of their own over HTTP, made on first use, and sees no other. Real servers,
// real sandbox; every tool that reads files is tried with the paths of another user.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { MODERN, resultData } from '../support/client.js'
import { initialize, logComplaints, modernCall, rpc, sendRequest, tokenFor } from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { startIssuer } from './issuer.js'
import { bashAs, callAs, newWorkspaceFolder, startWorkspaceServer, type WorkspaceServer } from './support.js'

/** Four black pixels. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAC0lEQVR4nGNgQAYAAA4AAamRc7EAAAAASUVORK5CYII=',
  'base64',
)

describe('two users', requires(SANDBOX), () => {
  let served: WorkspaceServer
  let alice = ''
  let bob = ''

  beforeAll(async () => {
    const folder = newWorkspaceFolder()
    // A repository around all workspaces must not become their common project.
    execFileSync('git', ['init', '-q', folder])
    served = await startWorkspaceServer({}, folder)
    ;[alice, bob] = ['alice', 'bob'].map((user) => tokenFor(user, served.env)) as [string, string]
    await Promise.all([bashAs(served.server, alice, 'echo a > secret.txt'), bashAs(served.server, bob, 'echo b > own')])
  })

  afterAll(async () => {
    expect(await served.server.stop()).toBe(0)
    expect(logComplaints(served.server)).toEqual([])
    rmSync(served.folder, { recursive: true })
  })

  test('each has a directory of its own, made on first use, for its owner only', async () => {
    const { server, folder } = served
    expect(readdirSync(folder).toSorted()).toEqual(['.git', 'alice', 'bob'])
    expect(statSync(join(folder, 'alice')).mode & 0o777).toBe(0o700)
    // Others are placeholders of the sandbox, folders with the sticky bit.
    expect(await bashAs(server, alice, 'pwd')).toBe(`${folder}/alice\n`)
    expect(await bashAs(server, alice, 'cat *.txt own 2>&1')).toMatch(/^a\n[^]*own: No such file/m)
    expect(await bashAs(server, bob, 'pwd; cat own secret.txt 2>&1')).toMatch(
      /^\S+\/bob\nb\n[^]*secret.txt: No such file/,
    )
  })

  test('neither can list, read, write or reach the other by a link', async () => {
    const { server, folder } = served
    expect(await bashAs(server, bob, `ls -A ${folder}`)).toBe('bob\n')
    const tries = [
      `cat ${folder}/alice/secret.txt`,
      `cat ../alice/secret.txt`,
      `ls ${folder}/alice`,
      `echo x > ${folder}/alice/x`,
      `mkdir ${folder}/carol`,
      `ln -s ${folder}/alice stolen && cat stolen/secret.txt`,
      `ln ${folder}/alice/secret.txt hard`,
      `mv ${folder}/bob ${folder}/bob2`,
      `cat /proc/1/root${folder}/alice/secret.txt`,
    ]
    for (const command of tries) expect(await bashAs(server, bob, `${command} 2>&1`)).toMatch(/exit code|Exit code/)
    expect(readdirSync(folder).toSorted()).toEqual(['.git', 'alice', 'bob'])
    expect(readFileSync(join(folder, 'alice', 'secret.txt'), 'utf8')).toBe('a\n')
    expect(existsSync(join(folder, 'alice', 'x'))).toBe(false)
  })

  test('images are read in the own directory only', async () => {
    const { server, folder } = served
    writeFileSync(join(folder, 'alice', 'a.png'), PNG)
    symlinkSync(join(folder, 'alice', 'a.png'), join(folder, 'bob', 'link.png'))
    expect(await callAs(server, alice, 'ReadImage', { file_path: 'a.png' })).toMatchObject({
      text: expect.stringContaining('2x2'),
      isError: false,
    })
    for (const path of [`${folder}/alice/a.png`, '../alice/a.png', 'link.png']) {
      const { text, isError } = await callAs(server, bob, 'ReadImage', { file_path: path })
      expect(isError).toBe(true)
      expect(text).toMatch(/hidden from commands|outside the directories/)
    }
  })

  test('tasks, jobs, plans and skills are those of the directory', async () => {
    const { server, folder } = served
    mkdirSync(join(folder, 'alice', '.claude', 'skills', 'greet'), { recursive: true })
    writeFileSync(
      join(folder, 'alice', '.claude', 'skills', 'greet', 'SKILL.md'),
      '---\nname: greet\ndescription: says hello\n---\nHello from alice\n',
    )
    expect((await callAs(server, alice, 'InvokeSkill', { skill_name: 'greet' })).text).toContain('Hello from alice')
    expect(await callAs(server, bob, 'InvokeSkill', { skill_name: 'greet' })).toMatchObject({ isError: true })

    const request = { ...modernCall('BackgroundBash', { command: 'pwd; sleep 60' }), token: alice }
    const { task_id: job } = resultData((await sendRequest(server, request)).json.result)
    const read = { task_id: job, wait_for_pattern: 'alice' }
    expect((await callAs(server, alice, 'ReadBgOutput', read)).text).toContain(`${folder}/alice`)
    expect((await callAs(server, bob, 'ListBgTasks', {})).text).not.toContain('sleep 60')
    expect((await callAs(server, alice, 'KillBgTask', { task_id: job })).isError).toBe(false)

    await callAs(server, alice, 'PlanMode', { action: 'enter' })
    expect(await bashAs(server, alice, 'echo x > planned 2>&1; ls')).toMatch(/Read-only file system/)
    expect(await bashAs(server, bob, 'echo x > free; ls')).toContain('free')
    expect(existsSync(join(folder, 'alice', '.scorpiox'))).toBe(true)
    expect(existsSync(join(folder, '.scorpiox'))).toBe(false)
  })

  test('lists of skills are those of the caller, at every revision', async () => {
    const { server } = served
    const session = async (token: string) => {
      const headers = { 'mcp-session-id': await initialize(server, '2025-06-18', { token }) }
      const { json } = await sendRequest(server, { headers, token, body: rpc('prompts/list') })
      return json.result.prompts.map(({ name }: { name: string }) => name)
    }
    expect(await session(alice)).toContain('greet')
    expect(await session(bob)).not.toContain('greet')
    expect(MODERN).toBe('2026-07-28')
  })
})

describe('names', requires(SANDBOX), () => {
  const NAMES = [
    '..',
    '.',
    'a/../b',
    '/etc',
    'a\\b',
    '-rf',
    '.hidden',
    'Ünïcødé 사용자',
    'A',
    'a',
    'x'.repeat(200),
    '😀'.repeat(50),
  ]

  test('every name has a directory of its own inside the folder', async () => {
    const issuer = await startIssuer()
    const { server, folder } = await startWorkspaceServer(issuer.settings)
    const tokens = await Promise.all(NAMES.map((name) => issuer.tokenFor(name)))
    const written = await Promise.all(
      tokens.map((token, index) => bashAs(server, token, `echo ${index} > number; echo ok`)),
    )
    expect(written).toEqual(NAMES.map(() => 'ok\n'))
    const directories = readdirSync(folder)
    expect(directories).toHaveLength(NAMES.length)
    for (const [index, token] of tokens.entries()) expect(await bashAs(server, token, 'cat number')).toBe(`${index}\n`)
    for (const name of directories) expect(name).toMatch(/^[\d_a-z+@][\d+.@_a-z~-]{0,254}$/)
    expect(existsSync(join(folder, '..', 'number'))).toBe(false)
    await server.stop()
    issuer.close()
    rmSync(folder, { recursive: true })
  }, 60_000)

  test('a link in place of a directory is refused with a sentence', async () => {
    const { server, folder, env } = await startWorkspaceServer()
    const victim = newWorkspaceFolder()
    symlinkSync(victim, join(folder, 'eve'))
    const { status, text } = await sendRequest(server, {
      ...modernCall('Bash', { command: 'echo x > x' }),
      token: tokenFor('eve', env),
    })
    expect({ status, text }).toMatchObject({
      status: 503,
      text: expect.stringContaining('is not a directory, or is a link'),
    })
    expect(readdirSync(victim)).toEqual([])
    await server.stop()
    rmSync(folder, { recursive: true })
  })
})

describe('tenants', requires(SANDBOX), () => {
  test('the users of a tenant share a directory, and each has jobs and tasks of its own', async () => {
    const issuer = await startIssuer()
    const folder = newWorkspaceFolder()
    const settings = { ...issuer.settings, WORKSPACE_ROOT: `${folder}/{tenant}`, WORKSPACE_TENANT_CLAIM: 'org' }
    const { server, env } = await startWorkspaceServer(settings, folder)
    const [ann, ben, eve] = await Promise.all([
      issuer.tokenFor('ann', { org: 'acme' }),
      issuer.tokenFor('ben', { org: 'acme' }),
      issuer.tokenFor('eve', { org: '../acme' }),
    ])
    await bashAs(server, ann, 'echo shared > file')
    expect(await bashAs(server, ben, 'cat file')).toBe('shared\n')
    expect(await bashAs(server, eve, `ls -A; ls ${folder}/acme 2>&1`)).toMatch(/No such file/)
    await callAs(server, ann, 'TaskManager', { action: 'create', query: '', text: 'a task of ann' })
    expect((await callAs(server, ben, 'TaskManager', { action: 'list', query: '' })).text).not.toContain(
      'a task of ann',
    )

    const call = modernCall('Bash', { command: 'true' })
    const nameless = await issuer.tokenFor('zoe')
    const listed = await issuer.tokenFor('zoe', { org: ['acme'] })
    for (const token of [nameless, listed, tokenFor('zoe', env)]) {
      const { status, text } = await sendRequest(server, { ...call, token })
      expect({ status, text }).toMatchObject({ status: 403, text: expect.stringContaining('names the tenant') })
    }
    expect(readdirSync(folder).toSorted()).toEqual(['+2e.+2facme', 'acme'])

    const id = await initialize(server, '2025-06-18', { token: ann })
    const other = await issuer.tokenFor('ann', { org: 'other' })
    const moved = { headers: { 'mcp-session-id': id }, token: other, body: rpc('tools/list') }
    expect((await sendRequest(server, moved)).status).toBe(404)
    await server.stop()
    issuer.close()
    rmSync(folder, { recursive: true })
  }, 60_000)
})

describe('the start is refused', () => {
  const failure = async (env: NodeJS.ProcessEnv, flags: readonly string[] = []): Promise<string> => {
    const folder = newWorkspaceFolder()
    try {
      const { server } = await startWorkspaceServer({ WORKSPACE_ROOT: `${folder}/{user}`, ...env }, folder, flags)
      await server.stop()
      return 'started'
    } catch (error) {
      return String(error)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  test.each([
    ['a path without a name', { WORKSPACE_ROOT: '/srv/work' }, 'must be an absolute path that ends in'],
    ['a relative path', { WORKSPACE_ROOT: 'work/{user}' }, 'must be an absolute path that ends in'],
    ['a name in the middle', { WORKSPACE_ROOT: '/srv/{tenant}/{user}' }, 'must be an absolute path that ends in'],
    ['the root directory', { WORKSPACE_ROOT: '/{user}' }, 'must be an absolute path that ends in'],
    ['a tenant without OAuth', { WORKSPACE_ROOT: '/srv/{tenant}' }, 'set OAUTH_ISSUER, or use {user}'],
    ['no sandbox by setting', { SANDBOX: 'off' }, 'separates users with the sandbox'],
    ['no bubblewrap', { PATH: '/nonexistent' }, 'separates users with the sandbox'],
  ])('%s', async (_, env, sentence) => {
    expect(await failure(env)).toContain(sentence)
  })

  test('--no-sandbox', async () => {
    expect(await failure({}, ['--no-sandbox'])).toContain('remove --no-sandbox')
  })
})
