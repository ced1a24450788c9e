// Many secrets are entered for commands that print them: afterwards none is found in anything that was stored, logged,
// answered or sent to the page. And through the inbox, on a real terminal.

import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'

import { afterAll, describe, expect, test } from 'vitest'

import { call, readJob, startJob } from '../support/client.js'
import { sendCommand } from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { requires } from '../support/requirements.js'
import { ENTER, ESC, HAS_TERMINALS, newInboxHome, type Terminal, UP } from '../support/terminal.js'
import { closing, findFilesWith, LINUX, openSetup } from './support.js'

afterAll(() => Promise.all(closing.map((close) => close())))

/** Prints it whole, in two pieces and byte by byte, on both streams, between much output. */
const PRINT_IT = [
  'p=$("$SUDO_ASKPASS" Password:)',
  'echo "whole $p"',
  'printf "%s" "${p:0:5}"; sleep 0.02; echo "${p:5}" >&2',
  'for ((i = 0; i < ${#p}; i++)); do printf "%s" "${p:i:1}"; done; echo',
  'echo "https://me:$p@example.com {\\"password\\":\\"$p\\"}"',
].join('; ')

async function enterMany(count: number): Promise<void> {
  const setup = await openSetup({ LOG_LEVEL: 'debug' })
  const { client, next, answer, machine, watched, ui } = setup
  const values: string[] = []
  const shown: string[] = []
  for (let n = 0; n < count; n++) {
    const value = `${randomBytes(6).toString('base64url')}-${'한é!"%/'.slice(0, n % 7)}x`
    const isJob = n % 2 === 0
    const job = isJob ? await startJob(client, `${PRINT_IT}; seq 3000`) : undefined
    const result = isJob
      ? undefined
      : call(client, 'Bash', { command: n % 3 === 0 ? `${PRINT_IT}; seq 30000` : PRINT_IT })
    values.push(value)
    expect((await answer(await next(), value)).status).toBe(204)
    const { text } = await (result ?? readJob(client, job ?? 0, { wait_for_end: true, wait_ms: 60_000 }))
    expect(text).toContain('whole [secret]')
    shown.push(text)
  }
  for (const { server, id } of watched.view().jobs.slice(0, 20))
    shown.push((await sendCommand(ui, 'download', { server, id })).text)
  const everything = [
    ...shown,
    JSON.stringify(client.received),
    client.stderr(),
    ui.stderr(),
    JSON.stringify(watched.view()),
  ]
  const found = values.filter((value) => everything.some((text) => text.includes(value)))
  expect(found).toEqual([])
  expect(findFilesWith(values, machine.home, machine.stateDir)).toEqual([])
  // The search finds what is there.
  expect(findFilesWith(['whole [secret]'], machine.stateDir)).not.toEqual([])
}

describe('after secrets were entered, none is found anywhere', LINUX, () => {
  test('5 of them', () => enterMany(5))
  test('200 of them', { tags: ['long'], timeout: 600_000 }, () => enterMany(200))
})

test(
  'in the inbox it is entered into a masked field, or refused',
  requires({
    isMet: HAS_TERMINALS && process.platform === 'linux',
    reason: 'no pseudo-terminals for tests here',
  }),
  async () => {
    const home = newInboxHome()
    const client = home.server()
    closing.push(() => client.close())
    await client.initialize('2025-11-25')
    const terminal = await home.inbox()
    await terminal.waitForText('1 server')
    const command = 'p=$("$SUDO_ASKPASS" "Password of Ann:"); echo "${#p} characters $?"'
    const result = call(client, 'Bash', { command })
    await selectQuestion(terminal)
    terminal.type(ENTER)
    await terminal.waitForText(
      /A running command asks for a password[^]*Password of Ann:[^]*SUDO_ASKPASS[^]*Enter Enter it…/,
    )
    terminal.type(ENTER)
    await terminal.waitForText(/Password of Ann:\n>/)
    terminal.type('inbox-Secret-3', ENTER)
    await terminal.waitForText('Sent to the command.')
    expect((await result).text).toContain('14 characters 0')
    // An answered question is shown until the next update.
    await eventually(
      () => terminal.screen(),
      (text) => !text.includes('Password ·'),
    )
    const refused = call(client, 'Bash', { command })
    await selectQuestion(terminal)
    terminal.type(ENTER)
    await terminal.waitForText('d Decline')
    terminal.type('d')
    await terminal.waitForText('You declined. The command is notified.')
    expect((await refused).text).toContain('The user refused to enter the password.')
    terminal.type(ESC)
    await terminal.ended
    expect(terminal.bytes()).not.toContain('inbox-Secret-3')
    expect(findFilesWith(['inbox-Secret-3'], home.env.STATE_DIR ?? tmpdir())).toEqual([])
  },
)

/** The cursor stays on its entry when others appear above it. */
async function selectQuestion(terminal: Terminal): Promise<void> {
  await terminal.waitForText('Password · Password of Ann:')
  while (!terminal.screen().includes('▸ Password')) {
    terminal.type(UP)
    await sleep(200)
  }
}
