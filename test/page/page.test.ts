// The page in a real browser on the real program: a user of the HTTP server sees and controls what a stdio client does.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import { call, emptyFolder, startJob, startServer, type TestClient } from '../support/client.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, openPage, openView, type Watched } from './support.js'

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

describe('questions', () => {
  const COLOUR = {
    text: 'Which <img src=x onerror=document.title=1> colour?',
    options: [{ label: 'Red', description: 'As the fire' }, 'Green & <b>blue</b>'],
  }

  test('a click is the answer that the call returns', async () => {
    await lookAt('Home')
    const asked = ask(client, COLOUR)
    const form = card('colour?')
    await form.getByText('The model is waiting for your answer').waitFor()
    expect(await page.title()).toMatch(/^\(1\) /)
    await page.getByRole('status').filter({ hasText: 'New question: Which <img' }).waitFor({ state: 'attached' })
    expect(await page.locator('input:checked').count()).toBe(0)
    await form.getByLabel('Green & <b>blue</b>').check()
    await form.getByRole('button', { name: 'Answer' }).click()
    expect((await asked).structured.answers).toMatchObject([{ selected: ['Green & <b>blue</b>'], outcome: 'answered' }])
    await page.getByText('Nothing needs you').waitFor()
    await page.getByText('Your answer was sent.').waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    expect(await page.title()).toBe('Home · scorpiox-code')
    expect(watched.complaints).toEqual([])
    expect([...watched.origins]).toEqual([new URL(address()).origin])
  })

  test('the keyboard is enough', async () => {
    await lookAt('Home')
    const asked = ask(client, COLOUR)
    await card('colour?').waitFor()
    await tabTo('Red As the fire')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await tabTo('Answer')
    await page.keyboard.press('Enter')
    expect((await asked).structured.answers[0].selected).toEqual(['Green & <b>blue</b>'])
  })

  test('a form is sent when every question has an answer; free text and several choices count', async () => {
    await lookAt('Home')
    const asked = ask(client, COLOUR, { text: 'Which days?', options: ['Mon', 'Tue', 'Wed'], multiSelect: true })
    const form = card('Which days?')
    await form.getByRole('group', { name: 'colour?' }).getByPlaceholder('Your own answer').fill(' ما أجمل الأخضر ')
    await form.getByRole('button', { name: 'Answer' }).click()
    await form.getByText('Choose an answer or enter your own.').waitFor()
    expect(await page.evaluate("document.activeElement.closest('fieldset').innerText")).toContain('Which days?')
    // Entered answers survive a change of the view.
    await page.getByRole('link', { name: /^Jobs/ }).click()
    await page.getByRole('link', { name: /^Home/ }).click()
    await form.getByLabel('Mon').check()
    await form.getByLabel('Wed').check()
    await form.getByRole('button', { name: 'Answer' }).click()
    const { answers } = (await asked).structured
    expect(answers[0].selected).toEqual(['ما أجمل الأخضر'])
    expect(answers[1].selected).toEqual(['Mon', 'Wed'])
  })

  test('declining is no answer', async () => {
    await lookAt('Home')
    const asked = ask(client, COLOUR)
    await card('colour?').getByRole('button', { name: 'Decline' }).click()
    expect((await asked).structured.answers).toMatchObject([{ outcome: 'declined' }])
  })

  test('one that was answered elsewhere disappears, and the page reports it', async () => {
    await lookAt('Home')
    const asked = ask(client, COLOUR)
    await card('colour?').getByLabel('Red').check()
    const other = await openPage(browser)
    await other.page.goto(`${address()}#key=${TOKEN}`)
    await other.page.getByLabel('Red').check()
    await other.page.getByRole('button', { name: 'Answer' }).click()
    await asked
    await page.getByText('This question was answered elsewhere').waitFor()
    await page.getByText('Nothing needs you').waitFor()
    await other.close()
  })
})

describe('the whole output of a job', () => {
  const detail = () => page.getByRole('main').locator('article')
  const shown = async (): Promise<string> => (await detail().locator('pre.output').textContent()) ?? ''
  const turnTo = (name: string) => detail().getByRole('button', { name, exact: true }).click()

  test('continues while the job runs, and stays when it ends', { tags: ['long'] }, async () => {
    await lookAt('Jobs')
    const gate = join(emptyFolder(), 'gate')
    await startJob(client, `echo chapter one; printf '10%%\\r'; until [ -e ${gate} ]; do sleep 0.1; done; echo the end`)
    await card('chapter one').getByRole('link').click()
    await detail().locator('pre.output').getByText('10%').waitFor()
    await detail()
      .getByText(/^running/i)
      .last()
      .waitFor()
    writeFileSync(gate, '')
    await detail().locator('pre.output').getByText('the end').waitFor()
    await detail().getByText('exit code 0').waitFor()
    expect(await shown()).toBe('chapter one\nthe end\n')
    expect(watched.complaints).toEqual([])
  })

  test('is complete however long it is, part by part, and as a file', { tags: ['long'] }, async () => {
    const count = 120_000
    await lookAt('Jobs')
    await startJob(client, `seq -f 'entry %.0f' 1 ${count}`)
    const job = card(`1 ${count}`)
    await job.getByText('exit code 0').waitFor()
    await job.getByRole('link').click()
    const whole = Array.from({ length: count }, (_, index) => `entry ${index + 1}\n`).join('')
    const parts: string[] = []
    /** Waits until the part before those read so far is shown: text and position may not change at once. */
    const readPart = async (): Promise<void> => {
      const rest = whole.slice(0, whole.length - parts.join('').length)
      await expect.poll(async () => rest.slice(-Math.max(1, (await shown()).length)) === (await shown())).toBe(true)
      parts.unshift(await shown())
    }
    await readPart()
    while (parts.join('').length < whole.length) {
      await turnTo('Earlier')
      await readPart()
    }
    expect(parts).toHaveLength(3)
    expect(await detail().locator('.parts p').textContent()).toMatch(/^0 bytes/)
    await turnTo('End')
    await expect.poll(shown).toMatch(/entry 120000\n$/)
    await turnTo('Beginning')
    await expect.poll(shown).toMatch(/^entry 1\n/)
    const [file] = await Promise.all([page.waitForEvent('download'), turnTo('Download')])
    expect(readFileSync(await file.path(), 'utf8') === whole).toBe(true)
    expect(watched.complaints).toEqual([])
    expect([...watched.origins].filter((origin) => origin !== 'null')).toEqual([new URL(address()).origin])
  })

  test('reports where output is missing that was too long to be kept', { tags: ['long'] }, async () => {
    const other = startServer({ env: { ...env, JOB_MAX_OUTPUT: '65536' }, cwd: project })
    onTestFinished(async () => void (await other.close()))
    await other.initialize('2025-11-25')
    await lookAt('Jobs')
    await startJob(other, `seq -f 'piece %.0f' 1 100000`)
    const job = card('piece %.0f')
    await job.getByText('exit code 0').waitFor()
    await job.getByRole('link').click()
    await expect.poll(shown).toMatch(/piece 100000\n$/)
    await turnTo('Beginning')
    await expect.poll(shown).toMatch(/^piece 1\n/)
    await detail()
      .getByText(/MB of output is no longer stored/)
      .waitFor()
  })
})

describe('callbacks', () => {
  const waiting = () => page.getByRole('region', { name: 'Waiting for the model' })

  test('the countdown runs down and fires; undelivered messages can be dismissed', async () => {
    await lookAt('Callbacks')
    await call(client, 'SetCallback', { action: 'set', message: 'look <again>', delay_seconds: 3, repeat_count: 1 })
    const timer = card('look <again>').getByRole('timer')
    await timer.filter({ hasText: /^Fires in [23]s$/ }).waitFor()
    await timer.filter({ hasText: /^Fires in 1s$/ }).waitFor()
    await waiting().getByText('look <again>').waitFor()
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/board/dismiss', async (route) => {
      await released
      await route.continue()
    })
    await waiting().getByRole('button', { name: 'Dismiss' }).click()
    expect(await waiting().getByRole('button', { name: 'Sending…' }).isDisabled()).toBe(true)
    release()
    await page.getByText('No callbacks are set').waitFor()
    const { text } = await call(client, 'SetCallback', { action: 'list' })
    expect(text).not.toContain('look <again>')
  })

  test('a cancelled one never fires', async () => {
    await lookAt('Callbacks')
    await call(client, 'SetCallback', { action: 'set', message: 'never', delay_seconds: 600, repeat_count: -1 })
    const callback = card('never')
    expect(await callback.getByRole('timer').textContent()).toMatch(/^Fires in (9m \d+s|10m)$/)
    await callback.getByText('every 10m').waitFor()
    await callback.getByText('until cancelled').waitFor()
    await callback.getByRole('button', { name: 'Cancel Slot 0' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('No callbacks are set').waitFor()
    const { structured } = await call(client, 'SetCallback', { action: 'list' })
    expect(structured.callbacks).toEqual([])
  })

  test('its number is in the digits that the model reads, in every language', async () => {
    await call(client, 'SetCallback', { action: 'set', message: 'later', delay_seconds: 600 })
    const arabic = await openPage(browser, { locale: 'ar-EG' })
    await arabic.page.goto(`${address()}#key=${TOKEN}`)
    await arabic.page.getByRole('link', { name: /^ردود النداء/ }).click()
    await arabic.page.getByRole('main').getByText('الخانة 0').first().waitFor()
    await arabic.close()
    await call(client, 'SetCallback', { action: 'cancel' })
  })
})

test('the pattern of a callback is shown without what could make it look like another one', async () => {
  await lookAt('Callbacks')
  const id = await startJob(client, 'sleep 600')
  const pattern = 'error\u202Eytpme|<b>x'
  await call(client, 'SetCallback', { action: 'set', message: 'hidden pattern', task_id: id, pattern })
  await card('hidden pattern').waitFor()
  expect(await card('hidden pattern').locator('h2 code').textContent()).toBe('errorytpme|<b>x')
  await call(client, 'SetCallback', { action: 'cancel' })
  await call(client, 'KillBgTask', { task_id: id })
})

test('tasks, calls and servers are current without a reload', async () => {
  await lookAt('Tasks')
  await call(client, 'TaskManager', { action: 'create', query: 'Paint the fence' })
  await call(client, 'TaskManager', { action: 'add', query: 'Buy paint' })
  const task = card('Paint the fence')
  await task.getByText('Current').waitFor()
  await task.getByText('0 of 1 step done').waitFor()
  await page.getByRole('link', { name: 'Tasks , 1 open task' }).waitFor()
  await page.getByRole('link', { name: /^Calls/ }).click()
  await page.getByRole('main').getByRole('listitem').filter({ hasText: 'TaskManager' }).first().waitFor()
  await page.getByRole('link', { name: /^Tools/ }).click()
  await page.getByText(`Process ${client.child.pid}`).waitFor()
  await page.getByText(`Process ${server.child.pid}`).waitFor()
  expect(watched.complaints).toEqual([])
})

test('every open task and every step can be reached', { tags: ['long'] }, async () => {
  const other = startServer({ env, cwd: emptyFolder() })
  onTestFinished(async () => void (await other.close()))
  await other.initialize('2025-11-25')
  for (let task = 1; task <= 130; task++) await call(other, 'TaskManager', { action: 'create', query: `chore ${task}` })
  for (let step = 1; step <= 30; step++) await call(other, 'TaskManager', { action: 'add', query: `move ${step}` })
  await lookAt('Tasks')
  await page.locator('.task', { hasText: 'chore 130' }).getByRole('link', { name: 'Show 10 more steps' }).click()
  await page.locator('.task-pane').getByText('move 30', { exact: true }).waitFor()
  const seen = new Set<string>()
  await expect
    .poll(async () => {
      const all = await page.locator('.task .task-name').filter({ hasText: 'chore' }).allTextContents()
      for (const name of all) seen.add(name)
      await page.mouse.wheel(0, 600)
      return seen.size
    })
    .toBe(130)
  // Loaded entries are kept up to date.
  await call(other, 'TaskManager', { action: 'create', query: 'chore 131' })
  await page.evaluate('scrollTo(0, 0)')
  await page.locator('.task', { hasText: 'chore 131' }).waitFor()
  expect(watched.complaints).toEqual([])
})

/** Keyboard only. */
async function tabTo(name: string): Promise<void> {
  const target = page.getByRole('main').locator('input, button')
  for (let presses = 0; presses < 60; presses++) {
    const focused = await page.evaluate(
      "(document.activeElement.closest('label') ?? document.activeElement).innerText.replace(/\\s+/g, ' ').trim()",
    )
    if (focused === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} cannot be reached among ${await target.count()} controls`)
}
