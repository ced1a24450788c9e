// Home, in a real browser on the real program: what needs the person, what blocks a model first.

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

import { call, emptyFolder, startJob, startServer, type TestClient } from '../support/client.js'
import { type HttpServer, startProgram } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, listViolations, openPage, openView, type Watched } from './support.js'

const env = { HOME: emptyFolder() }

let browser: Browser
let server: HttpServer
let client: TestClient
let watched: Watched
let page: Page

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
})

afterEach(async () => {
  const { complaints } = watched
  await watched.close()
  expect(complaints).toEqual([])
})

test('is empty when nothing needs the person, and the view that opens first', async () => {
  await openView(page, server, client, 'Home')
  await page.getByText('Nothing needs you').waitFor()
  await page.goto(`http://127.0.0.1:${server.port}/`)
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  expect(await listViolations(page)).toEqual([])
})

test('what blocks a model is first and in sight, before plans, older questions, failed jobs and callbacks', async () => {
  const other = startServer({ env, cwd: emptyFolder() })
  onTestFinished(async () => void (await other.close()))
  await other.initialize('2025-11-25')
  // No call waits for it, because no page was open.
  const old = await ask(other, { text: 'An old question?', options: ['Yes', 'No'] })
  expect(old.structured.rung).toBe('text')
  // Delivered with the next result of its session, which comes after the answer.
  await call(other, 'SetCallback', { action: 'set', message: 'Look again', delay_seconds: 1, repeat_count: 1 })
  await openView(page, server, client, 'Home')
  for (const number of [1, 2, 3]) await startJob(client, `echo trying ${number}; exit ${number}`)
  await call(client, 'PlanMode', { action: 'enter', goal: 'A long plan' })
  const plan = call(client, 'PlanMode', { action: 'exit', plan: `# Plan\n\n${'- step\n'.repeat(200)}` })
  const main = page.getByRole('main')
  await main.getByText('Approve this plan?').waitFor()
  await main.getByRole('region', { name: 'Failed jobs' }).getByText('exit code 3').waitFor()
  const fired = main.getByRole('region', { name: 'Fired callbacks and late answers' })
  await fired.getByRole('link', { name: 'Look again' }).waitFor()
  const asked = ask(other, {
    text: `Which database should the tests use? ${'It matters. '.repeat(8)}`,
    options: ['SQLite', { label: 'PostgreSQL', description: 'As in production' }, 'None'],
  })
  const blocking = main.getByRole('listitem').filter({ hasText: 'Which database' })
  await blocking.waitFor()
  const order = await main.locator('.cards > li, section h2').allInnerTexts()
  const position = (text: string): number => order.findIndex((entry) => entry.includes(text))
  const expected = ['Which database', 'Approve this plan?', 'An old question?', 'Failed jobs', 'Fired callbacks']
  expect(expected.map(position)).toEqual(expected.map(position).toSorted((a, b) => a - b))
  expect(position('Which database')).toBe(0)
  for (const [width, height] of [
    [1440, 900],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.evaluate('scrollTo(0, 0)')
    for (const label of ['SQLite', 'PostgreSQL', 'None']) {
      const box = await blocking.getByRole('radio', { name: label }).boundingBox()
      expect((box?.y ?? Infinity) + (box?.height ?? 0), `${label} at ${width}`).toBeLessThan(height)
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await listViolations(page)).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await blocking.getByRole('radio', { name: 'None' }).check()
  await blocking.getByRole('button', { name: 'Answer' }).click()
  expect((await asked).structured.answers[0].selected).toEqual(['None'])
  await main.getByRole('button', { name: 'Approve', exact: true }).click()
  await plan
})

test('failed jobs and callbacks lead to their place, and stay hidden after a reload; a killed job has not failed', async () => {
  await openView(page, server, client, 'Home')
  const id = await startJob(client, 'echo a job that fails; exit 7')
  const killed = await startJob(client, 'echo a job that is killed; sleep 300')
  await call(client, 'KillBgTask', { task_id: killed })
  const failed = page.getByRole('region', { name: 'Failed jobs' })
  await failed.getByRole('link', { name: 'echo a job that fails' }).waitFor()
  expect(await failed.textContent()).not.toContain('is killed')
  // Why it failed: the last line that it printed.
  expect(await failed.getByRole('listitem').first().locator('.last-line').textContent()).toBe('a job that fails')
  await failed.getByRole('link', { name: 'echo a job that fails' }).click()
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
  expect(decodeURIComponent(page.url())).toMatch(new RegExp(`#/jobs/(.*/)?${id}$`))
  await page.goBack()
  await failed
    .getByRole('listitem')
    .filter({ hasText: 'a job that fails' })
    .getByRole('button', { name: 'Hide' })
    .click()
  await expect.poll(() => page.getByText('a job that fails').count()).toBe(0)
  await page.getByRole('link', { name: /^Jobs/ }).click()
  await page.getByText('a job that fails').first().waitFor()
  await page.getByRole('link', { name: /^Home/ }).click()
  for (const number of [1, 2]) await startJob(client, `echo also ${number}; exit ${number}`)
  for (const number of [1, 2]) await failed.getByRole('link', { name: `echo also ${number}` }).waitFor()
  const counts = async (): Promise<readonly (string | undefined)[]> => {
    const texts = [page.locator('.heading .quiet'), page.getByRole('link', { name: /^Home/ }).locator('.badge')]
    const shown = await Promise.all(texts.map(async (each) => ((await each.count()) > 0 ? each.textContent() : '0')))
    return shown.map((text) => /\d+/.exec(text ?? '')?.[0])
  }
  const [before, inNavigation] = await counts()
  expect(inNavigation).toBe(before)
  await page.getByRole('button', { name: 'Hide all : Failed jobs' }).click()
  await failed.waitFor({ state: 'detached' })
  const [after, inNavigationAfter] = await counts()
  expect(inNavigationAfter).toBe(after)
  expect(Number(after)).toBeLessThan(Number(before) - 1)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.getByText('Live').waitFor()
  expect(await failed.count()).toBe(0)
  // A job that fails later is shown again.
  await startJob(client, 'echo another one; exit 1')
  await failed.getByRole('link', { name: 'echo another one' }).waitFor()
})

test('on a wide screen what happened is beside what is asked; a confirmation is in sight and moves nothing', async () => {
  await openView(page, server, client, 'Home')
  await startJob(client, 'echo beside it; exit 1')
  const failed = page.getByRole('region', { name: 'Failed jobs' })
  await failed.getByRole('link', { name: 'echo beside it' }).waitFor()
  const asked = [1, 2, 3, 4].map((number) => ask(client, { text: `Question ${number}?`, options: ['A', 'B', 'C'] }))
  const card = (number: number) => page.getByRole('listitem').filter({ hasText: `Question ${number}?` })
  for (const number of [1, 2, 3, 4]) await card(number).waitFor()
  await page.setViewportSize({ width: 2200, height: 900 })
  const place = async (of: Locator) => (await of.boundingBox()) ?? { x: NaN, y: NaN, width: NaN, height: NaN }
  const first = await place(card(1))
  const beside = await place(failed)
  expect(beside.x).toBeGreaterThan(first.x + first.width)
  expect(Math.abs(beside.y - first.y)).toBeLessThan(20)
  expect(await listViolations(page)).toEqual([])
  await page.setViewportSize({ width: 1200, height: 700 })
  await card(4)
    .getByRole('button', { name: /^Decline/ })
    .scrollIntoViewIfNeeded()
  const scrollTop = async (): Promise<number> => Number(await page.evaluate('scrollY'))
  const before = (await place(card(3))).y + (await scrollTop())
  await card(4)
    .getByRole('button', { name: /^Decline/ })
    .click()
  const confirmation = page.getByText('You declined. The model is notified.')
  await confirmation.waitFor()
  await card(4).waitFor({ state: 'detached' })
  const { y, height } = await place(confirmation)
  expect(y).toBeGreaterThan(0)
  expect(y + height).toBeLessThan(700)
  expect((await place(card(3))).y + (await scrollTop())).toBe(before)
  for (const number of [1, 2, 3])
    await card(number)
      .getByRole('button', { name: /^Decline/ })
      .click()
  await Promise.all(asked)
})
