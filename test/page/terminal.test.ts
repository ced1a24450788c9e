// The live terminal of a job on the page, in a real browser on the real program: a person watches a program that a stdio
// client started, types into it, and gives it back.

import { join } from 'node:path'

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { call, emptyFolder, startServer, type TestClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { needs, openTerminalJob, type TerminalJob } from '../shell/terminal-job.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { findFilesWith, LINUX } from '../secrets/support.js'
import { openChromium } from './chromium.mjs'
import { listViolations, openPage, openView, type Watched } from './support.js'

const home = emptyFolder()
const project = emptyFolder()
const env = { HOME: home }
const TYPING = 'The user is typing in this terminal.'

/** Asks for a password and prints it, at once and byte by byte; then what is typed. */
const PRINT_IT = [
  'p=$("$SUDO_ASKPASS" Password:)',
  'echo "whole $p"',
  'printf "slowly "; for ((i = 0; i < ${#p}; i++)); do printf "%s" "${p:i:1}"; sleep 0.01; done; echo',
  'while read -p "typed: " line; do echo "got $line"; done',
].join('; ')

/** Everything that the terminal has displayed from now on. */
const RECORD_DISPLAY = `{
  globalThis.recorded = []
  const rows = document.querySelector('.xterm-rows')
  new MutationObserver(() => recorded.push(rows.textContent))
    .observe(rows, { childList: true, characterData: true, subtree: true })
}`

let browser: Browser
let server: HttpServer
let client: TestClient
let watched: Watched
let page: Page

describe('the terminal of a job', needs('script', 'stty'), () => {
  beforeAll(async () => {
    browser = await openChromium()
    server = await startProgram({ env, cwd: emptyFolder() })
    client = startServer({ env, cwd: project })
    await client.initialize('2025-11-25')
  })

  afterAll(async () => {
    await browser?.close()
    await client?.close()
    await server?.stop()
  })

  beforeEach(async () => {
    watched = await openPage(browser)
    page = watched.page
  })

  afterEach(async () => {
    const { complaints } = watched
    await watched.close()
    // No policy was violated.
    expect(complaints).toEqual([])
  })

  const detail = (): Locator => page.getByRole('main').locator('article')
  const screen = async (): Promise<string> =>
    (await page.locator('.xterm-accessibility-tree').innerText()).replaceAll('\u00A0', ' ')
  const shows = (expected: RegExp): Promise<string> => eventually(screen, (text) => expected.test(text))

  async function openTerminal({ id }: TerminalJob, command = ''): Promise<void> {
    await page.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
    await page.getByRole('link', { name: /^Jobs/ }).click()
    const rows = page.getByRole('listitem').filter({ hasText: command })
    await rows
      .filter({ hasText: `Job ${id}` })
      .getByRole('link')
      .click()
    await page.locator('.xterm-screen').waitFor()
    // Keys go to the list until the terminal is chosen.
    await page.keyboard.press('t')
    await expect.poll(() => page.evaluate('document.activeElement.closest(".job-terminal") !== null')).toBe(true)
  }

  test('shows what was printed before, takes keys, refuses the model meanwhile, and is given back', async () => {
    const job = await openTerminalJob(client, 'echo before; while read -p "> " line; do echo "got [$line]"; done')
    await job.waitFor('before')
    await openTerminal(job)
    await shows(/before\s+>/)
    await page.keyboard.type('from the person')
    await shows(/> from the person/)
    await detail().getByText('You are typing').waitFor()
    expect(await job.type({ input: 'from the model\n' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(`^${TYPING} Nothing was typed. .*task_id: ${job.id}`),
    })
    const { text, structured } = await job.read()
    expect(text).toContain(`[${TYPING}]`)
    expect(structured).toMatchObject({ userTyping: true })
    await page.keyboard.press('Enter')
    await shows(/got \[from the person\]/)
    await detail().getByRole('button', { name: 'Return control to the model' }).click()
    await detail().getByText('You can type here.').waitFor()
    expect((await job.type({ input: 'from the model\n' })).text).toContain('got [from the model]')
    await shows(/got \[from the model\]/)
    expect(await job.kill()).toContain('Killed job')
    await detail().getByText('The program has exited.').waitFor()
  })

  test('a line that is not ended keeps the terminal after it is closed; it is given back', async () => {
    const job = await openTerminalJob(client, 'while read -p "> " line; do echo "got [$line]"; done')
    await openTerminal(job)
    await shows(/>/)
    await page.keyboard.type('half a line')
    await shows(/half a line/)
    await page.keyboard.press('Control+]')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Terminal')
    await page.keyboard.press('Escape')
    await detail().waitFor({ state: 'detached' })
    expect((await job.type({ input: 'x\n' })).text).toContain(TYPING)
    await openTerminal(job)
    await detail().getByRole('button', { name: 'Output' }).click()
    await detail().getByText('You are typing in this terminal.').waitFor()
    await detail()
      .getByRole('button', { name: `Return control to the model Job ${job.id}` })
      .click()
    await page.getByRole('button', { name: `Return control to the model Job ${job.id}` }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await detail().waitFor({ state: 'detached' })
    expect((await job.type({ input: '!\n' })).text).toContain('got [half a line!]')
    // With an ended line the terminal goes back by itself when the page is closed.
    await openTerminal(job)
    await page.keyboard.type('done\n')
    await shows(/got \[done\]/)
    await detail().getByText('You are typing').waitFor()
    await page.keyboard.press('Control+]')
    await page.keyboard.press('Escape')
    await eventually(
      () => job.read(),
      ({ structured }) => structured?.userTyping !== true,
    )
    await job.kill()
  })

  test('a password that a person types is in no file, log or result', async () => {
    const command = 'read -s -p "Password: " secret; echo; echo "${#secret} characters"; sleep 600'
    const job = await openTerminalJob(client, command)
    await openTerminal(job)
    await shows(/Password:/)
    await page.keyboard.type('correct-horse-battery\n')
    await shows(/21 characters/)
    expect((await job.read({ tail: 50 })).text).not.toContain('correct-horse')
    expect(findFilesWith(['characters'], home)).not.toEqual([])
    expect(findFilesWith(['correct-horse'], home)).toEqual([])
    expect(server.stderr()).not.toContain('correct-horse')
    await job.kill()
  })

  test(
    'a password that a command asks for is never shown, however the program or the terminal echoes it',
    LINUX,
    async () => {
      const value = 'battery-Staple-8'
      const asking = await openPage(browser)
      await openView(asking.page, server, client, 'Home')
      const job = await openTerminalJob(client, PRINT_IT)
      await openTerminal(job)
      await page.evaluate(RECORD_DISPLAY)
      await asking.page.getByLabel('Password:').fill(value)
      await asking.page.keyboard.press('Enter')
      await shows(/whole \[secret\][^]*slowly \S*\[secret\]\s+typed:/)
      // The echo of the terminal, then the output of the program.
      await page.keyboard.type(`${value}\n`)
      await shows(/typed: \S*\[secret\]\s+got \[secret\]/)
      const displayed = String(await page.evaluate('recorded.join("\\n")'))
      expect(displayed).toContain('whole [secret]')
      expect(displayed.replaceAll(/\s/g, '')).not.toContain(value)
      // A new display reads the output from the beginning.
      await page.reload()
      await openTerminal(job)
      expect(await shows(/got \[secret\]/)).not.toContain(value)
      expect((await job.read({ tail: 50 })).text).not.toContain(value)
      expect(findFilesWith([value], home)).toEqual([])
      await asking.close()
      await job.kill()
    },
  )

  test('a program can neither answer for the person nor reach clipboard, title, links or script', async () => {
    const hostile = [
      String.raw`\033]52;c;aGFja2Vk\007`,
      String.raw`\033]0;<img src=x onerror=document.title=1>\007`,
      String.raw`\033]8;;http://127.0.0.1:1/evil\007link\033]8;;\007`,
      String.raw`\033]10;?\007\033[c\033[>c\033[6n\033[?1004h\033P$qm\033\\\\`,
      String.raw`\033[38;2;10;200;30mtruecolour\033[0m\n`,
    ]
    const command = `stty raw -echo; printf '${hostile.join('')}ready'; sleep 600`
    const job = await openTerminalJob(client, command)
    await openTerminal(job)
    await shows(/link.*truecolour[^]*ready/)
    expect(await page.title()).toMatch(/^Jobs · scorpiox-code$/)
    expect(await page.locator('.xterm a, .xterm img').count()).toBe(0)
    const colour =
      "getComputedStyle([...document.querySelectorAll('.xterm-rows span')].find((span) => span.textContent.includes('truecolour'))).color"
    expect(await page.evaluate(colour)).toBe('rgb(10, 200, 30)')
    await page.locator('.xterm-screen').click({ position: { x: 5, y: 5 } })
    // The display has answered nothing, also not that it has the focus.
    expect((await job.read()).structured?.userTyping).toBeUndefined()
    await job.kill()
  })

  test('full screen programs get Esc and cursor keys; a new size is shown', async () => {
    const job = await openTerminalJob(
      client,
      String.raw`printf '\033[?1049h\033[?1h\033[5;10HALTERNATE'; stty raw -echo; while IFS= read -r -n1 -d '' c; do printf '%d ' "'$c"; done`,
    )
    await openTerminal(job)
    await shows(/ALTERNATE/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowUp')
    await shows(/ALTERNATE27 27 79 65/)
    await detail().getByRole('button', { name: 'Return control to the model' }).click()
    await detail().getByText('You can type here.').waitFor()
    await job.read({ screen: '60x10' })
    await expect.poll(() => page.locator('.xterm-rows > div').count()).toBe(10)
    await job.kill()
  })

  test('plan mode refuses keys for a program that was started before it', requires(SANDBOX), async () => {
    const planner = startServer({ env, cwd: emptyFolder() })
    await planner.initialize('2025-11-25')
    const job = await openTerminalJob(planner, 'cat # planned')
    await openTerminal(job, 'cat # planned')
    await call(planner, 'PlanMode', { action: 'enter', goal: 'think' })
    await page.keyboard.type('x')
    await detail()
      .getByText(/Nothing was typed: plan mode is on/)
      .waitFor()
    expect((await job.read()).structured?.userTyping).toBeUndefined()
    await planner.close()
    // The browser logs the refusal.
    watched = { ...watched, complaints: watched.complaints.filter((text) => !/\b40[19]\b/.test(text)) }
  })

  test('axe finds no violations, light or dark, wide or small, and nothing is wider than a small screen', async () => {
    const job = await openTerminalJob(client, String.raw`printf '\033[31mred \033[90mgrey\033[0m\n$ '; cat`)
    await openTerminal(job)
    await shows(/red grey/)
    await page.keyboard.type('hello')
    await detail().getByText('You are typing').waitFor()
    for (const width of [1100, 360])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        expect(await listViolations(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        const folder = process.env.SCREENSHOTS
        if (folder) await page.screenshot({ path: join(folder, `terminal-${width}-${colorScheme}.png`) })
      }
    await job.kill()
  })
})
