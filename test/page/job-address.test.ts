// The job that an address opens, in a real browser beside servers of two projects whose jobs have the same numbers: no key
// acts on a job other than the one that is addressed.

import { join } from 'node:path'

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

import {
  call,
  emptyFolder,
  isAlive,
  killServer,
  readJob,
  readPid,
  startJob,
  startServer,
  type TestClient,
} from '../support/client.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { listViolations, openPage, type Watched } from './support.js'

const env = { HOME: emptyFolder(), SANDBOX: 'off' }

let browser: Browser
let server: HttpServer
let watched: Watched
let page: Page

beforeAll(async () => {
  browser = await openChromium()
  server = await startProgram({ env, cwd: emptyFolder() })
})

afterAll(async () => {
  await browser?.close()
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

async function startIn(cwd: string): Promise<TestClient> {
  const client = startServer({ env, cwd })
  await client.initialize('2025-11-25')
  onTestFinished(() => client.close().then(() => undefined))
  return client
}

async function openJobs(): Promise<void> {
  await page.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
  await page.getByRole('link', { name: /^Jobs/ }).click()
  await page.getByText('Choose a job to see its output.').waitFor()
}

const openAddress = (fragment: string): Promise<unknown> => page.evaluate(`location.hash = ${JSON.stringify(fragment)}`)
const row = (text: string): Locator => page.getByRole('main').getByRole('listitem').filter({ hasText: text }).first()
const command = (text: string): Locator => page.getByRole('group', { name: 'Command' }).getByText(text)

/** The address of a listed job without its number. */
async function serverAddress(text: string): Promise<string> {
  const href = await row(text).getByRole('link').getAttribute('href')
  return (href ?? '').replace(/\/\d+$/, '')
}

test('a number that the server does not have opens no job of another project', async () => {
  const [one, two] = [await startIn(emptyFolder()), await startIn(emptyFolder())]
  const first = await startJob(one, 'echo the only one; sleep 600')
  await startJob(two, 'echo other 1; sleep 600')
  const cwd = emptyFolder()
  const other = await startJob(two, `echo $$ > ${join(cwd, 'pid')}; echo other 2; sleep 600`)
  const pid = await readPid(join(cwd, 'pid'))
  expect(other).toBe(first + 1)
  await openJobs()
  await row('other 2').waitFor()
  await openAddress(`${await serverAddress('the only one')}/${other}`)
  await page.getByText('This job is not listed').waitFor()
  await page.keyboard.press('x')
  await page.keyboard.press('r')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await page.getByRole('button', { name: /^(Kill|Restart)/ }).count()).toBe(0)
  expect(isAlive(pid)).toBe(true)
})

test('after a restart the new job opens, and no job of another project before it', async () => {
  const [one, two] = [await startIn(emptyFolder()), await startIn(emptyFolder())]
  const ended = await startJob(one, 'echo started again')
  await readJob(one, ended, { wait_for_end: true, wait_ms: 120_000 })
  await startJob(two, 'sleep 601')
  await startJob(two, 'sleep 602')
  await openJobs()
  await row('sleep 602').waitFor()
  await row('started again').getByRole('link').click()
  await command('started again').waitFor()
  await page.evaluate(`{
    globalThis.shownCommands = new Set()
    const note = () => shownCommands.add(document.querySelector('.job-command pre')?.textContent)
    new MutationObserver(note).observe(document.body, { childList: true, characterData: true, subtree: true })
  }`)
  // Nothing runs without a confirmation.
  await page.keyboard.press('r')
  await page.getByRole('dialog').getByText('Its command runs again as a new job').waitFor()
  expect((await call(one, 'ListBgTasks', {})).text).not.toMatch(new RegExp(`^${ended + 1} `, 'm'))
  await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
  await page.getByRole('heading', { name: `Job ${ended + 1}` }).waitFor()
  await command('started again').waitFor()
  expect(await page.evaluate('[...shownCommands].join()')).not.toContain('sleep')
})

test('a job that another server of its project has taken over opens at its old address', async () => {
  const project = emptyFolder()
  const [one, two, other] = [await startIn(project), await startIn(project), await startIn(emptyFolder())]
  const job = await startJob(one, 'echo to be taken over; sleep 600')
  await startJob(other, 'echo of another project; sleep 600')
  await openJobs()
  await row('of another project').waitFor()
  await row('to be taken over').getByRole('link').click()
  await command('to be taken over').waitFor()
  const address = String(await page.evaluate('location.hash'))
  await killServer(one)
  await call(two, 'ListBgTasks', {})
  await startJob(two, 'true')
  await page.getByText('killed after its server exited unexpectedly').first().waitFor()
  await command('to be taken over').waitFor()
  expect(await page.evaluate('location.hash')).toBe(address)
  await page.reload()
  await page.getByRole('heading', { name: `Job ${job}` }).waitFor()
  await command('to be taken over').waitFor()
  // The browser logs that the output could not be read while no server had the job.
  watched = { ...watched, complaints: watched.complaints.filter((text) => !text.includes('409')) }
})

test('a number alone stays with the job that it has opened', async () => {
  const [one, two] = [await startIn(emptyFolder()), await startIn(emptyFolder())]
  const job = await startJob(one, 'echo opened by number; sleep 600')
  await openJobs()
  await row('opened by number').waitFor()
  // Jobs of earlier tests have ended: a running one is meant.
  await openAddress(`#/jobs/${job}`)
  await command('opened by number').waitFor()
  await startJob(two, 'echo newer with the same number; sleep 600')
  await row('newer with the same number').waitFor()
  await command('opened by number').waitFor()
  expect(await command('newer').count()).toBe(0)
})

test('j and k go on from a job that was opened by its address', async () => {
  const one = await startIn(emptyFolder())
  for (const name of ['a', 'b', 'c', 'd']) await startJob(one, `echo row ${name}; sleep 600`)
  await openJobs()
  await row('row d').waitFor()
  await page.keyboard.press('j')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('row d')
  await openAddress((await row('row b').getByRole('link').getAttribute('href')) ?? '')
  await command('row b').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('split-detail')
  await page.keyboard.press('j')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('row a')
  await page.keyboard.press('k')
  await page.keyboard.press('k')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('row c')
})

test('the divider between list and job moves by keys and by pointer, is remembered, and is reset by a double click', async () => {
  const one = await startIn(emptyFolder())
  await startJob(one, 'echo beside; sleep 600')
  await page.setViewportSize({ width: 1280, height: 800 })
  await openJobs()
  await row('beside').getByRole('link').click()
  await command('beside').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('split-detail')
  const divider = page.getByRole('separator', { name: 'Width of the list' })
  const share = async (): Promise<number> => Number(await divider.getAttribute('aria-valuenow'))
  const listWidth = async (): Promise<number> => (await page.locator('.split-list').boundingBox())?.width ?? 0
  const first = await listWidth()
  expect(await share()).toBe(40)
  await divider.focus()
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight')
  await expect.poll(share).toBe(46)
  expect(await listWidth()).toBeGreaterThan(first + 30)
  await page.keyboard.press('Home')
  await expect.poll(share).toBe(20)
  const box = await divider.boundingBox()
  const frame = await page.locator('.split').boundingBox()
  await page.mouse.move((box?.x ?? 0) + 12, (box?.y ?? 0) + 60)
  await page.mouse.down()
  await page.mouse.move((frame?.x ?? 0) + (frame?.width ?? 0) * 0.6, 300, { steps: 5 })
  await page.mouse.up()
  await expect.poll(share).toBe(60)
  await page.mouse.move((frame?.x ?? 0) + (frame?.width ?? 0) * 0.3, 300)
  expect(await share()).toBe(60)
  expect(await listViolations(page)).toEqual([])
  await page.reload()
  await command('beside').waitFor()
  expect(await share()).toBe(60)
  await divider.dblclick()
  await expect.poll(share).toBe(40)
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await divider.isVisible()).toBe(false)
})
