// The calls on the page in a real browser, of real calls: the list and its filter, a call with its arguments and result,
// running it again, and the timeline of a session.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { call, emptyFolder, startJob, startServer, type TestClient } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, listViolations, openPage, type Watched } from './support.js'

const home = emptyFolder()
const project = emptyFolder()
const env = { HOME: home }
const PICTURES = process.env.CALL_PICTURES

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
  for (let n = 0; n < 130; n++) await call(client, 'ListBgTasks', {})
  await call(client, 'Bash', { command: 'echo "hello <b>world</b>"; date > ran.txt' })
  await call(client, 'Bash', { command: 'echo no such thing >&2; exit 3' })
  await call(client, 'ReadImage', {
    file_path: join(import.meta.dirname, '../../docs/pictures/jobs-light.png'),
  })
})

afterAll(async () => {
  await browser?.close()
  await client?.close()
  await server?.stop()
})

beforeEach(async () => {
  watched = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  page = watched.page
  await page.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
  await page.getByRole('navigation').waitFor()
})

afterEach(async () => {
  // Browsers report each answer that refuses an action.
  const expected = /409|ERR_FAILED|ERR_CONNECTION|ERR_INCOMPLETE/
  expect(watched.complaints.filter((text) => !expected.test(text))).toEqual([])
  await watched.close()
})

const row = (text: string) => page.getByRole('list', { name: 'Calls' }).getByRole('link').filter({ hasText: text })

async function open(path: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
}

async function photograph(name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) })
}

test('a call opens with its arguments, its result and where it came from; a failed one says why in the list', async () => {
  await open('#/calls')
  await row('no such thing')
    .getByText(/no such thing|exit/)
    .first()
    .waitFor()
  await photograph('list')
  await row('hello').click()
  const detail = page.getByRole('region', { name: 'Call' })
  await detail.getByRole('group', { name: 'Arguments' }).getByText('"command": "echo').waitFor()
  expect(await detail.getByRole('group', { name: 'Result' }).textContent()).toContain('hello <b>world</b>')
  await detail.getByText('test 0').waitFor()
  await photograph('detail')
  await detail.getByRole('button', { name: /^Copy Result/ }).click()
  await detail.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('hello <b>world</b>')
  expect(await listViolations(page)).toEqual([])
  await row('ReadImage').click()
  await detail.getByRole('img').first().waitFor()
  await photograph('image')
})

test('the filter is in the address and survives a reload', async () => {
  await open('#/calls')
  await row('hello').waitFor()
  const top = async (): Promise<number | undefined> =>
    (await page.getByRole('list', { name: 'Calls' }).boundingBox())?.y
  const before = await top()
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('error')
  await page.getByRole('button', { name: 'Clear filter' }).waitFor()
  expect(await top()).toBe(before)
  await row('no such thing').waitFor()
  await eventually(async () => (await row('hello').count()) === 0)
  await page.getByRole('searchbox').fill('SUCH')
  await eventually(() => page.url().includes('text=SUCH'))
  await page.reload()
  await row('no such thing').waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('SUCH')
  expect(await row('').count()).toBe(1)
  await page.getByRole('searchbox').fill('nothing of this kind')
  await page.getByText('No call matches the filter.').waitFor()
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await row('hello').waitFor()
})

test('the list is virtual, reads earlier pages when it is scrolled, and follows new calls', async () => {
  await open('#/calls')
  await row('hello').waitFor()
  expect(await row('').count()).toBeLessThan(60)
  const list = page.getByRole('list', { name: 'Calls' })
  const size = async (): Promise<number> =>
    Number(await list.getByRole('listitem').first().getAttribute('aria-setsize'))
  await eventually(async () => {
    await page.mouse.wheel(0, 3000)
    return (await size()) >= 133
  })
  await call(client, 'Bash', { command: 'echo just now' })
  // The browser may still be scrolling.
  await eventually(async () => {
    await page.evaluate('scrollTo(0, 0)')
    return row('just now').isVisible()
  })
})

/** Requests of this kind fail until the returned function is called. */
async function failRequests(verb: string): Promise<() => Promise<void>> {
  await page.route(`**/board/${verb}`, (route) => route.abort())
  return () => page.unroute(`**/board/${verb}`)
}

test('what failed to load can be loaded again: the list, a call and a timeline', async () => {
  const ends = [await failRequests('calls'), await failRequests('call'), await failRequests('timeline')]
  await open('#/calls')
  const retry = page.getByRole('button', { name: 'Try now' })
  await retry.waitFor()
  await ends[0]?.()
  await retry.click()
  await row('hello').last().click()
  const detail = page.getByRole('region', { name: 'Call' })
  await detail.getByRole('alert').getByRole('button').waitFor()
  await ends[1]?.()
  await retry.click()
  await detail.getByRole('group', { name: 'Arguments' }).waitFor()
  await detail.getByRole('link', { name: 'Timeline' }).click()
  await retry.waitFor()
  await ends[2]?.()
  await retry.click()
  await page.getByRole('list', { name: 'Timeline' }).getByRole('link').first().waitFor()
  expect(watched.complaints.every((text) => text.includes('ERR_FAILED'))).toBe(true)
})

test('a search that has more to look through says so, and not that there is nothing', async () => {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => (resolve = settle))
  let pages = 0
  await page.route('**/board/calls', async (route) => {
    pages++
    if (pages > 1) await promise
    await route.fulfill({ json: { calls: [], next: pages > 1 ? null : '1~a', isHistoryKept: true } })
  })
  await open('#/calls?text=rare')
  await page.getByText('Searching…').waitFor()
  expect(await page.getByText('No call matches the filter.').count()).toBe(0)
  resolve()
  await page.getByText('No call matches the filter.').waitFor()
})

test('a call is run again after a confirmation, and its result opens', async () => {
  await open('#/calls')
  await row('hello').click()
  const detail = page.getByRole('region', { name: 'Call' })
  const before = page.url()
  await detail.getByRole('button', { name: /^Run again/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Run this call again?' })
  await dialog.getByText('echo').waitFor()
  await photograph('rerun')
  await dialog.getByRole('button', { name: 'Run again' }).click()
  await eventually(() => page.url() !== before)
  await detail.getByText(/^console /).waitFor()
  await detail.getByRole('group', { name: 'Result' }).getByText('hello <b>world</b>').waitFor()
})

test('a link to a call opens it in a new tab, and an unknown one says so', async () => {
  await open('#/calls')
  await row('hello').first().click()
  await page.getByRole('region', { name: 'Call' }).getByRole('heading', { name: 'Bash' }).waitFor()
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByText('Copied').first().waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url())
  await page.reload()
  await page.getByRole('region', { name: 'Call' }).getByRole('heading', { name: 'Bash' }).waitFor()
  await open('#/calls/0000000000000000.00000001')
  await page.getByText('This call is no longer kept.').waitFor()
})

test('the timeline shows calls, jobs, questions and callbacks of a session on one axis', async () => {
  const job = await startJob(client, 'echo from the job')
  await call(client, 'SetCallback', { action: 'set', message: 'look again', delay_seconds: 3600 })
  const asked = ask(client, { text: 'Which colour?', options: ['Red', 'Green'] })
  await page.getByText('Which colour?').first().waitFor()
  await page.getByLabel('Red').check()
  await page.getByRole('button', { name: 'Answer' }).click()
  await asked
  await open('#/calls')
  await row('hello').last().click()
  await page.getByRole('link', { name: 'Timeline' }).click()
  const list = page.getByRole('list', { name: 'Timeline' })
  await call(client, 'SetCallback', { message: 'fires now', delay_seconds: 1, repeat_count: 1 })
  await list
    .getByRole('link', { name: /ListBgTasks/ })
    .first()
    .waitFor()
  await list.getByRole('link').first().focus()
  await page.keyboard.press('End')
  await list.getByRole('link', { name: /Which colour.*The question waited/ }).waitFor()
  const jobLink = list.getByRole('link', { name: /echo from the job.*This job ran/ })
  expect(await jobLink.getAttribute('href')).toMatch(/^#\/jobs\/[0-9a-f]{16}\/\d+$/)
  // What happens while it is open appears.
  // A callback fires between two calls.
  await list.getByRole('link', { name: /fires now.*The callback waited/ }).waitFor()
  await call(client, 'PlanMode', { action: 'enter', goal: 'Paint' })
  const exiting = call(client, 'PlanMode', { action: 'exit', plan: 'Paint it' })
  await list.getByRole('link', { name: /exit.*The plan waited.*Not finished yet/ }).waitFor()
  await list.getByRole('link', { name: /look again.*Set .* ago/ }).waitFor()
  await list.getByRole('link', { name: /Callback . fired.*The message waited/ }).waitFor()
  const ticks = await page.locator('.timeline-ticks span').allTextContents()
  expect(ticks).toHaveLength(5)
  expect(ticks[0]).toBe('0')
  expect(ticks[4]).toMatch(/^\d.*s$/)
  await photograph('timeline')
  expect(await listViolations(page)).toEqual([])
  expect(job).toBeGreaterThan(0)
  await open('#/plans')
  await page.getByRole('button', { name: 'Approve' }).first().click()
  await exiting
})

test('on a phone the list or the call is shown, without a sideways scroll', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await open('#/calls')
  await row('hello').first().waitFor()
  await photograph('phone-list')
  await row('hello').first().click()
  await page.getByRole('link', { name: 'Back to the list' }).waitFor()
  await photograph('phone-detail')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await row('hello').first().waitFor()
})

test('a list of running calls drops a call that ends', async () => {
  await open('#/calls?outcome=running')
  await page.getByText('No call matches the filter.').waitFor()
  const running = call(client, 'Bash', { command: 'echo began; until [ -e go ]; do sleep 0.1; done' })
  await row('echo began').waitFor()
  writeFileSync(join(project, 'go'), '')
  await running
  await page.getByText('No call matches the filter.').waitFor()
  await row('echo began').waitFor({ state: 'detached' })
})

test('a search keeps its earlier pages and its place when calls arrive, and shows them while they keep coming', async () => {
  await open('#/calls?text=ListBgTasks')
  const list = page.getByRole('list', { name: 'Calls' })
  const size = async (): Promise<number> =>
    Number(await list.getByRole('listitem').first().getAttribute('aria-setsize'))
  await list.getByRole('link').first().waitFor()
  await eventually(async () => {
    await page.mouse.wheel(0, 3000)
    return (await size()) >= 130
  })
  const before = await size()
  const end = new AbortController()
  const calling = (async () => {
    while (!end.signal.aborted) {
      await call(client, 'ListBgTasks', {})
      await pause(100)
    }
  })()
  try {
    const sizes = new Set<number>()
    await eventually(async () => {
      sizes.add(await size())
      return (await size()) >= before + 20
    })
    expect([...sizes].filter((each) => each < before)).toEqual([])
  } finally {
    end.abort()
    await calling
  }
  expect(Number(await page.evaluate('scrollY'))).toBeGreaterThan(500)
})

test('what failed to load is loaded when the connection is back', async () => {
  await open('#/calls')
  await row('ListBgTasks').first().waitFor()
  const succeed = await failRequests('call')
  await row('ListBgTasks').first().click()
  const detail = page.getByRole('region', { name: 'Call' })
  await detail.getByRole('alert').getByRole('button').waitFor()
  await succeed()
  const { port } = server
  await server.stop()
  await page.getByRole('region', { name: 'Connection lost' }).waitFor()
  server = await startProgram({ env, cwd: emptyFolder(), flags: ['--port', `${port}`] })
  await detail.getByRole('group', { name: 'Arguments' }).waitFor()
})

test('a list that stays open while thousands of calls arrive begins anew, unless it is scrolled', async () => {
  const many = Array.from({ length: 5001 }, (_, index) => ({
    id: `0000000000000000.${index.toString(16).padStart(8, '0')}`,
    server: '0000000000000000',
    project,
    session: 'before',
    client: 'test',
    tool: 'Bash',
    about: `echo call ${index}`,
    outcome: 'ok',
    startedAt: 1_700_000_000_000 + index,
    ms: 1,
    error: null,
  }))
  let reads = 0
  await page.route('**/board/calls', async (route) => {
    reads++
    if (reads > 1) return route.continue()
    return route.fulfill({ json: { calls: many.toReversed(), next: '1~a', isHistoryKept: true } })
  })
  await open('#/calls')
  const list = page.getByRole('list', { name: 'Calls' })
  await eventually(async () => {
    const size = Number(await list.getByRole('listitem').first().getAttribute('aria-setsize'))
    return reads > 1 && size > 50 && size < 1000
  })
  await row('ListBgTasks').first().waitFor()
  expect(await row('echo call').count()).toBe(0)
})
