// Many tabs of one browser, which opens at most six connections to a server: those in the background leave them to the tab
// that is looked at, except for one that notifies. In a real browser on the real program.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { startJob, startServer, type TestClient } from '../support/client.js'
import { type Machine, newMachine, newProject, startUi } from '../support/console-client.js'
import type { HttpServer } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, openPage } from './support.js'

let browser: Browser
let client: TestClient
let machine: Machine
let ui: HttpServer
let context: BrowserContext
let first: Page

beforeAll(async () => {
  browser = await openChromium()
  machine = newMachine()
  client = startServer({ env: { HOME: machine.home, SANDBOX: 'off' }, cwd: newProject(machine, 'shop') })
  await client.initialize('2025-11-25')
  await startJob(client, 'while sleep 0.5; do echo tick; done')
})

afterAll(async () => {
  await browser?.close()
  await client?.close()
})

beforeEach(async () => {
  ui = await startUi(machine)
  first = (await openPage(browser)).page
  context = first.context()
  await context.addInitScript(VISIBILITY)
  await first.goto(`${ui.url}#key=${ui.token}`)
  await first.getByText('Live').waitFor()
  // The other tabs are logged in by it.
  await expect.poll(() => first.evaluate("localStorage.getItem('login') !== null")).toBe(true)
  await openJob(first)
})

afterEach(async () => {
  await context?.close()
  await ui?.stop()
})

/** All tabs of a headless browser are visible, so each says by itself whether it is hidden. */
const VISIBILITY = `
  globalThis.isInBackground = false
  Object.defineProperty(Document.prototype, 'hidden', { get: () => isInBackground })
  Object.defineProperty(Document.prototype, 'visibilityState', { get: () => isInBackground ? 'hidden' : 'visible' })
  globalThis.setBackground = (next) => {
    isInBackground = next
    document.dispatchEvent(new Event('visibilitychange'))
  }`

const leave = (page: Page): Promise<unknown> => page.evaluate('setBackground(true)')
const lookAt = (page: Page): Promise<unknown> => page.evaluate('setBackground(false)')
const output = (page: Page) => page.getByRole('group', { name: 'Output of job 1' })

async function openJob(page: Page): Promise<void> {
  await page.evaluate("location.hash = '#/jobs/1'")
  await output(page).getByText('tick').first().waitFor()
}

/** Each is left for the next one. */
async function openTabs(count: number): Promise<Page[]> {
  const tabs = [first]
  for (let number = 1; number < count; number++) {
    await leave(tabs.at(-1) ?? first)
    const tab = await context.newPage()
    // Only detects what never appears.
    tab.setDefaultTimeout(60_000)
    await tab.goto(ui.url)
    await openJob(tab)
    tabs.push(tab)
  }
  return tabs
}

test('seven tabs with a job each: every one is live when it is looked at, and a question is answered', async () => {
  const tabs = await openTabs(7)
  const last = tabs.at(-1) ?? first
  await last.getByRole('link', { name: /^Home/ }).click()
  const asked = ask(client, { text: 'In which tab?', options: ['This', 'Another'] })
  await last.getByLabel('This').check()
  await last.getByRole('button', { name: 'Answer' }).click()
  expect((await asked).structured.answers[0].selected).toEqual(['This'])
  // Until then a tab that connects may still get the question, and say that it was answered elsewhere.
  await expect.poll(() => last.getByLabel('This').count()).toBe(0)
  await leave(last)
  const [, second = first] = tabs
  await lookAt(second)
  await second.getByText('Live').waitFor()
  const length = async (): Promise<number> => (await output(second).innerText()).length
  const before = await length()
  await expect.poll(length).toBeGreaterThan(before)
  // It had no connection meanwhile, and that is no loss.
  expect(await second.getByText('Connection lost').count()).toBe(0)
  expect(await second.getByText('answered elsewhere').count()).toBe(0)
})

test('of the tabs in the background one stays connected, and another takes its place when it is closed', async () => {
  const tabs = await openTabs(3)
  for (const tab of tabs) await leave(tab)
  const titles = async (): Promise<string[]> =>
    (await Promise.all(tabs.filter((tab) => !tab.isClosed()).map((tab) => tab.title()))).sort()
  const isLive = async (tab: Page): Promise<boolean> =>
    !tab.isClosed() && (await tab.locator('.connection.live').count()) === 1
  const listLive = async (): Promise<Page[]> => {
    const states = await Promise.all(tabs.map(isLive))
    return tabs.filter((_, index) => states[index])
  }
  await expect.poll(async () => (await listLive()).length).toBe(1)
  const asked = ask(client, { text: 'Nobody looks?', options: ['Yes', 'No'] })
  // Those without a connection show no count, because it would be outdated.
  await expect.poll(titles).toEqual(['(1) Jobs · scorpiox-code', 'Jobs · scorpiox-code', 'Jobs · scorpiox-code'])
  const [connected] = await listLive()
  await connected?.close()
  await expect.poll(titles).toEqual(['(1) Jobs · scorpiox-code', 'Jobs · scorpiox-code'])
  const [next = first] = await listLive()
  await lookAt(next)
  await next.getByRole('link', { name: /^Home/ }).click()
  await next.getByRole('button', { name: /^Decline/ }).click()
  await asked
})
