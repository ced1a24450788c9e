// The terminals of jobs over the console's endpoints: who may use them, what is refused, jobs that outlive their server,
// and output that is opened late, is long, or changes its size.

import headless from '@xterm/headless'
import { afterEach, describe, expect, test } from 'vitest'

import type { TerminalEvent } from '@scorpiox/console/view'
import { call, killServer, startServer, type TestClient } from '../support/client.js'
import { type Machine, newMachine, newProject, sendCommand, watchConsole } from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { type EventStream, type HttpServer, startProgram, stream, tokenFor } from '../support/http-client.js'
import { needs, openTerminalJob } from '../shell/terminal-job.js'

const { Terminal } = headless

const leftovers: (() => unknown)[] = []

afterEach(async () => {
  for (const end of leftovers.splice(0)) await end()
})

async function serve(machine: Machine, env: NodeJS.ProcessEnv = {}): Promise<TestClient> {
  const client = startServer({ cwd: newProject(machine, 'p'), env: { HOME: machine.home, ...env } })
  leftovers.push(() => client.close())
  await client.initialize('2025-06-18')
  return client
}

async function startConsole({ home }: Machine): Promise<HttpServer> {
  const server = await startProgram({ env: { HOME: home }, cwd: home })
  leftovers.push(() => server.stop())
  return server
}

async function serverOf(console: HttpServer, id: number): Promise<{ readonly server: string; readonly id: number }> {
  const watching = await watchConsole(console)
  const { jobs } = await watching.until((view) => view.jobs.some((job) => job.id === id && job.isRunning))
  watching.leave()
  return { server: jobs.findLast((job) => job.id === id)?.server ?? '', id }
}

function openTerminal(console: HttpServer, job: object): Promise<EventStream> {
  return stream(console, { path: '/board/terminal', body: JSON.stringify(job) })
}

const eventsOf = ({ events }: EventStream): readonly TerminalEvent[] => events.map(({ json }) => json)
const textOf = (opened: EventStream): string =>
  eventsOf(opened)
    .map(({ text }) => text)
    .join('')

describe('over the endpoints of the console', needs('script', 'stty'), () => {
  test('a job that outlives its server is typed into through the next one', async () => {
    const machine = newMachine()
    const env = { JOBS_OUTLIVE_SERVER: 'true', SANDBOX: 'off' }
    const first = await serve(machine, env)
    const { id } = await openTerminalJob(first, 'while read -p "> " line; do echo "got [$line]"; done')
    await killServer(first)
    const second = await serve(machine, env)
    await call(second, 'ListBgTasks', {})
    const console = await startConsole(machine)
    const job = await serverOf(console, id)
    const opened = await openTerminal(console, job)
    await eventually(() => textOf(opened).includes('> '))
    expect((await sendCommand(console, 'type', { ...job, text: 'kept\r' })).status).toBe(204)
    await eventually(() => textOf(opened).includes('got [kept]'))
    await call(second, 'KillBgTask', { task_id: id })
    await eventually(() => eventsOf(opened).at(-1)?.isLast)
  })

  test('other users, wrong bodies, jobs without a terminal and ended ones are refused', async () => {
    const machine = newMachine()
    const client = await serve(machine)
    const terminal = await openTerminalJob(client, 'cat')
    const plain = await openTerminalJob(client, 'cat', { tty: false })
    const console = await startConsole(machine)
    const job = await serverOf(console, terminal.id)
    const mallory = tokenFor('mallory', { HOME: machine.home })
    for (const verb of ['terminal', 'type', 'give-back']) {
      expect((await sendCommand(console, verb, { ...job, text: 'x' }, mallory)).status, verb).toBe(409)
      expect((await sendCommand(console, verb, { ...job, text: 'x' }, 'no-token')).status, verb).toBe(401)
      const { status, json } = await sendCommand(console, verb, { ...job, id: plain.id, text: 'x' })
      expect(status).toBe(409)
      expect(json.error).toMatch(/has no terminal/)
      expect((await sendCommand(console, verb, { id: 1 })).status).toBe(400)
    }
    expect((await sendCommand(console, 'type', job)).status).toBe(400)
    expect((await sendCommand(console, 'type', { ...job, text: 'x'.repeat(8193) })).status).toBe(400)
    expect((await terminal.read()).text).not.toContain('x')
    await terminal.kill()
    const { status, json } = await sendCommand(console, 'type', { ...job, text: 'x' })
    expect({ status, json }).toEqual({ status: 409, json: { error: 'Nothing was typed: the program has ended.' } })
  })

  test('a display that is opened late gets the modes and the end of long output, and later sizes', async () => {
    const machine = newMachine()
    const client = await serve(machine)
    const command = String.raw`printf '\033[?2004h\033[?1000h\033[?1000l'; seq 1 200000; echo complete; cat`
    const terminal = await openTerminalJob(client, command)
    await terminal.waitFor('^complete')
    const console = await startConsole(machine)
    const opened = await openTerminal(console, await serverOf(console, terminal.id))
    await eventually(() => textOf(opened).includes('complete'))
    const [first] = eventsOf(opened)
    expect(first).toMatchObject({ isReset: true, cols: 80, rows: 24, text: '\u001B[?2004h\u001B[?1000l' })
    const text = textOf(opened)
    expect(text).toContain('\n199999\r\n200000\r\ncomplete\r\n')
    expect(text.length).toBeLessThan(600_000)
    await terminal.read({ screen: '100x30' })
    await eventually(() => eventsOf(opened).at(-1)?.cols === 100)
    opened.disconnect()
    await terminal.kill()
  })

  test('a full-screen program that is opened late is shown whole, with what it drew long ago', async () => {
    const machine = newMachine()
    const client = await serve(machine)
    const header = String.raw`printf '\033[?1049h\033[?25l\033[1;1H\033[1;38;2;10;200;30mHEADER\033[0m \033[44mblue\033[0m wide 표\033[24;1Hfooter'`
    const updates = String.raw`awk 'BEGIN { for (n = 1; n <= 40000; n++) printf "\033[5;3Hupdate %06d of many", n }'`
    const reply = String.raw`read -r line; printf '\033[7;1Hgot %s' "$line"; cat`
    const terminal = await openTerminalJob(client, [header, updates, reply].join('; '))
    await terminal.screen(/update 040000/)
    const console = await startConsole(machine)
    const job = await serverOf(console, terminal.id)
    const opened = await openTerminal(console, job)
    await eventually(() => textOf(opened).includes('footer'))
    expect(textOf(opened).length).toBeLessThan(10_000)
    const display = new Terminal({ cols: 80, rows: 24, allowProposedApi: true })
    const show = async (): Promise<string[]> => {
      display.reset()
      await new Promise<void>((resolve) => display.write(textOf(opened), resolve))
      return Array.from({ length: 24 }, (_, row) => display.buffer.active.getLine(row)?.translateToString(true) ?? '')
    }
    const rows = await show()
    expect(display.buffer.active.type).toBe('alternate')
    expect([rows[0], rows[4], rows[23]]).toEqual(['HEADER blue wide 표', '  update 040000 of many', 'footer'])
    const { cursorX, cursorY } = display.buffer.active
    expect([cursorX, cursorY]).toEqual([23, 4])
    const first = display.buffer.active.getLine(0)
    const [green, blue] = [first?.getCell(0), first?.getCell(7)]
    expect(green?.getFgColor()).toBe(0x0ac81e)
    expect(green?.isBold()).not.toBe(0)
    expect([blue?.isBgPalette(), blue?.getBgColor()]).toEqual([true, 4])
    expect((await sendCommand(console, 'type', { ...job, text: 'more\r' })).status).toBe(204)
    await eventually(
      async () => (await show())[6],
      (row) => row === 'got more',
    )
    expect((await show())[0]).toBe('HEADER blue wide 표')
    opened.disconnect()
    await terminal.kill()
  })
})
