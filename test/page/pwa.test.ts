// The page as an installed app: manifest, service worker, what it keeps, what is shown while no server runs, and
// notifications. In a real browser on the real program.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

import { startJob, startServer, type TestClient } from '../support/client.js'
import { type Machine, newMachine, newProject, startUi } from '../support/console-client.js'
import type { HttpServer } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, openPage, openSettings } from './support.js'

let browser: Browser
let client: TestClient
let machine: Machine
let ui: HttpServer
let page: Page
let context: BrowserContext

beforeAll(async () => {
  browser = await openChromium()
  machine = newMachine()
  client = startServer({ env: { HOME: machine.home, SANDBOX: 'off' }, cwd: newProject(machine, 'shop') })
  await client.initialize('2025-11-25')
})

afterAll(async () => {
  await browser?.close()
  await client?.close()
})

beforeEach(async () => {
  ui = await startUi(machine)
  page = (await openPage(browser)).page
  context = page.context()
  await page.goto(`${ui.url}#key=${ui.token}`)
  await page.getByText('Live').waitFor()
})

afterEach(async () => {
  await context?.close()
  await ui?.stop()
})

/** The service worker handles requests of the page. */
async function whenControlled(): Promise<void> {
  await page.evaluate('navigator.serviceWorker.ready')
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
}

test('the manifest has no error, and its icons have the sizes that it says', async () => {
  const session = await context.newCDPSession(page)
  const { errors, data } = await session.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const { icons, display } = JSON.parse(data ?? '{}')
  expect(display).toBe('standalone')
  const sizes: unknown = await page.evaluate(`Promise.all(${JSON.stringify(icons)}.map(async ({ src }) => {
    const { width, height } = await createImageBitmap(await (await fetch(src)).blob())
    return width + 'x' + height
  }))`)
  expect(sizes).toEqual(icons.map((icon: { sizes: string }) => icon.sizes))
  await whenControlled()
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  // A private window cannot install anything.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([])
})

test('only public files are kept, and without a server the page says how to start it, until it runs', async () => {
  await startJob(client, 'sleep 600 # kept nowhere')
  await page.evaluate("location.hash = '#/jobs'")
  await page.getByRole('main').getByText('kept nowhere').first().waitFor()
  await whenControlled()
  const kept: unknown = await page.evaluate(
    "caches.open('page').then((cache) => cache.keys()).then((keys) => keys.map(({ url }) => new URL(url).pathname).sort())",
  )
  expect(kept).toEqual(['/', '/icon-192.png', '/page.css', '/page.js', '/palette.js'])
  const { url } = ui
  await ui.stop()
  await page.reload()
  await page.getByText('The command scorpiox-code ui has ended. Run it again, and this page reconnects.').waitFor()
  expect(await page.getByText('kept nowhere').count()).toBe(0)
  ui = await startUi(machine)
  expect(ui.url).toBe(url)
  // As `ui` does when it starts: a tab that opens the link logs in the others.
  const tab = await context.newPage()
  await tab.goto(`${ui.url}#key=${ui.token}`)
  await page.getByRole('main').getByText('kept nowhere').first().waitFor()
  expect(page.url()).toBe(`${url}#/jobs`)
})

test('elsewhere than on the machine of the user nothing of it is offered', async () => {
  const other = await openPage(browser)
  await other.page.route('http://console.example/**', async (route) => {
    const { pathname } = new URL(route.request().url())
    await route.fulfill({ response: await route.fetch({ url: `${ui.url.slice(0, -1)}${pathname}`, headers: {} }) })
  })
  await other.page.goto('http://console.example/')
  await other.page.getByLabel('Token').waitFor()
  expect(await other.page.locator('link[rel=manifest]').count()).toBe(0)
  expect(await other.page.evaluate("'serviceWorker' in navigator")).toBe(false)
  await other.close()
})

/** The test browser has no notifications, so these record what the page wants to show. */
const RECORDER = `
  globalThis.asked = 0
  globalThis.notifications = []
  globalThis.Notification = class {
    static permission = sessionStorage.getItem('permission') ?? 'default'
    static requestPermission() {
      asked += 1
      sessionStorage.setItem('permission', 'granted')
      return Promise.resolve((this.permission = 'granted'))
    }
    constructor(title, options) {
      this.text = title + ': ' + options.body
      notifications.push(this)
    }
    close() {
      notifications = notifications.filter((each) => each !== this)
    }
  }`

async function turnOnNotifications(): Promise<void> {
  await openSettings(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await dialog.getByRole('button', { name: 'Turn off' }).waitFor()
  await page.keyboard.press('Escape')
}

/** A headless browser has no window that can be minimized. */
const HIDE = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })"

async function declineAll(count: number): Promise<void> {
  const buttons = () => page.getByRole('main').getByRole('button', { name: /^Decline/ })
  await expect.poll(() => buttons().count()).toBe(count)
  for (let left = count - 1; left >= 0; left--) {
    await buttons().first().click()
    await expect.poll(() => buttons().count()).toBe(left)
  }
}

test('notifications are asked for by the button only, appear while the page is hidden, and open the item', async () => {
  const other = await openPage(browser, { serviceWorkers: 'block' })
  onTestFinished(() => other.close())
  await other.page.addInitScript(RECORDER)
  page = other.page
  const list = (): Promise<unknown> => page.evaluate('notifications.map(({ text }) => text)')
  await page.goto(`${ui.url}#key=${ui.token}`)
  await page.getByText('Live').waitFor()
  expect(await page.evaluate('asked')).toBe(0)
  await turnOnNotifications()
  expect(await page.evaluate('asked')).toBe(1)
  await page.reload()
  await page.getByText('Live').waitFor()
  const first = ask(client, { text: 'While visible?', options: ['Yes', 'No'] })
  await page.getByRole('main').getByText('While visible?').first().waitFor()
  await page.evaluate(HIDE)
  const second = ask(client, { text: 'While hidden?', options: ['Yes', 'No'] })
  await expect.poll(list).toEqual(['New question: While hidden?'])
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toContain('%3E2%3C')
  await startJob(client, 'exit 3')
  await expect.poll(list).toContainEqual(expect.stringMatching(/^Job \d+ failed in shop: exit 3$/))
  await page.evaluate("notifications.find(({ text }) => text.startsWith('Job')).onclick()")
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
  expect(new URL(page.url()).hash).toMatch(/^#\/jobs\/.+/)
  expect(await list()).toEqual(['New question: While hidden?'])
  // What was answered needs no notification any more.
  await page.evaluate("location.hash = '#/home'")
  await declineAll(2)
  await Promise.all([first, second])
  await expect.poll(list).toEqual([])
  expect(await page.evaluate('asked')).toBe(0)
})

test('the service worker shows notifications unless another tab is visible, and opens what was clicked', async () => {
  await page.addInitScript(RECORDER)
  await page.reload()
  await page.getByText('Live').waitFor()
  await whenControlled()
  await turnOnNotifications()
  const [worker] = context.serviceWorkers()
  await worker?.evaluate(`self.shown = []
    self.registration.showNotification = (title, options) => void self.shown.push({ title, ...options })`)
  const list = async (): Promise<unknown> =>
    worker?.evaluate('self.shown.map(({ title, body }) => `${title}: ${body}`)')
  await page.evaluate(HIDE)
  const tab = await context.newPage()
  await tab.goto(ui.url)
  await tab.getByText('Live').waitFor()
  const first = ask(client, { text: 'In two tabs?', options: ['Yes', 'No'] })
  await tab.getByRole('main').getByText('In two tabs?').first().waitFor()
  await page.getByRole('main').getByText('In two tabs?').first().waitFor()
  await tab.close()
  const second = ask(client, { text: 'In one tab?', options: ['Yes', 'No'] })
  await expect.poll(list).toEqual(['New question: In one tab?'])
  await page.evaluate("location.hash = '#/tools'")
  await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor()
  // A click, with the data of what was shown.
  await worker?.evaluate(`(() => {
    const event = new ExtendableEvent('notificationclick')
    event.notification = { close: () => undefined, data: self.shown[0].data }
    self.dispatchEvent(event)
  })()`)
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await expect.poll(() => page.evaluate("document.activeElement.closest('li')?.innerText")).toContain('In one tab?')
  await declineAll(2)
  await Promise.all([first, second])
})
