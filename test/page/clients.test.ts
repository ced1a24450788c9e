// Two clients in one project, on the page in a real browser: what each of them asks and does names it, and what waits has
// the same order on Home and in the command palette.

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import {
  call,
  type ClientInfo,
  emptyFolder,
  killServer,
  startJob,
  startServer,
  type TestClient,
} from '../support/client.js'
import { type HttpServer, startProgram } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, listViolations, openPage, openView, type Watched } from './support.js'

const ATLAS = { name: 'atlas-code', version: '2.1' }
const BOREAL = { name: 'Boreal', version: '0.9.4' }
const OPTIONS = ['Red', 'Green']

const env = { HOME: emptyFolder(), SANDBOX: 'off' }
const project = emptyFolder()

let browser: Browser
let server: HttpServer
let atlas: TestClient
let boreal: TestClient
let watched: Watched
let page: Page

async function serve(info: ClientInfo): Promise<TestClient> {
  const client = startServer({ env, cwd: project })
  await client.initialize('2025-11-25', {}, info)
  return client
}

beforeAll(async () => {
  browser = await openChromium()
  server = await startProgram({ env, cwd: emptyFolder() })
  atlas = await serve(ATLAS)
  boreal = await serve(BOREAL)
})

afterAll(async () => {
  await browser?.close()
  await Promise.all([atlas, boreal].map(async (client) => client && killServer(client)))
  await server?.stop()
})

beforeEach(async () => {
  watched = await openPage(browser)
  page = watched.page
})

afterEach(async () => {
  expect(watched.complaints).toEqual([])
  await watched.close()
})

const card = (text: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: text })

async function open(path: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

test('a client that has not called is not named', async () => {
  await openView(page, server, atlas, 'Tools')
  await page.getByText(`Process ${boreal.child.pid}`).waitFor()
  expect(await page.getByRole('heading', { name: 'Clients' }).count()).toBe(0)
})

test('a failed job, a fired callback, jobs, callbacks and servers name their client', async () => {
  await openView(page, server, atlas, 'Home')
  const id = await startJob(atlas, 'echo of atlas; exit 7')
  await startJob(boreal, 'echo of boreal; exit 8')
  await call(boreal, 'SetCallback', { action: 'set', message: 'Soon', delay_seconds: 1, repeat_count: 1 })
  await call(atlas, 'SetCallback', { action: 'set', message: 'Later', delay_seconds: 900, repeat_count: 1 })
  await card('of atlas').getByText('Client: atlas-code 2.1').waitFor()
  await card('of boreal').getByText('Client: Boreal 0.9.4').waitFor()
  await card('Soon').getByText('Client: Boreal 0.9.4').waitFor()
  expect(await listViolations(page)).toEqual([])
  await card('of atlas').getByRole('link', { name: 'echo of atlas' }).click()
  const job = page.getByRole('region', { name: `Job ${id}` })
  await job.getByText('atlas-code 2.1').waitFor()
  await open('#/callbacks', 'Callbacks')
  await card('Later').getByText('Client: atlas-code 2.1').waitFor()
  await card('Soon').getByText('Client: Boreal 0.9.4').waitFor()
  await open('#/tools', 'Tools')
  const ofServer = card(`Process ${boreal.child.pid}`)
  await ofServer.getByRole('heading', { name: 'Clients' }).waitFor()
  expect(await ofServer.getByRole('list', { name: 'Clients' }).innerText()).toMatch(/^Boreal 0\.9\.4\s+last call /)
  await ofServer.getByRole('link', { name: 'Boreal 0.9.4' }).click()
  await page.getByRole('list', { name: 'Timeline' }).getByText('echo of boreal').first().waitFor()
})

test('questions and plans name their client; the command palette has the order of Home', async () => {
  // No page is open, so no call waits for it.
  await ask(boreal, { text: 'An old question?', options: OPTIONS })
  await openView(page, server, atlas, 'Home')
  await call(atlas, 'PlanMode', { action: 'enter', goal: 'Plan of atlas' })
  const plan = call(atlas, 'PlanMode', { action: 'exit', plan: '# Plan' })
  await card('Approve this plan?').getByText('Client: atlas-code 2.1').waitFor()
  const first = ask(boreal, { text: 'Of boreal?', options: OPTIONS })
  await card('Of boreal?').getByText('Client: Boreal 0.9.4').waitFor()
  const second = ask(atlas, { text: 'Of atlas?', options: OPTIONS })
  await card('Of atlas?').getByText('Client: atlas-code 2.1').waitFor()
  await card('An old question?').getByText('Client: Boreal 0.9.4').waitFor()
  expect(await listViolations(page)).toEqual([])

  const expected = ['Of boreal?', 'Of atlas?', 'Plan of atlas', 'An old question?']
  const cards = await page.locator('.cards > li').allInnerTexts()
  expect(cards.map((text) => expected.find((title) => text.includes(title)))).toEqual(expected)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).waitFor()
  const options = page.getByRole('listbox').getByRole('option')
  const offered = await options.filter({ hasText: 'Waiting for you' }).allInnerTexts()
  expect(offered.map((text) => expected.find((title) => text.includes(title)))).toEqual(expected)
  await page.keyboard.type('boreal old')
  await expect
    .poll(() => options.first().innerText())
    .toMatch(/An old question\?[^]*Waiting for you · .* · Boreal 0\.9\.4/)
  await page.keyboard.press('Escape')

  await open('#/plans', 'Plans')
  await page.locator('.plan-pane').getByText('Client: atlas-code 2.1').waitFor()
  await open('#/', 'Home')
  await card('Of boreal?').getByRole('radio', { name: 'Red' }).check()
  await card('Of boreal?').getByRole('button', { name: 'Answer' }).click()
  await card('Of atlas?').getByRole('button', { name: 'Decline' }).click()
  await Promise.all([first, second])
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await plan
})
