// Search in the output of a job on the page: over all parts that are kept, not only the one that is shown.

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

import { emptyFolder, readJob, startJob, startServer, type TestClient } from '../support/client.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { listViolations, openPage } from './support.js'

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
const search = (): Locator => page.getByRole('searchbox', { name: 'Search the output' })

/** Ten megabytes with a needle at three places, none of them in the last part. */
async function openLongOutput(more = ''): Promise<number> {
  const id = await startJob(
    client,
    String.raw`awk 'BEGIN { for (n = 1; n <= 200000; n++) { printf "\033[3%dmline %d of a long output, padded\033[0m\n", n % 8, n; if (n == 7 || n == 90000 || n == 150000) printf "nee\033[1mdle\033[0m at %d\n", n } }'${more}`,
  )
  await readJob(client, id, { wait_for_pattern: 'line 200000', wait_ms: 120_000 })
  await page.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
  await page.getByRole('link', { name: /^Jobs/ }).waitFor()
  await page.evaluate(`location.hash = '#/jobs/${id}'`)
  await output(id).getByText('line 200000 of').waitFor()
  return id
}

/** The row of the match that is the current one, if it is on the screen. */
const currentRow = (): Promise<unknown> =>
  page.evaluate(`(() => {
    const [found] = CSS.highlights.get('found-current') ?? []
    if (found === undefined) return ''
    const range = document.createRange()
    range.setStart(found.startContainer, found.startOffset)
    range.setEnd(found.endContainer, found.endOffset)
    const { top, bottom } = range.getBoundingClientRect()
    const box = document.querySelector('.job-output pre').getBoundingClientRect()
    if (top < box.top || bottom > box.bottom) return ''
    const text = found.startContainer.parentElement.closest('pre').textContent
    const before = document.createRange()
    before.setStart(found.startContainer.parentElement.closest('pre'), 0)
    before.setEnd(found.startContainer, found.startOffset)
    const from = before.toString().length
    return text.slice(from, text.indexOf('\\n', from))
  })()`)

test('it finds what is in another part, forwards and backwards, and around the ends', async () => {
  const id = await openLongOutput()
  await search().fill('NEEDLE')
  await page.getByText('In another part: press Enter').waitFor()
  // What is shown stays while a person types.
  expect(await output(id).innerText()).toContain('line 200000 of')
  for (const row of ['needle at 7', 'needle at 90000', 'needle at 150000', 'needle at 7']) {
    await search().press('Enter')
    await expect.poll(currentRow).toBe(row)
  }
  await page.getByText('1 of 1 in this part').waitFor()
  for (const row of ['needle at 150000', 'needle at 90000']) {
    await search().press('Shift+Enter')
    await expect.poll(currentRow).toBe(row)
  }
  expect(await listViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Next match' }).click()
  await expect.poll(currentRow).toBe('needle at 150000')
})

test('it says that there is no match when nothing that is kept has one', async () => {
  await openLongOutput('; sleep 600')
  await search().fill('not there')
  await page.getByText('No match').waitFor()
  await search().fill('line 12 of')
  await page.getByText('In another part').waitFor()
  await search().fill('line 200000')
  await page.getByText('1 of 1 in this part').waitFor()
})

test('a search that is not wanted any more is dropped, and a refusal is shown', async () => {
  await openLongOutput()
  let aborted = 0
  await page.route('**/board/find', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    await route.fulfill({ status: 409, json: { error: 'The output cannot be read now.' } }).catch(() => undefined)
  })
  page.on('requestfailed', (request) => void (request.url().endsWith('/board/find') && aborted++))
  await search().fill('not there')
  await page.getByText('The output cannot be read now.').waitFor()
  const asked = page.waitForRequest('**/board/find')
  await search().fill('not here')
  await asked
  await search().fill('')
  await expect.poll(() => aborted).toBe(1)
  await page.getByText('The output cannot be read now.').waitFor({ state: 'detached' })
})
