// A tab that has opened the link of `scorpiox-code ui` stays logged in across restarts of the command, and logs in the other
// tabs, until it logs out or all browsers are logged out. What another program on the port leaves in the browser gets
// nothing. In a real browser on the real program.

import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { startJob, startServer, type TestClient } from '../support/client.js'
import { type Machine, newMachine, newProject, sendCommand, startUi } from '../support/console-client.js'
import { type HttpServer, sendRequest } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { logOut, openPage } from './support.js'

let browser: Browser
let client: TestClient
let machine: Machine
let ui: HttpServer
let page: Page
let context: BrowserContext

beforeAll(async () => {
  browser = await openChromium()
})

afterAll(async () => {
  await browser?.close()
})

beforeEach(async () => {
  machine = newMachine()
  client = startServer({ env: { HOME: machine.home, SANDBOX: 'off' }, cwd: newProject(machine, 'shop') })
  await client.initialize('2025-11-25')
  await startJob(client, 'sleep 600 # deep link')
  ui = await startUi(machine)
  page = (await openPage(browser)).page
  context = page.context()
  await page.goto(`${ui.url}#key=${ui.token}`)
  await page.getByText('Live').waitFor()
  await expect.poll(listStoredBrowsers).toHaveLength(1)
})

afterEach(async () => {
  await context?.close()
  await ui?.stop()
  await client?.close()
})

const file = (): string => join(machine.stateDir, 'console-browsers.json')

function listStoredBrowsers(): unknown[] {
  return JSON.parse(readFileSync(file(), 'utf8')).browsers
}

async function restart(...flags: readonly string[]): Promise<void> {
  await ui.stop()
  ui = await startUi(machine, {}, flags)
}

const login = () => page.getByLabel('Token')

const openJob = (of: Page) => of.getByRole('region', { name: 'Job 1' }).getByText('deep link').first()

test('after a restart the page is back at the same address by itself, and so are a reload and another tab', async () => {
  await page.goto(`${ui.url}#/jobs/1`)
  await openJob(page).waitFor()
  const address = page.url()
  const { url, token } = ui
  await restart()
  expect(ui.url).toBe(url)
  expect(ui.token).not.toBe(token)
  await page.getByText('Live').waitFor()
  expect(page.url()).toBe(address)
  await page.reload()
  await openJob(page).waitFor()
  const tab = await context.newPage()
  await tab.goto(`${url}#/jobs/1`)
  await openJob(tab).waitFor()
  // The link of the run before is worth nothing.
  const other = await openPage(browser)
  await other.page.goto(`${url}#key=${token}`)
  await other.page.getByText('This link is no longer valid.').waitFor()
  await other.close()
})

test('the page waits for the command and says how to start it, and is logged in when it runs', async () => {
  const { url } = ui
  await ui.stop()
  const banner = page.getByRole('region', { name: 'Connection lost' })
  await banner.getByText('The command scorpiox-code ui has ended. Run it again, and this page reconnects.').waitFor()
  expect(await page.locator('main.offline').count()).toBe(1)
  ui = await startUi(machine)
  expect(ui.url).toBe(url)
  await page.getByText('Live').waitFor()
  await expect.poll(() => banner.count()).toBe(0)
})

test('--new-key logs out every browser, uses another port, and the page says why', async () => {
  const { url, port } = ui
  await restart('--new-key')
  expect(ui.url).not.toBe(url)
  expect(ui.greeting).toContain('All other browsers are logged out.')
  expect(listStoredBrowsers()).toEqual([])
  // On the same port, to show that not only the address has changed.
  await restart('--port', `${port}`)
  await page.getByText('This browser is no longer logged in').waitFor()
  await page.reload()
  await login().waitFor()
  await page.goto(`${ui.url}#key=${ui.token}`)
  await page.getByText('Live').waitFor()
  await expect.poll(listStoredBrowsers).toHaveLength(1)
  await restart()
  await page.getByText('Live').waitFor()
})

test('logging out is final for this browser, and its other tabs', async () => {
  const tab = await context.newPage()
  await tab.goto(ui.url)
  await tab.getByText('Live').waitFor()
  await logOut(tab)
  await tab.getByLabel('Token').waitFor()
  await expect.poll(listStoredBrowsers).toEqual([])
  await tab.reload()
  await tab.getByLabel('Token').waitFor()
})

test('the file is private and contains public keys only, and the browser stores nothing that is valid after the run', async () => {
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(Object.keys(Object(listStoredBrowsers()[0])).sort()).toEqual(['id', 'login', 'origin', 'publicKey', 'usedAt'])
  expect(await page.evaluate('indexedDB.databases()')).toEqual([])
  // The page signs after the file was written.
  const readStored = (): Promise<unknown> => page.evaluate("localStorage.getItem('login')")
  await expect.poll(readStored).not.toBeNull()
  const stored = await readStored()
  expect(await tryToAct(stored)).toBe(400)
  await restart()
  expect(await tryToAct(stored)).toBe(401)
})

/** The status of an action that needs a login and does nothing; 400: logged in. */
async function tryToAct(token: unknown): Promise<number> {
  return (await sendCommand(ui, 'kill', {}, String(token))).status
}

/**
 * What a program on the port sends to any page: a page that installs a worker. From then on the worker serves a page that
 * tries everything that is stored in the browser at the console, and reports it.
 */
const FOREIGN_PAGE = `<!doctype html><title>foreign</title><script type="module">
  const names = (await indexedDB.databases()).map(({ name }) => name)
  const open = (name) => new Promise((resolve) => (indexedDB.open(name).onsuccess = (event) => resolve(event.target.result)))
  const values = (base, store) => new Promise((resolve) => {
    base.transaction(store).objectStore(store).getAll().onsuccess = (event) => resolve(event.target.result)
  })
  const all = []
  for (const name of names) {
    const base = await open(name)
    for (const store of base.objectStoreNames) all.push(...(await values(base, store)))
  }
  const { run } = await (await fetch('/login.json')).json()
  const tokens = [...Object.values(localStorage), ...Object.values(sessionStorage)]
  for (const { privateKey, id } of all.filter((value) => value?.privateKey)) {
    const text = new TextEncoder().encode('scorpiox-code ui\\n' + run + '\\n' + location.origin)
    const bytes = new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, text))
    const signature = btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    tokens.push('browser.' + id + '.' + run + '.' + signature)
  }
  const statuses = []
  for (const token of tokens) {
    const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' }
    statuses.push((await fetch('/board/kill', { method: 'POST', headers, body: '{}' })).status)
  }
  console.log('foreign ' + JSON.stringify(statuses))
</script>`

const PLANTING_PAGE = (script: string): string => `<!doctype html><title>plants</title><script type="module">
  const registration = await navigator.serviceWorker.register('${script}', { scope: '/' })
  await registration.update()
  document.title = 'planted'
</script>`

const FOREIGN_WORKER = `addEventListener('install', (event) => event.waitUntil(skipWaiting()))
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  const seen = event.request.headers.get('authorization')
  if (seen) event.waitUntil(caches.open('seen').then((cache) => cache.put('/' + seen, new Response())))
  if (event.request.mode !== 'navigate') return
  event.respondWith(new Response(${JSON.stringify(FOREIGN_PAGE)}, { headers: { 'content-type': 'text/html' } }))
})`

async function openAndReadTitle(tab: Page, url: string): Promise<string> {
  await tab.goto(url)
  await expect.poll(() => tab.title()).not.toBe('plants')
  return tab.title()
}

/** Listens on the port while `ui` does not run, and is opened by the user. */
async function plantWorker(port: number, script: string): Promise<void> {
  const server = createServer(({ url }, response) => {
    const isScript = url === script
    response
      .setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      .setHeader('service-worker-allowed', '/')
    response.end(isScript ? FOREIGN_WORKER : PLANTING_PAGE(script))
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const tab = await context.newPage()
  // It becomes active when the one before is idle.
  await expect.poll(() => openAndReadTitle(tab, `http://127.0.0.1:${port}/`), { interval: 1000 }).toBe('foreign')
  await tab.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

describe.each(['/service-worker.js', '/x.js', '/board/x.js'])(
  'a worker that another program has installed as %s',
  (script) => {
    test('gets no login after a restart, and is removed when its page is opened', async () => {
      const { url, port } = ui
      await ui.stop()
      // No tab of the console is open.
      await page.goto('about:blank')
      await plantWorker(port, script)
      ui = await startUi(machine)
      expect(ui.url).toBe(url)
      const reports: string[] = []
      page.on('console', (message) => void (message.text().startsWith('foreign ') && reports.push(message.text())))
      await page.goto(`${url}#/jobs/1`)
      await expect.poll(() => reports.length).toBeGreaterThan(0)
      // Its page is replaced by the real one, without a click.
      await login().waitFor()
      expect(new Set(reports.flatMap((text) => JSON.parse(text.slice('foreign '.length))))).not.toContain(400)
      await expect.poll(() => page.evaluate(SCRIPTS)).toMatch(/^(\/service-worker\.js)?$/)
      await page.goto(`${url}#key=${ui.token}`)
      await page.getByText('Live').waitFor()
    })

    test('sees no credential of a tab that was open all the time', async () => {
      const { port } = ui
      await ui.stop()
      await plantWorker(port, script)
      ui = await startUi(machine)
      // It is removed, or replaced by that of the console, and the page loaded again.
      await login().or(page.getByText('Live')).waitFor()
      await expect.poll(() => page.evaluate(SCRIPTS)).toMatch(/^(\/service-worker\.js)?$/)
      const run = JSON.parse((await sendRequest(ui, { method: 'GET', path: '/login.json' })).text).run
      const seen: unknown = await page.evaluate(`caches.open('seen').then((cache) => cache.keys()).then((all) =>
      all.map(({ url }) => url).join())`)
      expect(seen).not.toContain(run)
    })
  },
)

const SCRIPTS = `navigator.serviceWorker.getRegistrations().then((all) =>
  all.map(({ active }) => new URL(active?.scriptURL ?? location.href).pathname).join())`
