// Commands ask for passwords: the user enters them on the console, the program gets them, and nothing else has them.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, describe, expect, test } from 'vitest'

import { callback, callbacksDeliveredTo, fired } from '../callbacks/support.js'
import {
  call,
  emptyFolder,
  killServer,
  readJob,
  startJob,
  startServer,
  type TestClient,
  waitForExit,
} from '../support/client.js'
import { sendCommand, watchConsole } from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { modernCall, sendRequest, startProgram, tokenFor } from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { closing, findFilesWith, LINUX, openSetup } from './support.js'

afterAll(() => Promise.all(closing.map((close) => close())))

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
    // Nor what is recorded of calls, also if an argument contains it.
    await call(client, 'Bash', { command: `: ${value}` })
    const history = join(machine.stateDir, 'history.db')
    await eventually(() => existsSync(history) && findFilesWith(['[secret]'], machine.stateDir).length > 0)
    expect(findFilesWith([value], machine.stateDir)).toEqual([])
  })

  test('without a console the program gets a refusal at once', async () => {
    const client = startServer()
    closing.push(() => client.close())
    await client.initialize('2025-11-25')
    const { text, isError } = await call(client, 'Bash', { command: '"$SUDO_ASKPASS" Password: ; echo "code $?"' })
    expect(text).toContain('Could not ask for the password: neither the console page')
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
    expect(text).toContain('Could not ask for the password')
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

  test('print it in a line that a callback matches: the message has the line without it', async () => {
    const { client, next, answer, machine } = await openSetup()
    const value = 'called-back-5'
    const task_id = await startJob(client, 'p=$("$SUDO_ASKPASS" P:); echo "token: $p"; sleep 600')
    const question = await next()
    await callback(client, { message: 'it is there', task_id, pattern: String.raw`^token: \[secret\]$` })
    await callback(client, { message: 'it is shown', task_id, pattern: '^token: \\w' })
    await answer(question, value)
    await fired(client, 'it is there')
    await call(client, 'KillBgTask', { task_id })
    await fired(client, 'it is shown')
    const delivered = await callbacksDeliveredTo(client)
    // In the messages of callbacks, quoted brackets are round.
    expect(delivered).toContain(`job ${task_id} printed "token: (secret)"] it is there`)
    expect(delivered).toMatch(/and no further line matched\] it is shown/)
    expect(JSON.stringify(client.received)).not.toContain(value)
    expect(findFilesWith([value], machine.stateDir)).toEqual([])
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
    expect(text).toContain('JOBS_OUTLIVE_SERVER is on, so the output of commands is recorded without the server')
  })

  test.each([
    ['closed', (server: TestClient) => server.close()],
    ['killed', killServer],
  ])('that outlive a server that is %s are refused with the same sentence', async (_, end) => {
    const options = { cwd: emptyFolder(), env: { HOME: emptyFolder(), JOBS_OUTLIVE_SERVER: '1' } }
    const first = startServer(options)
    const id = await startJob(first, 'until [ -e go ]; do sleep 0.05; done; "$SUDO_ASKPASS" P:; echo "code $?"')
    await end(first)
    const second = startServer(options)
    closing.push(() => second.close())
    // It has cleaned up after the first one.
    await call(second, 'Bash', { command: 'touch go' })
    const { text } = await readJob(second, id, { wait_for_end: true })
    expect(text).toMatch(/^Could not ask for the password: JOBS_OUTLIVE_SERVER .+\ncode 1\n/)
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

describe.concurrent('in a sandbox', requires(SANDBOX), () => {
  test.each(['read-only', 'workspace', 'strict'])(
    'at level %s commands can ask, or are told that they cannot',
    async (level) => {
      const { client, next, answer } = await openSetup({ SANDBOX: level })
      const result = call(client, 'Bash', { command: `"$SUDO_ASKPASS" P: | ${SHOW_ROTATED}` })
      const outcome = await Promise.race([result, next()])
      // There is no network at this level.
      if (level === 'strict' && 'text' in outcome)
        return expect(outcome.text).toContain('Could not ask for the password: the sandbox of this')
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
