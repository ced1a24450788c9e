// The question of a command for a password, in a real browser on the real program: the person enters it into a masked
// field, and nothing of it stays on the page.

import { join } from 'node:path'

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { LINUX } from '../secrets/support.js'
import { call, emptyFolder, startJob, startServer, type TestClient } from '../support/client.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, listViolations, openPage, openView, type Watched } from './support.js'

const env = { HOME: emptyFolder() }
const COLOUR = { text: 'Which colour?', options: ['Red', 'Green'] }

let browser: Browser
let server: HttpServer
let client: TestClient
let watched: Watched
let page: Page

describe('the question of a command for a password', LINUX, () => {
  beforeAll(async () => {
    browser = await openChromium()
    server = await startProgram({ env, cwd: emptyFolder() })
    client = startServer({ env, cwd: emptyFolder() })
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
    await openView(page, server, client, 'Home')
  })

  afterEach(async () => {
    const { complaints } = watched
    await watched.close()
    expect(complaints).toEqual([])
  })

  const cards = (): Locator => page.getByRole('main').getByRole('listitem')
  const card = (text: string): Locator => cards().filter({ hasText: text })
  const focused = (): Promise<unknown> => page.evaluate("document.activeElement.getAttribute('aria-label')")

  test('names the command and its prompt; Enter sends what is typed, which does not stay on the page', async () => {
    const value = 'Correct-horse-12'
    const sentTo: string[] = []
    page.on('request', (request) => {
      if (`${request.url()} ${request.postData()}`.includes(value)) sentTo.push(new URL(request.url()).pathname)
    })
    const prompt = String.raw`$(printf 'Pass\033[2Jword\r \342\200\256of <b>Ann</b>:')`
    const command = `p=$("$SUDO_ASKPASS" "${prompt}"); echo "\${#p} characters, it is $p"`
    const result = call(client, 'Bash', { command })
    const form = card('A running command asks for a password')
    const field = form.getByLabel('Pass\u{FFFD}[2Jword\u{FFFD} \u{FFFD}of <b>Ann</b>:', { exact: true })
    await field.waitFor()
    expect(await form.locator('pre').textContent()).toBe(command)
    expect(await form.textContent()).not.toMatch(/[\u202A-\u202E]|(?!\n)\p{Cc}/u)
    expect(await field.getAttribute('type')).toBe('password')
    expect(await field.getAttribute('autocomplete')).toBe('off')
    await field.pressSequentially(value)
    expect(await page.content()).not.toContain(value)
    await page.keyboard.press('Enter')
    expect((await result).text).toContain('16 characters, it is [secret]\n')
    await page.getByText('Sent to the command.').waitFor()
    await form.waitFor({ state: 'detached' })
    expect(sentTo).toEqual(['/board/secret'])
    expect(await page.evaluate(EVERYTHING_KEPT)).not.toContain(value)
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
  })

  test('shows a command with Arabic in it from left to right, also in Arabic', async () => {
    const result = call(client, 'Bash', { command: 'echo "مرحبا"; p=$("$SUDO_ASKPASS" Password:)' })
    const { page: arabic, close } = await openPage(browser, { locale: 'ar-EG' })
    await arabic.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
    const command = arabic.getByText('echo "مرحبا"')
    expect(await command.evaluate((element) => element.matches(':dir(ltr)'))).toBe(true)
    await close()
    await card('Password:').getByRole('button', { name: 'Decline' }).click()
    await result
  })

  test('is refused with a button: the command is told, and what was typed is not sent', async () => {
    const result = call(client, 'Bash', { command: 'p=$("$SUDO_ASKPASS" Password:); echo "code $?, [$p]"' })
    await page.getByLabel('Password:').fill('not-to-be-sent')
    await card('Password:').getByRole('button', { name: 'Decline' }).click()
    const { text } = await result
    expect(text).toContain('The user refused to enter the password.')
    expect(text).toContain('code 1, []')
    await page.getByText('You declined. The command is notified.').waitFor()
    await card('Password:').waitFor({ state: 'detached' })
    expect(await page.evaluate(EVERYTHING_KEPT)).not.toContain('not-to-be-sent')
  })

  test('what was entered stays in the field if it could not be sent', async () => {
    const other = await openPage(browser)
    try {
      await openView(other.page, server, client, 'Home')
      const result = call(client, 'Bash', { command: 'p=$("$SUDO_ASKPASS" Password:); echo "${#p} characters"' })
      await other.page.route('**/board/secret', (route) => route.abort())
      const field = other.page.getByLabel('Password:')
      await field.fill('not-lost')
      await other.page.keyboard.press('Enter')
      await other.page.getByText('The server does not respond.', { exact: false }).waitFor()
      expect(await field.inputValue()).toBe('not-lost')
      await other.page.unroute('**/board/secret')
      await field.press('Enter')
      expect((await result).text).toContain('8 characters')
    } finally {
      await other.close()
    }
  })

  test('takes the focus from no other field, neither when it appears nor when it is withdrawn or answered', async () => {
    const asked = ask(client, COLOUR)
    const own = card('Which colour?').getByPlaceholder('Your own answer')
    await own.click()
    const ownName = await focused()
    await page.keyboard.type('light ')
    const job = await startJob(client, '"$SUDO_ASKPASS" First:')
    await page.getByLabel('First:').waitFor()
    await page.keyboard.type('green ')
    await call(client, 'KillBgTask', { task_id: job })
    await page.getByLabel('First:').waitFor({ state: 'detached' })
    await page.keyboard.type('or ')
    // What is typed into one such field is not disturbed by another.
    const results = ['Second:', 'Third:'].map(async (prompt) => {
      if (prompt === 'Third:') await page.getByLabel('Second:').fill('second-')
      return call(client, 'Bash', { command: `p=$("$SUDO_ASKPASS" ${prompt}); echo "\${#p} characters"` })
    })
    await page.getByLabel('Third:').waitFor()
    await page.keyboard.type('value')
    expect(await page.getByLabel('Second:').inputValue()).toBe('second-value')
    // The answer of the server arrives when the person types elsewhere already.
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/board/secret', async (route) => {
      await released
      await route.continue()
    })
    await page.keyboard.press('Enter')
    await own.click()
    release()
    await page.getByText('Sent to the command.').waitFor()
    await page.keyboard.type('blue')
    expect(await own.inputValue()).toBe('light green or blue')
    expect(await focused()).toBe(ownName)
    expect((await results[0])?.text).toContain('12 characters')
    await page.getByLabel('Third:').fill('third')
    await page.keyboard.press('Enter')
    expect((await results[1])?.text).toContain('5 characters')
    await card('Which colour?').getByRole('button', { name: 'Decline' }).click()
    await asked
  })

  test('axe finds no violations, and nothing is wider than a small screen', async () => {
    const prompts = ['Password for deploy@build-7.example.com:', "Username for 'https://example.com':"]
    const jobs = await Promise.all(
      prompts.map((prompt) =>
        startJob(client, `"$SUDO_ASKPASS" "${prompt}" > /dev/null # ${'long '.repeat(30)}${'x'.repeat(90)}`),
      ),
    )
    for (const prompt of prompts) await page.getByLabel(prompt).fill('abcdefgh')
    expect(await page.getByLabel(/^Username/).getAttribute('type')).toBe('text')
    for (const [width, colorScheme] of [
      [1100, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      expect(await listViolations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      // The command is shown whole: the person decides by it.
      expect(await page.evaluate(CUT_COMMANDS)).toEqual([])
      const folder = process.env.SCREENSHOTS
      if (folder) await page.screenshot({ path: join(folder, `secret-card-${width}-${colorScheme}.png`) })
    }
    for (const task_id of jobs) await call(client, 'KillBgTask', { task_id })
  })
})

const CUT_COMMANDS = `[...document.querySelectorAll('main pre')]
  .filter((box) => box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth)
  .map((box) => box.textContent)`

/** What the page holds: the document, what its fields contain, what it stores, its address. */
const EVERYTHING_KEPT = `[
  document.documentElement.outerHTML,
  ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  JSON.stringify(localStorage),
  JSON.stringify(sessionStorage),
  JSON.stringify(history.state),
  location.href,
].join('\\n')`
