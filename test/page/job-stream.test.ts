// The output of a job on the page when its stream is lost: it goes on, without what was shown twice, or says why not.

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

import { call, emptyFolder, startJob, startServer, type TestClient } from '../support/client.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { openPage } from './support.js'

const env = { HOME: emptyFolder(), SANDBOX: 'off' }

let browser: Browser
let server: HttpServer
let client: TestClient
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
  const watched = await openPage(browser)
  onTestFinished(() => watched.close())
  page = watched.page
})

const output = (id: number): Locator => page.getByRole('group', { name: `Output of job ${id}` })

/** It prints a red line and the beginning of one, and then each line that it receives. */
async function startPrinting(): Promise<{ readonly id: number; readonly print: (text: string) => Promise<unknown> }> {
  const fifo = `feed-${Date.now()}`
  const id = await startJob(
    client,
    String.raw`mkfifo ${fifo}; printf '\033[31mfirst\nunfinished '; while read -r line; do echo "$line"; done <> ${fifo}`,
  )
  onTestFinished(async () => void (await call(client, 'KillBgTask', { task_id: id })))
  return { id, print: (text) => call(client, 'Bash', { command: `echo ${text} > ${fifo}` }) }
}

async function openJob(id: number, at: HttpServer = server): Promise<void> {
  await page.goto(`http://127.0.0.1:${at.port}/#key=${TOKEN}`)
  await page.getByRole('link', { name: /^Jobs/ }).waitFor()
  await page.evaluate(`location.hash = '#/jobs/${id}'`)
}

const ONE_EVENT = {
  from: 0,
  next: 5,
  size: 5,
  isRunning: true,
  missing: 0,
  text: '',
  open: 'first',
  isLast: false,
}

test('a stream that ends is opened again', async () => {
  const { id, print } = await startPrinting()
  let requests = 0
  await page.route('**/board/output', (route) => {
    requests++
    if (requests > 1) return route.continue()
    const headers = { 'content-type': 'text/event-stream' }
    return route.fulfill({ status: 200, headers, body: `data: ${JSON.stringify(ONE_EVENT)}\n\n` })
  })
  await openJob(id)
  await output(id).getByText('unfinished').waitFor()
  await print('second')
  await output(id).getByText('unfinished second').waitFor()
  expect(await output(id).innerText()).toMatch(/^first\nunfinished second\n?$/)
  expect(await page.getByText('The output is not up to date').count()).toBe(0)
})

test('what a busy server refuses is tried again', async () => {
  const { id } = await startPrinting()
  let requests = 0
  await page.route('**/board/output', (route) => {
    requests++
    return requests > 2
      ? route.continue()
      : route.fulfill({ status: 409, json: { error: 'It did not respond in 5 s.' } })
  })
  await openJob(id)
  await page.getByText('It did not respond in 5 s.').waitFor()
  await page.getByText('The output is not up to date. Trying again…').waitFor()
  await output(id).getByText('unfinished').waitFor()
  await page.getByText('It did not respond in 5 s.').waitFor({ state: 'detached' })
})

test('what fails for good has a button to try it again', async () => {
  const { id } = await startPrinting()
  let isRefused = true
  await page.route('**/board/output', (route) =>
    isRefused ? route.fulfill({ status: 403, json: { error: 'Not allowed.' } }) : route.continue(),
  )
  await openJob(id)
  await page.getByText('Not allowed.').waitFor()
  expect(await page.getByText('The output is not up to date').count()).toBe(0)
  isRefused = false
  await page.getByRole('button', { name: 'Reload' }).click()
  await output(id).getByText('unfinished').waitFor()
  expect(await page.getByText('Not allowed.').count()).toBe(0)
})

test('the output goes on when the console was restarted', async () => {
  const { id, print } = await startPrinting()
  const first = await startProgram({ env, cwd: emptyFolder() })
  await openJob(id, first)
  await output(id).getByText('unfinished').waitFor()
  await first.stop()
  await page.getByText('Connection lost', { exact: false }).first().waitFor()
  expect(await output(id).innerText()).toContain('unfinished')
  await print('meanwhile')
  const second = await startProgram({ env, cwd: emptyFolder(), flags: ['--port', `${first.port}`] })
  onTestFinished(() => second.stop().then(() => undefined))
  await output(id).getByText('unfinished meanwhile').waitFor()
  await print('afterwards')
  await output(id).getByText('afterwards').waitFor()
  expect(await output(id).innerText()).toMatch(/^first\nunfinished meanwhile\nafterwards\n?$/)
  const red = await output(id)
    .getByText('afterwards')
    .evaluate((span) => span.ownerDocument.defaultView.getComputedStyle(span).color)
  expect(red).toBe(
    await output(id)
      .getByText('first')
      .evaluate((span) => span.ownerDocument.defaultView.getComputedStyle(span).color),
  )
})

test('output that goes on does not fill the memory of the browser', async () => {
  const lines = String.raw`awk 'BEGIN { for (n = 1; n <= 4000; n++) printf "\033[9%dmtime\033[0m \033[3%dmline %d\033[0m of the output\n", n % 7, n % 8, n }'`
  const fifo = 'feed-memory'
  const id = await startJob(client, `${lines}; mkfifo ${fifo}; while read -r line; do echo "$line"; done <> ${fifo}`)
  onTestFinished(async () => void (await call(client, 'KillBgTask', { task_id: id })))
  await openJob(id)
  await output(id).getByText('line 4000').waitFor()
  const session = await page.context().newCDPSession(page)
  const usedMegabytes = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    return usedSize / 1e6
  }
  const printLines = async (from: number): Promise<void> => {
    for (let n = from; n < from + 12; n++) {
      await call(client, 'Bash', { command: `echo "more ${n}." > ${fifo}` })
      await output(id).getByText(`more ${n}.`).waitFor()
    }
  }
  await printLines(100)
  const before = await usedMegabytes()
  await printLines(200)
  expect((await usedMegabytes()) - before).toBeLessThan(10)
})
