// The command palette and the keys of the page, in a real browser on the real program.

import { basename } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { call, emptyFolder, startJob, startServer, type TestClient } from '../support/client.js'
import { type HttpServer, startProgram } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, listViolations, openPage, openView, type Watched } from './support.js'

const env = { HOME: emptyFolder(), SANDBOX: 'off' }

const project = emptyFolder()

let browser: Browser
let server: HttpServer
let client: TestClient
let watched: Watched
let page: Page

beforeAll(async () => {
  browser = await openChromium()
  server = await startProgram({ env, cwd: emptyFolder() })
  client = startServer({ env, cwd: project })
  await client.initialize('2025-11-25')
  await startJob(client, 'sleep 600 # watch the invoices')
  await call(client, 'TaskManager', { action: 'create', query: 'migrate the ledger' })
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
  expect(watched.complaints).toEqual([])
  await watched.close()
})

const field = () => page.getByRole('combobox', { name: 'Search and commands' })
const options = () => page.getByRole('listbox').getByRole('option')
const selected = () => page.getByRole('listbox').getByRole('option', { selected: true })

async function open(): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect.poll(() => field().evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
}

test('Ctrl+K finds a job, a task and a command; Enter opens it', async () => {
  await open()
  await page.keyboard.type('invoi')
  await expect.poll(() => selected().textContent()).toContain('watch the invoices')
  expect(await selected().textContent()).toContain('Job 1 · Running')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
  expect(new URL(page.url()).hash).toMatch(/^#\/jobs\/.*1$/)
  await open()
  await page.keyboard.type('ledg')
  await expect.poll(() => selected().textContent()).toContain('migrate the ledger')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  await open()
  await page.keyboard.type('theme dark')
  await expect.poll(() => selected().textContent()).toContain('Theme: Dark')
  await page.keyboard.press('Enter')
  await page.locator('html[data-theme=dark]').waitFor()
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark')
})

test('the arrow keys move through the options, which are announced, and Escape closes without doing anything', async () => {
  await open()
  await expect.poll(() => options().count()).toBeGreaterThan(10)
  const activeText = (): Promise<unknown> =>
    page.evaluate("document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).innerText")
  const first = await activeText()
  await page.keyboard.press('ArrowDown')
  await expect.poll(activeText).not.toBe(first)
  await page.keyboard.press('ArrowUp')
  await expect.poll(activeText).toBe(first)
  // Above the first is the last.
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => options().last().getAttribute('aria-selected')).toBe('true')
  await page.keyboard.type('zzzz')
  await page.getByText('Nothing found').waitFor()
  expect(await listViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
})

test('a plan, a callback and a server are found, and everything else by a search of calls or tasks', async () => {
  await call(client, 'SetCallback', { action: 'set', message: 'water the plants', delay_seconds: 3600 })
  await call(client, 'PlanMode', { action: 'enter', goal: 'Repaint the shed' })
  for (const [text, title] of [
    ['shed', 'Plans'],
    ['plants', 'Callbacks'],
    [`server ${client.child.pid}`, 'Tools'],
  ] as const) {
    await open()
    await page.keyboard.type(text)
    // Not the call that created it.
    await expect.poll(() => selected().textContent()).toMatch(/(Plan|Callback|Server) · /)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  }
  await open()
  await page.keyboard.type('ledg')
  await expect.poll(() => options().last().textContent()).toContain('Search tasks for “ledg”')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('ledg')
  await page.getByText('migrate the ledger').first().waitFor()
  await open()
  await page.keyboard.type('ledg')
  await page.getByRole('option', { name: 'Search calls for “ledg”' }).click()
  await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('ledg')
})

test('a question that waits comes first; a project narrows the search', async () => {
  const asked = ask(client, { text: 'Which ledger?', options: ['Old', 'New'] })
  await page.getByRole('main').getByText('Which ledger?').first().waitFor()
  await open()
  await expect.poll(() => options().first().textContent()).toContain('Which ledger?')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate("document.activeElement.closest('li')?.innerText")).toContain('Which ledger?')
  await open()
  await page.keyboard.type(`project ${basename(project)}`)
  await expect.poll(() => selected().textContent()).toContain(`Project · ${project}`)
  await page.keyboard.press('Enter')
  await expect.poll(() => field().inputValue()).toBe(`${basename(project)} `)
  await page.keyboard.type('migrate')
  await expect.poll(() => selected().textContent()).toContain('migrate the ledger')
  await page.keyboard.press('Escape')
  await page
    .getByRole('button', { name: /^Decline/ })
    .first()
    .click()
  await asked
})

test('g and a letter open a view, j and k move through its cards, ? lists the keys; a field keeps its letters', async () => {
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('j')
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
  await page.locator('main li').getByText('invoices').first().waitFor()
  await page.keyboard.press('j')
  await expect.poll(() => page.evaluate("document.activeElement.closest('li')?.innerText")).toContain('invoices')
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keys' })
  await dialog.getByText('Search and commands').waitFor()
  expect(await dialog.getByText('Callbacks').count()).toBe(1)
  await page.keyboard.press('Escape')
  await open()
  await page.keyboard.type('gh?')
  expect(await field().inputValue()).toBe('gh?')
})
