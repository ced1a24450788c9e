// Permission rules as a client and the person at the terminal meet them: what is denied, what is asked and by whom it is
// answered, and that a project cannot allow anything.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { call, type Json, PROGRAM, type ServerEnvironment, startServer, type TestClient } from '../support/client.js'
import { newMachine, newProject, sendCommand, startUi, watchConsole } from '../support/console-client.js'
import { ANSWER_DELAY_MS, FORMS, legacyIn, questionEnvironment } from '../questions/support.js'

interface Rules {
  readonly deny?: readonly string[]
  readonly ask?: readonly string[]
  readonly allow?: readonly string[]
}

function writeRules(path: string, permissions: Rules): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, JSON.stringify({ permissions }))
}

function environmentWith(rules: Rules, env: NodeJS.ProcessEnv = {}): ServerEnvironment {
  const environment = questionEnvironment({ ASK_WAIT: '30', ...env })
  writeRules(join(environment.env.STATE_DIR ?? '', 'permissions.json'), rules)
  return environment
}

const isForm = ({ method, id }: Json): boolean => method === 'elicitation/create' && id !== undefined

/** Calls Bash; the client answers its form with this choice. */
async function bashWithChoice(client: TestClient, command: string, choice: string, tool = 'Bash') {
  const before = new Set(client.received.filter(isForm))
  const result = call(client, tool, { command })
  const form = await client.waitFor((message) => isForm(message) && !before.has(message))
  await sleep(ANSWER_DELAY_MS.accept)
  client.send({ jsonrpc: '2.0', id: form.id, result: { action: 'accept', content: { question_1: choice } } })
  return { form, result: await result }
}

describe('as a client', () => {
  test('a denied command is not started, and the answer names the rule and its file', async () => {
    const environment = environmentWith({ deny: ['Bash(touch *)'] })
    const client = await legacyIn(environment)
    for (const name of ['Bash', 'BackgroundBash']) {
      const { isError, text } = await call(client, name, { command: 'echo a; bash -c "touch made"' })
      expect({ isError, text }).toEqual({
        isError: true,
        text: expect.stringMatching(
          /^The command was not started: Bash\(touch \*\) denies `touch made` \(.*permissions\.json\)\. Do not do the same in another way/,
        ),
      })
    }
    expect((await call(client, 'Bash', { command: 'echo ok; ls' })).text).toBe('ok\n')
  })

  test('a command that no rule allows is asked: once, for good in this project, or not', async () => {
    const environment = environmentWith({ allow: ['Bash(echo *)'] })
    const client = await legacyIn(environment)
    expect((await call(client, 'Bash', { command: 'echo a && echo b' })).text).toBe('a\nb\n')
    const once = await bashWithChoice(client, 'printf once', 'Run it once')
    expect(once.form.params.message).toContain('printf once')
    expect(once.form.params.message).toContain('no rule allows `printf once`')
    expect(once.result.text).toBe('once\n')
    const rejected = await bashWithChoice(client, 'printf once', 'Do not run it')
    expect([rejected.result.isError, rejected.result.text]).toEqual([
      true,
      'The command was not started: the user rejected it.\n',
    ])
    expect((await bashWithChoice(client, 'printf x', 'Always in this project')).result.text).toBe('x\n')
    expect((await call(client, 'Bash', { command: 'printf x' })).text).toBe('x\n')
    // Another server of the same user and project knows it too.
    expect((await call(await legacyIn(environment), 'Bash', { command: 'printf x' })).text).toBe('x\n')
  })

  test('rules are for bash: what another shell would run is asked', async () => {
    const environment = environmentWith({ deny: ['Bash(rm *)'] })
    const shells = mkdtempSync(join(tmpdir(), 'shells-'))
    writeFileSync(join(shells, 'pwsh'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    const env = { ...process.env, ...environment.env, SHELL_PATH: join(shells, 'pwsh') }
    const check = (command: string) =>
      spawnSync(process.execPath, [PROGRAM, 'policy', 'check', command], {
        cwd: environment.cwd,
        env,
        encoding: 'utf8',
      })
    expect(check('ls').stdout).toMatch(/^ask: .*pwsh runs it, and rules are only evaluated for bash/)
    expect(check('rm x').stdout).toMatch(/^deny: /)
    rmSync(shells, { recursive: true })
  })

  test('words of the user are not an approval, and reach the model', async () => {
    const client = await legacyIn(environmentWith({ ask: ['Bash(printf *)'] }))
    const result = call(client, 'Bash', { command: 'printf x' })
    const form = await client.waitFor(isForm)
    await sleep(ANSWER_DELAY_MS.accept)
    const content = { question_other: 'use echo instead' }
    client.send({ jsonrpc: '2.0', id: form.id, result: { action: 'accept', content } })
    expect((await result).text).toBe(
      'The command was not started: the user rejected it. The user says: use echo instead\n',
    )
  })

  test('the model cannot answer the question about its own command while a person is asked', async () => {
    const machine = newMachine()
    writeRules(join(machine.stateDir, 'permissions.json'), { ask: ['Bash(touch *)'] })
    const project = newProject(machine, 'one')
    const client = startServer({ cwd: project, env: { HOME: machine.home } })
    const ui = await startUi(machine)
    const console = await watchConsole(ui)
    try {
      await client.initialize('2025-06-18')
      await console.until(({ servers }) => servers.length === 1)
      const command = call(client, 'Bash', { command: 'touch made' })
      const { questions } = await console.until((view) => view.questions.length === 1)
      const id = questions[0]?.id
      for (const answer of ['Run it once', 'Always in this project']) {
        const answered = await call(client, 'AskUserQuestion', { questions_json: { id, answers: [answer] } })
        expect([answered.isError, answered.text]).toEqual([true, expect.stringMatching(/^Question 1 is an approval: /)])
      }
      expect(console.view().questions).toHaveLength(1)
      expect(existsSync(join(project, 'made'))).toBe(false)
      const replies = [{ outcome: 'answered', selected: ['Run it once'] }]
      expect((await sendCommand(ui, 'answer', { project, id, replies })).status).toBe(204)
      expect((await command).isError).toBe(false)
      expect(existsSync(join(project, 'made'))).toBe(true)
    } finally {
      console.leave()
      await ui.stop()
      await client.close()
    }
  })

  test('if the user cannot be asked, the command is not started', async () => {
    const environment = environmentWith({ allow: ['Bash(echo *)'] }, { ASK_WAIT: '1' })
    const client = await legacyIn(environment, '2025-11-25', {})
    const { isError, text } = await call(client, 'Bash', { command: 'printf x' })
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringMatching(
        /^The command was not started: it needs the user's approval, because no rule allows `printf x`\. The client does not support forms\..* Question 1 waits/,
      ),
    })
    // The model cannot answer for the user.
    await call(client, 'AskUserQuestion', { questions_json: JSON.stringify({ id: 1, answers: ['Run it once'] }) })
    expect(await call(client, 'Bash', { command: 'printf x' })).toMatchObject({ isError: true })
  })

  test('rules that cannot be read stop every command until they are repaired', async () => {
    const environment = environmentWith({}, { ASK_WAIT: '1' })
    const path = join(environment.env.STATE_DIR ?? '', 'permissions.json')
    const client = await legacyIn(environment, '2025-11-25', {})
    writeFileSync(path, '{"permissions": {"deny": "Bash(rm *)"}}')
    expect((await call(client, 'Bash', { command: 'echo x' })).text).toContain(
      `the rules in ${path} cannot be read (permissions.deny must be a list of strings)`,
    )
    writeFileSync(path, '{}')
    expect((await call(client, 'Bash', { command: 'echo x' })).text).toBe('x\n')
  })
})

describe('rules of a project', () => {
  test('restrict, but do not allow', async () => {
    const environment = environmentWith({ ask: ['Bash(printf *)'] }, { ASK_WAIT: '1' })
    writeRules(join(environment.cwd, '.scorpiox/permissions.json'), { deny: ['Bash(touch *)'], allow: ['Bash'] })
    const client = await legacyIn(environment, '2025-11-25', {})
    expect((await call(client, 'Bash', { command: 'touch x' })).text).toContain('denies `touch x`')
    expect((await call(client, 'Bash', { command: 'printf x' })).text).toContain("needs the user's approval")
  })

  test('the settings of Claude Code are read if PERMISSIONS_FROM says so', async () => {
    const environment = questionEnvironment({ ASK_WAIT: '1', PERMISSIONS_FROM: 'claude' })
    const home = environment.env.HOME ?? ''
    writeRules(join(home, '.claude/settings.json'), { deny: ['Bash(touch:*)', 'Read(./x)'] })
    writeRules(join(environment.cwd, '.claude/settings.local.json'), { deny: ['Bash(printf *)'], allow: ['Bash'] })
    const client = await legacyIn(environment, '2025-11-25', {})
    expect((await call(client, 'Bash', { command: 'touch x' })).text).toContain('Bash(touch:*) denies `touch x`')
    expect((await call(client, 'Bash', { command: 'printf x' })).text).toContain('denies `printf x`')
    const own = startServer({ cwd: environment.cwd, env: { ...environment.env, PERMISSIONS_FROM: 'own' } })
    await own.initialize('2025-11-25', FORMS)
    expect((await call(own, 'Bash', { command: 'printf x' })).text).toBe('x\n')
  })
})

describe('policy', () => {
  const environment = environmentWith({ deny: ['Bash(rm *)', 'Bash(a | b)'], allow: ['Bash(npm run *)'] })
  const policy = (...args: readonly string[]) => {
    const options = { cwd: environment.cwd, env: environment.env, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'policy', ...args], options)
    return { status, stdout, stderr }
  }

  test('check explains the decision and runs nothing', () => {
    const denied = policy('check', 'npm run build && rm -rf dist')
    expect([denied.status, denied.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^deny: Bash\(rm \*\) denies `rm -rf dist`\n {2}allow +npm run build +Bash\(npm run \*\) in .*\n {2}deny +rm -rf dist +Bash\(rm \*\) in .*\n$/,
      ),
    ])
    expect([policy('check', 'npm run x').status, policy('check', 'ls').status, policy('check', '$X').status]).toEqual([
      0, 3, 3,
    ])
    expect(JSON.parse(policy('check', 'ls', '--json').stdout)).toMatchObject({
      decision: 'ask',
      commands: [{ command: 'ls', decision: 'ask' }],
    })
  })

  test('list shows the rules, those that are ignored, and the files', () => {
    expect(policy('list').stdout).toMatch(
      /^deny +Bash\(rm \*\) +\S+\nallow +Bash\(npm run \*\) +\S+\n! .*has an operator.*\nRules are read from:\n/,
    )
  })

  test('a wrong use is explained', () => {
    const { status, stderr } = policy('test', 'x')
    expect([status, stderr]).toEqual([2, expect.stringContaining("policy needs one of: check '<command>', list")])
  })

  test('without rules every command runs', () => {
    const { cwd, env } = questionEnvironment()
    expect(execFileSync(process.execPath, [PROGRAM, 'policy', 'list'], { cwd, env, encoding: 'utf8' })).toMatch(
      /^No rules: every command is allowed\.\n/,
    )
  })
})
