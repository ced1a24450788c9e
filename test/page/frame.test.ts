// The frame of the page in a real browser on the real program: login, navigation on a desktop and a phone, settings, keys,
// banners, notifications and sound.

import { spawn } from 'node:child_process'
import { userInfo } from 'node:os'

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import { cleanEnv, emptyFolder, PROGRAM, startServer, type TestClient } from '../support/client.js'
import { type HttpServer, sendRequest, startProgram, TOKEN, tokenFor } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, logOut, openPage, openSettings, openView, type Watched } from './support.js'

const home = emptyFolder()
const project = emptyFolder()
const env = { HOME: home }

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
  await watched.close()
})

const address = (): string => `http://127.0.0.1:${server.port}/`

const lookAt = (view: string): Promise<void> => openView(page, server, client, view)

const card = (text: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: text }).first()

describe('the login', () => {
  test('a token signs in, is kept for the tab, and is removed by signing out', async () => {
    await page.goto(address())
    const field = page.getByLabel('Token')
    expect(await field.getAttribute('type')).toBe('password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Paste a token first.').waitFor()
    await field.fill('not-the-token')
    await field.press('Enter')
    await page.getByText('The server does not accept this token.').waitFor()
    await field.fill('كلمة السر')
    await field.press('Enter')
    await page.getByText('The server does not accept this token.').waitFor()
    await field.fill(TOKEN)
    await field.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
    await logOut(page)
    await field.waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.reload()
    await field.waitFor()
    // The browser logs the refusal of the wrong token.
    expect(watched.complaints.filter((text) => !text.includes('401'))).toEqual([])
  })

  test('a link signs in at once, and its key is removed from the address', async () => {
    await page.goto(`${address()}#key=${TOKEN}`)
    await page.getByText('Live').waitFor()
    expect(page.url()).not.toContain(TOKEN)
    await page.goBack()
    expect(page.url()).not.toContain(TOKEN)
  })

  test('a link changes nothing in a tab that is signed in, and its key is removed from the address', async () => {
    await page.goto(`${address()}#key=${TOKEN}`)
    await page.getByText('Live').waitFor()
    const stored = (): Promise<unknown> => page.evaluate("sessionStorage.getItem('token')")
    const other = tokenFor('mallory', env)
    // In the open page, which is not loaded again, and at a load.
    await page.evaluate(`location.hash = '#key=${other}'`)
    await expect.poll(() => page.url()).not.toContain('key=')
    expect(await stored()).toBe(TOKEN)
    await page.goto('about:blank')
    await page.goto(`${address()}#key=${other}`)
    await page.getByText('Live').waitFor()
    expect(page.url()).not.toContain('key=')
    expect(await stored()).toBe(TOKEN)
    await logOut(page)
    await page.getByLabel('Token').waitFor()
    await page.evaluate(`location.hash = '#key=${other}'`)
    await page.getByText('Live').waitFor()
    expect(await stored()).toBe(other)
  })

  test('an expired link says how to get another', async () => {
    await page.goto(`${address()}#key=old`)
    await page.getByText('This link is no longer valid.').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })
})

test('the language is that of the browser, can be switched, and is remembered', async () => {
  const arabic = await openPage(browser, { locale: 'ar-EG' })
  await arabic.page.goto(`${address()}#key=${TOKEN}`)
  await arabic.page.getByRole('heading', { level: 1, name: 'الرئيسية' }).waitFor()
  const html = arabic.page.locator('html')
  expect([await html.getAttribute('lang'), await html.getAttribute('dir')]).toEqual(['ar', 'rtl'])
  await openSettings(arabic.page)
  await arabic.page.getByRole('combobox').selectOption('ko')
  await arabic.page.reload()
  await arabic.page.getByRole('heading', { level: 1, name: '홈' }).waitFor()
  expect([await html.getAttribute('lang'), await html.getAttribute('dir')]).toEqual(['ko', 'ltr'])
  await arabic.close()
})

test('the command `ui` shows what a client on stdio does, without any other server', async () => {
  const ui = spawn(process.execPath, [PROGRAM, 'ui', '--no-open'], { cwd: project, env: cleanEnv(env) })
  let printed = ''
  ui.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed, { timeout: 15_000 }).toMatch(/#key=\S+\n/)
  await page.goto(/http:\S+/.exec(printed)?.[0] ?? '')
  await page.getByRole('link', { name: /^Tools/ }).click()
  await page.getByText(`Process ${client.child.pid}`).waitFor()
  await page.getByRole('link', { name: /^Home/ }).click()
  const asked = ask(client, { text: 'Over here?', options: ['Yes', 'No'] })
  await card('Over here?').getByLabel('No', { exact: true }).check()
  await page.getByRole('button', { name: 'Answer' }).click()
  expect((await asked).structured.answers[0].selected).toEqual(['No'])
  ui.kill('SIGTERM')
  const banner = page.getByRole('region', { name: 'Connection lost' })
  await banner.getByText('The command scorpiox-code ui has ended.').waitFor()
  await banner.getByText('You see the last known state.').waitFor()
})

test('the command `ui` without its link prints how to get one, and accepts it', async () => {
  const token = tokenFor(userInfo().username, env)
  const ui = spawn(process.execPath, [PROGRAM, 'ui', '--no-open'], {
    cwd: project,
    env: cleanEnv({ ...env, HTTP_TOKEN: 'a-fixed-token' }),
  })
  onTestFinished(() => void ui.kill('SIGTERM'))
  let printed = ''
  ui.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed, { timeout: 15_000 }).toMatch(/#key=\S+\n/)
  const [, link = '', key = ''] = /(http:\S+)#key=(\S+)/.exec(printed) ?? []
  for (const credential of [key, `${link}#key=${key}`, token, 'a-fixed-token']) {
    await page.goto(link)
    await page.getByText('Open the link that scorpiox-code ui printed, or paste its key.').waitFor()
    await page.getByText('You can also paste a token that you created with scorpiox-code token create.').waitFor()
    await page.getByLabel('Token').fill('a-wrong-token')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('The server does not accept this token.').waitFor()
    await page.getByLabel('Token').fill(credential)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('link', { name: /^Tools/ }).click()
    await page.getByText(`Process ${client.child.pid}`).waitFor()
    await logOut(page)
  }
})

test('a server without authentication shows the console to those who have the link that it printed', async () => {
  const open = await startProgram({ env: { HOME: emptyFolder(), HTTP_TOKEN: '' }, flags: ['--no-auth'] })
  onTestFinished(async () => void (await open.stop()))
  await page.goto(`http://127.0.0.1:${open.port}/`)
  await page.getByText('Open the link that the server printed when it started, or paste its key.').waitFor()
  const [link = ''] = /http:\S+#key=\S+/.exec(open.greeting) ?? []
  await page.goto(link)
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.getByText('Live').waitFor()
})

test('when the server restarts the page reconnects; with another token it shows the login', async () => {
  await lookAt('Home')
  const { port } = server
  await server.stop()
  await page.getByText(/Next attempt in/).waitFor()
  server = await startProgram({ env, flags: ['--port', `${port}`] })
  await page.getByText('Live').waitFor()
  const asked = ask(client, { text: 'Still there?', options: ['Yes', 'No'] })
  await card('Still there?').getByLabel('Yes').check()
  await page.getByRole('button', { name: 'Answer' }).click()
  expect((await asked).structured.answers[0].selected).toEqual(['Yes'])
  await server.stop()
  server = await startProgram({ env: { ...env, HTTP_TOKEN: 'another' }, flags: ['--port', `${port}`] })
  await page.getByText('You were logged out').waitFor()
  await server.stop()
  server = await startProgram({ env, flags: ['--port', `${port}`] })
})

test('a phone has a bar at the bottom with counts, and a menu for the rest; nothing of it covers the end of the page', async () => {
  // The process of the client knows that the console is open.
  await lookAt('Home')
  const phone = await openPage(browser, { viewport: { width: 360, height: 640 }, hasTouch: true })
  onTestFinished(() => phone.close())
  page = phone.page
  await page.goto(`${address()}#key=${TOKEN}`)
  const bar = page.getByRole('navigation', { name: 'Views' })
  await bar.waitFor()
  const asked = ask(client, { text: 'On the phone?', options: ['Yes', 'No'] })
  await bar.getByRole('link', { name: /^Home\W+1 / }).waitFor()
  expect((await bar.getByRole('link').allInnerTexts()).map((text) => text.split('\n')[0])).toEqual(PHONE_VIEWS)
  const { y, height } = (await bar.boundingBox()) ?? { y: 0, height: 0 }
  expect(y + height).toBe(640)
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  const decline = (await page.getByRole('button', { name: /^Decline/ }).boundingBox()) ?? { y: 0, height: 0 }
  expect(decline.y + decline.height).toBeLessThan(y)
  await bar.getByRole('button', { name: 'Menu' }).tap()
  await page.getByRole('dialog').getByRole('link', { name: 'Tools' }).tap()
  await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await bar.getByRole('button', { name: 'Menu' }).tap()
  await page.getByRole('dialog').getByRole('button', { name: 'Settings' }).tap()
  await page.getByRole('dialog', { name: 'Settings' }).getByRole('radio', { name: 'Dark' }).check()
  await page.keyboard.press('Escape')
  await bar.getByRole('link', { name: /^Home/ }).tap()
  await page.getByRole('button', { name: /^Decline/ }).tap()
  await asked
})

const PHONE_VIEWS = ['Home', 'Jobs', 'Calls', 'Tasks']

test('an address that changes while the page is opened is followed', async () => {
  await lookAt('Home')
  // As soon as the page has rendered anything: it runs its effects after the next frame.
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (document.querySelector('h1') === null) return
    observer.disconnect()
    location.hash = '#/tools'
  }).observe(document, { childList: true, subtree: true })`)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor()
})

test('the theme is remembered, and other tabs follow it', async () => {
  await page.goto(`${address()}#key=${TOKEN}`)
  const tab = await page.context().newPage()
  await tab.goto(`${address()}#key=${TOKEN}`)
  await tab.getByText('Live').waitFor()
  const ground = (of: Page): Promise<unknown> =>
    of.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const light = await ground(tab)
  await openSettings(page)
  await page.getByRole('radio', { name: 'Dark' }).check()
  await expect.poll(() => ground(tab)).not.toBe(light)
  const dark = await ground(tab)
  await page.reload()
  await page.getByText('Live').waitFor()
  expect(await ground(page)).toBe(dark)
})

test('a sound is played on request for a new question', async () => {
  await page.addInitScript(`globalThis.tones = 0
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (...when) { tones += 1; return start.apply(this, when) }`)
  await lookAt('Home')
  const first = ask(client, { text: 'Silent?', options: ['Yes', 'No'] })
  await page.getByRole('main').getByText('Silent?').first().waitFor()
  expect(await page.evaluate('tones')).toBe(0)
  await openSettings(page)
  await page.getByLabel('Play a sound when something is waiting for you').check()
  // It is played once, so that the user knows it.
  await expect.poll(() => page.evaluate('tones')).toBe(2)
  await page.keyboard.press('Escape')
  const second = ask(client, { text: 'Audible?', options: ['Yes', 'No'] })
  await expect.poll(() => page.evaluate('tones')).toBe(4)
  for (const text of ['Silent?', 'Audible?'])
    await card(text)
      .getByRole('button', { name: /^Decline/ })
      .click()
  await Promise.all([first, second])
})

test('a server that has exited is in a banner until it is closed, and has no green dot', async () => {
  const other = startServer({ env, cwd: emptyFolder() })
  await other.initialize('2025-11-25')
  await lookAt('Tools')
  await page.getByText(`Process ${other.child.pid}`).waitFor()
  await other.close()
  const banner = page.getByRole('region', { name: 'Server has exited' })
  await banner.getByText('A server has exited').waitFor()
  await banner.getByText(`Process ${other.child.pid}`).waitFor()
  await banner.getByText('exited now').waitFor()
  await expect.poll(() => page.locator('main .stale').count()).toBe(1)
  await banner.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => banner.count()).toBe(0)
})

test('the first load is at most 90 KB, and has no chunk that is loaded on demand', async () => {
  await lookAt('Home')
  await page.reload()
  await page.getByText('Live').waitFor()
  const loaded: unknown =
    await page.evaluate(`[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ name }) => /\\/$|\\.(js|css)$/.test(new URL(name).pathname))
    .map(({ name }) => new URL(name).pathname).sort()`)
  expect(loaded).toEqual(['/', '/page.css', '/page.js'])
  const gzipped = await Promise.all(
    ['', 'page.css', 'page.js'].map(async (path) => {
      const response = await sendRequest(server, {
        method: 'GET',
        path: `/${path}`,
        headers: { 'accept-encoding': 'gzip' },
      })
      expect(response.headers['content-encoding']).toBe('gzip')
      return Number(response.headers['content-length'])
    }),
  )
  expect(gzipped.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(90_000)
})
