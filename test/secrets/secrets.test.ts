// Commands ask for passwords: the user enters them on the console, the program gets them, and nothing else has them.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { afterAll, describe, expect, test } from 'vitest'

import { needs, openTerminalJob } from '../shell/terminal-job.js'
import { call, emptyFolder, readJob, startJob, startServer, waitForExit } from '../support/client.js'
import { sendCommand, watchConsole } from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { modernCall, sendRequest, startProgram, tokenFor } from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { closing, findFilesWith, openSetup } from './support.js'

afterAll(() => Promise.all(closing.map((close) => close())))

const LINUX = requires({ isMet: process.platform === 'linux', reason: 'commands can ask for passwords on Linux only' })

/** Prints what it got with other letters, so that the output shows whether it arrived. */
const SHOW_ROTATED = `tr 'a-z' 'n-za-m'`

describe.concurrent('commands', LINUX, () => {
  test('get what the user enters, and its output shows nothing of it', async () => {
    const { client, next, answer, machine, watched, project } = await openSetup()
    const value = 'correct-horse-7'
    const command = `p=$("$SUDO_ASKPASS" 'Password for me:'); echo "$p" | ${SHOW_ROTATED}; echo "it is $p"; printf %s "$p" > got`
    const result = call(client, 'Bash', { command })
    const question = await next()
    expect(question).toMatchObject({ project, command, prompt: 'Password for me:', isSecret: true })
    expect(await answer(question, value)).toEqual({ status: 204, error: '' })
    const { text } = await result
    expect(text).toContain('pbeerpg-ubefr-7\nit is [secret]\n')
    expect(text).not.toContain(value)
    expect(readFileSync(join(project, 'got'), 'utf8')).toBe(value)
    await watched.until(({ secrets }) => secrets.length === 0)
    // Other commands of the user, too, in any form that programs print.
    const later = await call(client, 'Bash', { command: 'cat got; echo; cat got got' })
    expect(later.text).toContain('[secret]\n[secret][secret]')
    expect(findFilesWith([value], machine.stateDir)).toEqual([])
  })

  test('without a console the program gets a refusal at once', async () => {
    const client = startServer()
    closing.push(() => client.close())
    await client.initialize('2025-11-25')
    const { text, isError } = await call(client, 'Bash', { command: '"$SUDO_ASKPASS" Password: ; echo "code $?"' })
    expect(text).toContain('No one can be asked for the password: neither the console page')
    expect(text).toContain('code 1')
    expect(isError).toBe(false)
  })

  test('are told that the user refused, and the next question of the same program is not asked', async () => {
    const { client, next, answer, watched } = await openSetup()
    const result = call(client, 'Bash', {
      command: 'for i in 1 2 3; do "$SUDO_ASKPASS" Password: || echo "code $?"; done',
    })
    await answer(await next(), null)
    const { text } = await result
    expect(text.match(/The user refused to enter the password\.\ncode 1/g)).toHaveLength(3)
    expect(watched.view().secrets).toEqual([])
  })

  test('that end withdraw their question', async () => {
    const { client, next, answer, watched } = await openSetup()
    const id = await startJob(client, '"$SUDO_ASKPASS" Password:')
    const question = await next()
    await call(client, 'KillBgTask', { task_id: id })
    await watched.until(({ secrets }) => secrets.length === 0)
    expect(await answer(question, 'too-late')).toEqual({
      status: 409,
      error: expect.stringContaining('no longer open'),
    })
  })

  test('have one question at a time', async () => {
    const { client, next, answer, project } = await openSetup()
    const command =
      '"$SUDO_ASKPASS" One: > /dev/null & until [ -e asked ]; do sleep 0.1; done; "$SUDO_ASKPASS" Two:; touch refused; wait'
    const result = call(client, 'Bash', { command })
    const question = await next()
    expect(question.prompt).toBe('One:')
    writeFileSync(join(project, 'asked'), '')
    await eventually(() => existsSync(join(project, 'refused')))
    await answer(question, 'first-one')
    expect((await result).text).toContain('another question of this command is still open')
  })

  test('are asked again only for a while when the console is closed', async () => {
    const { client, next, watched } = await openSetup()
    const result = call(client, 'Bash', { command: '"$SUDO_ASKPASS" Password:; echo "code $?"' })
    await next()
    watched.leave()
    const { text } = await result
    expect(text).toContain('No one can be asked for the password')
    expect(text).toContain('code 1')
  })

  test('show their prompt without control characters, and cut', async () => {
    const { client, next, answer } = await openSetup()
    const command = `"$SUDO_ASKPASS" "$(printf 'Pass\\033[2Jword\\007 %0600d' 1)"`
    const result = call(client, 'Bash', { command })
    const question = await next()
    expect(question.prompt).toMatch(/^Pass\u{FFFD}\[2Jword\u{FFFD} 0+…$/u)
    await answer(question, null)
    await result
  })

  test('cannot ask with a wrong key, nor with that of a command that has ended', async () => {
    const { client, next, answer } = await openSetup()
    const first = call(client, 'Bash', { command: 'echo $SCORPIOX_ASKPASS_KEY > key; "$SUDO_ASKPASS" P: > /dev/null' })
    await answer(await next(), 'whatever')
    await first
    const command = 'for key in "" x "$(cat key)"; do SCORPIOX_ASKPASS_KEY=$key "$SUDO_ASKPASS" P:; done'
    const { text } = await call(client, 'Bash', { command })
    expect(text.match(/it is not known which command asks/g)).toHaveLength(3)
  })

  test('print a secret byte by byte, and it is redacted in results, job output and files', async () => {
    const { client, next, answer, machine, watched, ui } = await openSetup()
    const value = 'slow-Secret-42'
    const command = `p=$("$SUDO_ASKPASS" P:); for ((i = 0; i < \${#p}; i++)); do printf %s "\${p:i:1}"; sleep 0.01; done; echo; sleep 1; echo end $p; seq 30000`
    const id = await startJob(client, command)
    await answer(await next(), value)
    const { text } = await readJob(client, id, { wait_for_end: true, wait_ms: 60_000 })
    expect(text).toContain('[secret]\n')
    expect(text).toContain('end [secret]')
    const resource = await client.request('resources/read', { uri: `scorpiox://jobs/${id}` })
    const [job] = (await watched.until(({ jobs }) => jobs.some((each) => !each.isRunning))).jobs
    const whole = await sendCommand(ui, 'download', { server: job!.server, id })
    for (const shown of [text, JSON.stringify(resource), JSON.stringify(watched.view()), whole.text])
      expect(shown).not.toContain(value)
    expect(whole.text).toContain('end [secret]')
    expect(findFilesWith([value], machine.stateDir)).toEqual([])
  })

  test('print it in an address or as JSON', async () => {
    const { client, next, answer } = await openSetup()
    const value = 'p@ss "word"/1'
    const result = call(client, 'Bash', {
      command: `p=$("$SUDO_ASKPASS" P:); P="$p" '${process.execPath}' -p 'encodeURIComponent(process.env.P) + JSON.stringify(process.env.P)'`,
    })
    await answer(await next(), value)
    expect((await result).text).toContain('[secret]"[secret]"')
  })

  test('of other users are neither seen nor answered', async () => {
    const env = { HOME: emptyFolder(), SANDBOX: 'off' }
    const server = await startProgram({ env })
    closing.push(() => server.stop())
    const [alice, bob] = [tokenFor('alice', env), tokenFor('bob', env)]
    const [ofAlice, ofBob] = [await watchConsole(server, alice), await watchConsole(server, bob)]
    const result = sendRequest(server, {
      ...modernCall('Bash', { command: '"$SUDO_ASKPASS" P: | wc -c' }),
      token: alice,
    })
    const [question] = (await ofAlice.until(({ secrets }) => secrets.length === 1)).secrets
    const body = { server: question!.server, id: question!.id, value: 'of-bob' }
    expect((await sendCommand(server, 'secret', body, bob)).status).toBe(409)
    expect(ofBob.view().secrets).toEqual([])
    expect((await sendCommand(server, 'secret', { ...body, value: 'of-alice' }, alice)).status).toBe(204)
    expect((await result).text).toContain('9')
    expect(server.stderr()).not.toContain('of-alice')
    // What Alice entered is a secret in her output only.
    const echoed = await sendRequest(server, { ...modernCall('Bash', { command: 'echo of-alice' }), token: bob })
    expect(echoed.text).toContain('of-alice')
    ofAlice.leave()
    ofBob.leave()
  })

  test('that outlive the server cannot ask', async () => {
    const { client } = await openSetup({ JOBS_OUTLIVE_SERVER: '1' })
    const { text } = await call(client, 'Bash', { command: '"$SUDO_ASKPASS" P:' })
    expect(text).toContain('with JOBS_OUTLIVE_SERVER the output of commands is recorded without the server')
  })

  test('that never ask leave no socket, and those that did leave nothing when the server ends', async () => {
    const client = startServer()
    await client.initialize('2025-11-25')
    const { text } = await call(client, 'Bash', { command: 'dirname "$SUDO_ASKPASS"; ls "$(dirname "$SUDO_ASKPASS")"' })
    const [folder = '', ...names] = text.split('\n')
    expect(names.slice(0, 2)).toEqual(['askpass', ''])
    await client.close()
    await eventually(() => !existsSync(folder))
  })
})

describe.concurrent('programs', LINUX, () => {
  test('git asks for name and password of an HTTP server', needs('git'), async () => {
    const { client, next, answer, project } = await openSetup()
    const asked: string[] = []
    const server = createServer((request, response) => {
      const { authorization = '' } = request.headers
      asked.push(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString())
      response.writeHead(authorization === '' ? 401 : 404, { 'www-authenticate': 'Basic realm="test"' }).end()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    closing.push(async () => void server.close())
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const result = call(client, 'Bash', {
      command: `GIT_TRACE_CURL=1 GIT_TRACE_REDACT=0 git clone http://127.0.0.1:${port}/repo.git`,
    })
    const name = await next()
    expect(name).toMatchObject({ prompt: `Username for 'http://127.0.0.1:${port}':`, isSecret: false, project })
    await answer(name, 'octocat')
    const password = await next()
    expect(password).toMatchObject({ prompt: `Password for 'http://octocat@127.0.0.1:${port}':`, isSecret: true })
    await answer(password, 'git-Secret-1')
    const { text } = await result
    expect(asked).toContain('octocat:git-Secret-1')
    expect(text).toContain('not found')
    expect(text).not.toContain('git-Secret-1')
  })

  test('sudo -A', needs('sudo'), async () => {
    const { client, next, answer } = await openSetup()
    const result = call(client, 'Bash', { command: 'sudo -k; sudo -A -p "sudo password:" true; echo "code $?"' })
    // Root is not asked.
    const first = await Promise.race([result.then(() => undefined), next()])
    if (first) await answer(first, null)
    expect((await result).text).toContain('code ')
  })

  test('ssh-keygen asks for the passphrase of a key', needs('ssh', 'ssh-keygen'), async () => {
    const { client, next, answer } = await openSetup()
    const result = call(client, 'Bash', {
      command: 'ssh-keygen -q -t ed25519 -N passphrase-9 -f key && ssh-keygen -y -f key && echo decrypted',
    })
    const question = await next()
    expect(question.prompt).toContain('passphrase')
    await answer(question, 'passphrase-9')
    expect((await result).text).toContain('decrypted')
  })

  test('on a terminal the user is asked; without a console, the terminal prompts', needs('script'), async () => {
    const { client, next, answer, watched } = await openSetup()
    const command = 'for i in 1 2; do p=$("$SSH_ASKPASS" "Password $i: "); echo "${#p} characters"; done'
    const job = await openTerminalJob(client, command)
    await answer(await next(), 'on-a-terminal')
    await job.waitFor('13 characters')
    await next()
    watched.leave()
    await job.waitFor('Password 2:')
    expect((await job.type({ input: 'typed\n' })).text).toContain('5 characters')
    const { text } = await job.end()
    expect(text).not.toContain('on-a-terminal')
  })
})

describe.concurrent('in a sandbox', requires(SANDBOX), () => {
  test.each(['read-only', 'workspace', 'strict'])(
    'at level %s commands can ask, or are told that they cannot',
    async (level) => {
      const { client, next, answer } = await openSetup({ SANDBOX: level })
      const result = call(client, 'Bash', { command: `"$SUDO_ASKPASS" P: | ${SHOW_ROTATED}` })
      const outcome = await Promise.race([result, next()])
      // There is no network at this level.
      if (level === 'strict' && 'text' in outcome)
        return expect(outcome.text).toContain('No one can be asked for the password: the sandbox of this')
      if ('text' in outcome) throw new Error(outcome.text)
      await answer(outcome, 'sandboxed')
      expect((await result).text).toContain('fnaqobkrq')
    },
  )

  test('in plan mode, too; and they cannot change the program that asks', async () => {
    const { client, next, answer } = await openSetup()
    await call(client, 'PlanMode', { action: 'enter', goal: 'Look' })
    const result = call(client, 'Bash', {
      command: `echo x >> "$SUDO_ASKPASS" || echo kept; rm -f "\${SUDO_ASKPASS%/*}/socket"; "$SUDO_ASKPASS" P: | ${SHOW_ROTATED}`,
    })
    await answer(await next(), 'planning')
    const { text } = await result
    expect(text).toContain('kept')
    expect(text).toContain('cynaavat')
  })
})

test('an executable that the user has set is kept', LINUX, async () => {
  const folder = emptyFolder()
  const own = join(folder, 'own')
  writeFileSync(own, '#!/bin/sh\necho mine\n')
  chmodSync(own, 0o700)
  const client = startServer({ env: { SUDO_ASKPASS: own, GIT_ASKPASS: own, SSH_ASKPASS: own } })
  await client.initialize('2025-11-25')
  const { text } = await call(client, 'Bash', {
    command: 'echo "$SUDO_ASKPASS $GIT_ASKPASS"; [ "$SSH_ASKPASS" = "$SUDO_ASKPASS" ] || echo ours',
  })
  expect(text).toContain(`${own} ${own}\nours`)
  await client.close()
  await waitForExit(client.child.pid ?? 0)
})
