// A link to a call, a job or a task scrolls the list to its row, in a real browser on the real program: also when the list
// is loaded later, once, and not against the person.

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import type { CallPage, CallView } from '@scorpiox/console/view'
import { call, emptyFolder, startJob, startServer, type TestClient } from '../support/client.js'
import { sendCommand } from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { openPage, type Watched } from './support.js'

const env = { HOME: emptyFolder(), SANDBOX: 'off' }
const project = emptyFolder()
const JOBS = 30
const TASKS = 130

let browser: Browser
let server: HttpServer
let client: TestClient
let watched: Watched
let page: Page
/** Newest first. */
let calls: readonly CallView[]

beforeAll(async () => {
  browser = await openChromium()
  server = await startProgram({ env, cwd: emptyFolder() })
  client = startServer({ env, cwd: project })
  await client.initialize('2025-11-25')
  const names = Array.from({ length: TASKS }, (_, n) => `task number ${n + 1}`)
  for (let from = 0; from < TASKS; from += 50)
    await Promise.all(
      names.slice(from, from + 50).map((query) => call(client, 'TaskManager', { action: 'create', query })),
    )
  for (let n = 0; n < JOBS; n++) await startJob(client, `echo job number ${n}`)
  const pageAfter = async (after: string | null): Promise<CallPage> =>
    (await sendCommand(server, 'calls', { after })).json
  calls = await eventually(
    async () => {
      const first = await pageAfter(null)
      return [...first.calls, ...(first.next === null ? [] : (await pageAfter(first.next)).calls)]
    },
    ({ length }) => length === JOBS + TASKS,
  )
})

afterAll(async () => {
  await browser?.close()
  await client?.close()
  await server?.stop()
})

beforeEach(async () => {
  watched = await openPage(browser, { viewport: { width: 1280, height: 720 } })
  page = watched.page
})

afterEach(async () => {
  expect(watched.complaints).toEqual([])
  await watched.close()
})

async function openAddress(path: string): Promise<void> {
  await page.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
  await page.getByRole('navigation').waitFor()
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
}

const opened = () => page.locator('.virtual > li:has([aria-current])')

/** Where it is on the screen; undefined if it is not completely on it. */
async function placeOfOpened(): Promise<number | undefined> {
  const box = (await opened().count()) === 1 ? await opened().boundingBox() : null
  return box !== null && box.y >= 0 && box.y + box.height < 721 ? Math.round(box.y) : undefined
}

/** At rest: rows that came into the document are measured. */
async function waitUntilInSight(): Promise<number> {
  let before: number | undefined
  return eventually(
    async () => {
      const place = await placeOfOpened()
      const isStill = place === before
      before = place
      return isStill ? place : undefined
    },
    (place) => place !== undefined,
  ).then(Number)
}

function idOf(position: number): string {
  return calls.at(position)?.id ?? ''
}

test('a call is scrolled to, without the focus; new calls do not move it, and it does not come back after scrolling', async () => {
  await openAddress(`#/calls/${idOf(70)}`)
  const place = await waitUntilInSight()
  expect(await page.evaluate("document.activeElement?.closest('.virtual') === null")).toBe(true)
  await call(client, 'Bash', { command: 'echo a new call' })
  const list = page.getByRole('list', { name: 'Calls' })
  const size = async (): Promise<number> =>
    Number(await list.getByRole('listitem').first().getAttribute('aria-setsize'))
  const before = await size()
  await call(client, 'Bash', { command: 'echo another new call' })
  await expect.poll(size).toBeGreaterThan(before)
  expect(await waitUntilInSight()).toBe(place)
  await page.mouse.move(300, 400)
  await eventually(async () => {
    await page.mouse.wheel(0, -3000)
    return (await page.evaluate('scrollY')) === 0
  })
  await call(client, 'Bash', { command: 'echo one more' })
  await page.getByText('echo one more').first().waitFor()
  expect(await page.evaluate('scrollY')).toBe(0)
  expect(await placeOfOpened()).toBeUndefined()
})

test('a call of an earlier page of the list is scrolled to as soon as its page is read', async () => {
  await openAddress(`#/calls/${idOf(-5)}`)
  await waitUntilInSight()
})

test('a list that is loaded late does not move if the person has scrolled meanwhile', async () => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/board/calls', async (route) => {
    await released
    await route.continue()
  })
  await openAddress(`#/calls/${idOf(70)}`)
  await page.getByRole('region', { name: 'Call' }).getByRole('group', { name: 'Arguments' }).waitFor()
  await page.evaluate("addEventListener('wheel', () => (globalThis.isScrolled = true))")
  await page.mouse.move(300, 400)
  await page.mouse.wheel(0, 10)
  await expect.poll(() => page.evaluate('globalThis.isScrolled')).toBe(true)
  release()
  await opened().waitFor({ state: 'attached' })
  expect(await page.evaluate('scrollY')).toBeLessThan(50)
})

test('a job is scrolled to, also when its link changes the view', async () => {
  await openAddress('#/tools')
  await page.getByText(`Process ${client.child.pid}`).waitFor()
  // The oldest is the last of the list.
  await page.evaluate("location.hash = '#/jobs/1'")
  await page.getByRole('region', { name: 'Job 1' }).waitFor()
  await waitUntilInSight()
  await page.evaluate(`location.hash = '#/jobs/${JOBS}'`)
  await page.getByRole('region', { name: `Job ${JOBS}` }).waitFor()
  await waitUntilInSight()
})

test('a task is scrolled to, also one that is not on the first page of the list', async () => {
  await openAddress(`#/tasks/${encodeURIComponent(project)}/1`)
  await waitUntilInSight()
})
