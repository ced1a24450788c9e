// The command `dev` with a real server and a real browser: what an author sees and does on the inspector page.

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { openChromium } from '../page/chromium.mjs'
import { listViolations, openPage, type Watched } from '../page/support.js'
import { eventually } from '../support/eventually.js'
import { DEMO, type RunningDev, startDev } from './support.js'

const MAX_PAGE_BYTES = 40_000

let browser: Browser
let dev: RunningDev
let watched: Watched
let page: Page

beforeAll(async () => {
  browser = await openChromium()
  dev = await startDev({ files: { 'server.mjs': DEMO } })
})

afterAll(async () => {
  await browser?.close()
  await dev?.stop()
})

beforeEach(async () => {
  watched = await openPage(browser, { viewport: { width: 1300, height: 900 } })
  page = watched.page
  await page.goto(dev.url)
  await page.getByRole('status').getByText('Ready').waitFor()
})

afterEach(async () => {
  expect(watched.complaints).toEqual([])
  expect([...watched.origins]).toEqual([dev.origin])
  await watched.close()
})

async function choose(name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click()
}

async function call(): Promise<void> {
  await page.getByRole('button', { name: 'Call', exact: true }).click()
}

/** Waits until the server was restarted at the revision. */
async function speak(revision: string): Promise<void> {
  const run = Number(await page.getByRole('status').first().getAttribute('data-run'))
  await page.getByLabel('Revision').selectOption(revision)
  await page.locator(`.status.ready[data-run="${run + 1}"]`).waitFor()
}

/** Waits for a text in the result; the answer as JSON has it too. */
async function shows(text: string | RegExp): Promise<void> {
  await result().getByText(text).first().waitFor()
}

const result = () => page.getByRole('region', { name: 'Result' })

test('everything the server offers is listed, and the key leaves the address', async () => {
  const links = await page.getByRole('navigation').getByRole('link').allInnerTexts()
  expect(links).toEqual('Greet,count,order,visit,rhyme,draw,weigh,readme,note,translate,Any request…'.split(','))
  expect(page.url()).not.toContain('key')
  await page.reload()
  await page.getByRole('status').getByText('Ready').waitFor()
})

test('a tool is called with a form made from its schema, and the server itself says what is wrong', async () => {
  await choose('Greet')
  await call()
  await shows("'name' is required")
  await page.getByLabel('name required').fill('Ann')
  await page.getByLabel('language').selectOption('ko')
  await page.getByLabel('times').fill('2')
  await page.getByRole('button', { name: 'Add to tags' }).click()
  await page.getByLabel('tags 1').fill('and all')
  await page.getByRole('button', { name: 'Add from' }).click()
  await page.getByLabel('name required').nth(1).fill('Bob')
  await page.getByLabel('name required').nth(1).press('Enter')
  await shows('안녕하세요 Ann and all from Bob')
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  const json = page.getByLabel('Arguments as JSON')
  expect(JSON.parse(await json.inputValue())).toEqual({
    name: 'Ann',
    language: 'ko',
    times: 2,
    tags: ['and all'],
    from: { name: 'Bob' },
  })
  await json.fill('{ "name": ')
  await page.getByText(/JSON/).nth(1).waitFor()
  expect(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled()).toBe(true)
  await json.fill('{ "name": "Eve", "loud": true }')
  await call()
  await shows('HELLO EVE')
})

test('progress and log messages arrive while a call runs, and it can be cancelled', async () => {
  await choose('count')
  await page.getByLabel('to required').fill('100000')
  await page.getByLabel('ms').fill('20')
  await call()
  await shows(/number \d/)
  await shows(/counted \d/)
  await page.getByRole('button', { name: 'Cancel call' }).click()
  await shows('The call was cancelled.')
  await page.getByLabel('Filter messages').fill('notifications/cancelled')
  await page.locator('.wire summary').getByText('notifications/cancelled').waitFor()
})

test('images and structured content are shown', async () => {
  await choose('draw')
  await call()
  const image = result().getByRole('img')
  await image.waitFor()
  await eventually(
    () => page.evaluate("document.querySelector('.result img').naturalWidth"),
    (width) => width === 48,
  )
  await choose('weigh')
  await call()
  await result().getByRole('heading', { name: 'Structured content' }).waitFor()
  await choose('draw')
  await image.waitFor()
  await page.getByRole('button', { name: 'Add to marks' }).click()
  await page.getByLabel('x integer').fill('3')
  await page.getByRole('button', { name: 'Remove marks 1' }).click()
  await page.getByLabel('x integer').waitFor({ state: 'detached' })
  // Icons of other servers are not loaded.
  const icons = page.locator('.icon')
  expect(await icons.evaluateAll((all) => all.map((icon) => icon.getAttribute('src')?.slice(0, 15)))).toEqual([
    'data:image/png;',
  ])
})

test('a request of any method is sent', async () => {
  await choose('Any request…')
  await page.getByLabel('method').fill('logging/setLevel')
  await page.getByLabel('params').fill('{"level":"loud"}')
  await page.getByRole('button', { name: 'Send' }).click()
  await shows('Error -32602')
  await page.getByLabel('params').fill('{"level":"info"}')
  await page.getByRole('button', { name: 'Send' }).click()
  await shows('Answered')
})

test('resources, templates and prompts are read, with suggestions of the server', async () => {
  await choose('readme')
  await page.getByRole('button', { name: 'Read' }).click()
  await shows('# Notes')
  await choose('note')
  await page.getByLabel('id string').focus()
  await page.locator('datalist option[value=milk]').waitFor({ state: 'attached' })
  await page.getByLabel('id string').fill('tea')
  await page.getByRole('button', { name: 'Read' }).click()
  await shows('Drink tea.')
  await choose('translate')
  await page.getByLabel('to required').fill('Korean')
  // The suggestions depend on the other argument.
  await page.getByLabel('script string').focus()
  await page.locator('datalist option[value=Hangul]').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Get' }).click()
  await shows('Translate what follows to Korean.')
})

test('questions of the server are answered by hand, at a negotiated and at the newest revision', async () => {
  for (const revision of ['2025-11-25', '2026-07-28']) {
    await speak(revision)
    await choose('order')
    await call()
    const question = page.getByRole('region', { name: 'The server asks' })
    await question.getByLabel('tea').selectOption('black')
    if (revision === '2025-11-25') expect(await listViolations(page), 'question').toEqual([])
    await question.getByRole('button', { name: 'Accept' }).click()
    await shows('One black tea.')
    await choose('visit')
    await call()
    await page.getByRole('link', { name: 'https://example.com/sign-in' }).waitFor()
    await page.getByRole('button', { name: 'Decline' }).click()
    await shows('The visit: decline.')
    await choose('rhyme')
    await call()
    await page.getByText('A rhyme for tea?').waitFor()
    await page.getByLabel('Answer as the model').fill('Sea.')
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await shows('The model says: Sea.')
  }
  await speak('2024-11-05')
  await page.getByLabel('Filter messages').fill('"2024-11-05"')
  await page.locator('.wire summary').getByText('initialize').first().waitFor()
  await speak('2025-11-25')
})

test('the wire shows each message with its duration, and opens it', async () => {
  await choose('weigh')
  await call()
  await shows('Answered')
  await page.getByLabel('Filter messages').fill('tools/call')
  const answer = page.locator('.wire summary').filter({ hasText: 'result' }).first()
  await answer.click()
  await page.locator('.wire pre').getByText('"grams": 250').waitFor()
  expect(await answer.innerText()).toMatch(/tools\/call[^]*result · #\d+ · [\d.]+ m?s · \d+ B/)
})

test('a change restarts the server, a syntax error is shown and repaired, and the form keeps its values', async () => {
  await choose('Greet')
  await page.getByLabel('name required').fill('Kim')
  dev.write('server.mjs', DEMO.replace("en: 'Hello'", "en: 'Good day'"))
  await eventually(() => dev.output().includes('server.mjs changed: restarting'))
  await page.getByRole('status').getByText('Ready').waitFor()
  await eventually(
    async () => {
      // The click may come just before the restart, and do nothing.
      await call()
      return result()
        .innerText({ timeout: 2000 })
        .catch(() => '')
    },
    (text) => text.includes('Good day Kim'),
  )
  dev.write('server.mjs', DEMO.replace("default: 'en'", "default: 'ar'").replace('loud: {', 'soft: {'))
  await page.getByLabel('soft').waitFor()
  expect(await page.getByLabel('name required').inputValue()).toBe('Kim')
  dev.write('server.mjs', `${DEMO}\nthis is no JavaScript`)
  const problem = page.getByRole('alert')
  await problem.getByText('The server exited with code 1.').waitFor()
  await problem.getByText('SyntaxError').waitFor()
  expect(dev.output()).toContain('SyntaxError')
  expect(await listViolations(page)).toEqual([])
  dev.write('server.mjs', DEMO)
  await problem.getByText('SyntaxError').waitFor({ state: 'detached' })
  await page.getByRole('status').getByText('Ready').waitFor()
  expect(await page.getByLabel('name required').inputValue()).toBe('Kim')
})

test('axe finds nothing, light or dark, and nothing is wider than a phone', async () => {
  // Few messages are enough, and axe reads each of them.
  await page.getByRole('button', { name: 'Clear' }).click()
  await choose('Greet')
  await call()
  await shows('Invalid arguments')
  await page.getByRole('button', { name: 'Add from' }).click()
  await page.getByRole('button', { name: 'Add to tags' }).click()
  await page.locator('.wire summary').first().click()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await listViolations(page), colorScheme).toEqual([])
  }
  await page.getByRole('button', { name: /^Output/ }).click()
  await page.getByText('dev-server starts').first().waitFor()
  expect(await listViolations(page), 'output').toEqual([])
  await page.setViewportSize({ width: 340, height: 700 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(340)
  expect(await listViolations(page), 'phone').toEqual([])
})

test('the page can be used with the keyboard alone', async () => {
  await choose('weigh')
  await page.getByRole('link', { name: 'weigh', exact: true }).focus()
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement?.textContent')
  await eventually(
    async () => {
      await page.keyboard.press('Tab')
      return focused()
    },
    (text) => text === 'Call',
  )
  await page.keyboard.press('Enter')
  await shows('Answered')
})

test('without the key the page says what to do', async () => {
  const other = await openPage(browser)
  await other.page.goto(dev.origin)
  await other.page.getByText('Open the link that the dev command printed').waitFor()
  await other.close()
})

test(`the page is at most ${MAX_PAGE_BYTES / 1000} KB compressed`, ({ task }) => {
  const folder = resolve(import.meta.dirname, '../../packages/mcp/dist/dev/page')
  const files = readdirSync(folder).sort()
  expect(files).toEqual(['index.html', 'page.css', 'page.js'])
  const sizes = files.map((file) => gzipSync(readFileSync(resolve(folder, file)), { level: 9 }).length)
  const sum = sizes.reduce((total, size) => total + size)
  task.meta.says = [`inspector page: ${sum.toLocaleString('en-US')} bytes compressed`]
  expect(sum).toBeLessThan(MAX_PAGE_BYTES)
})
