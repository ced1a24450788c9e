// Questions on the page, in a real browser on the real program: a stdio client asks, keys answer, and typed text is never
// lost.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import { call, emptyFolder, startServer, type TestClient } from '../support/client.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { ask, listViolations, logOut, openPage, openView, type Watched } from './support.js'

const env = { HOME: emptyFolder() }
const COLOUR = { text: 'Which colour?', options: ['Red', 'Green', 'Blue'] }
const DAYS = { text: 'Which days?', options: ['Mon', 'Tue', 'Wed'], multiSelect: true }

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
  await openView(page, server, client, 'Home')
})

afterEach(async () => {
  const { complaints } = watched
  await watched.close()
  expect(complaints).toEqual([])
})

const card = (text: string): Locator => page.getByRole('main').getByRole('listitem').filter({ hasText: text })
const marks = (within: Locator): Locator => within.locator('[data-key-mark]')

/** The question is shown and its keys are marked. */
async function waitForKeys(text: string): Promise<void> {
  await marks(card(text)).first().waitFor()
}

async function cancel(id: string): Promise<void> {
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
}

/** A question whose call can be cancelled. */
async function askCancellable(id: string, question: object): Promise<void> {
  client.send({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'AskUserQuestion', arguments: { questions_json: JSON.stringify({ questions: [question] }) } },
  })
}

describe('with the keyboard only', () => {
  test('two keys answer, and a third Enter does nothing', async () => {
    const asked = ask(client, COLOUR)
    await waitForKeys('Which colour?')
    expect(await marks(card('Which colour?')).count()).toBe(4)
    const sent: string[] = []
    page.on('request', (request) => void sent.push(new URL(request.url()).pathname))
    await page.keyboard.press('2')
    expect(await page.getByRole('radio', { name: 'Green' }).isChecked()).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect((await asked).structured.answers).toMatchObject([{ selected: ['Green'], outcome: 'answered' }])
    await card('Which colour?').waitFor({ state: 'detached' })
    expect(sent).toEqual(['/board/answer'])
  })

  test('several questions, several choices and own words: Enter goes on to the next question', async () => {
    const asked = ask(client, COLOUR, DAYS, { text: 'Which name?', options: ['Ann', 'Bob'] })
    await waitForKeys('Which colour?')
    // Only one question takes the keys.
    expect(
      await page
        .locator('fieldset')
        .filter({ has: page.locator('[data-key-mark]') })
        .count(),
    ).toBe(1)
    await page.keyboard.press('3')
    await page.keyboard.press('Enter')
    await marks(page.getByRole('group', { name: 'Which days?' }))
      .first()
      .waitFor()
    for (const key of ['1', '2', '3', '2']) await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await marks(page.getByRole('group', { name: 'Which name?' }))
      .first()
      .waitFor()
    // Behind the last option: the own answer, which gets the focus and takes digits as text.
    await page.keyboard.press('3')
    await page.keyboard.type('Chris 2')
    expect(await page.getByText('Choose an answer').count()).toBe(0)
    await page.keyboard.press('Enter')
    const { answers } = (await asked).structured
    expect(answers.map(({ selected }: { selected: unknown }) => selected)).toEqual([
      ['Blue'],
      ['Mon', 'Wed'],
      ['Chris 2'],
    ])
  })

  test('a question that permits a command takes no number keys, and its button works a second later', async () => {
    writeFileSync(join(env.HOME, '.scorpiox/permissions.json'), '{"permissions":{"ask":["Bash(echo permitted)"]}}')
    onTestFinished(() => rmSync(join(env.HOME, '.scorpiox/permissions.json')))
    // However slow the machine is, the second is not over before the test says so.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    const running = call(client, 'Bash', { command: 'echo permitted' })
    const sent: string[] = []
    page.on('request', (request) => void sent.push(new URL(request.url()).pathname))
    const button = card('May this command run?').getByRole('button', { name: 'Answer' })
    await button.waitFor()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    expect(await marks(card('May this command run?')).count()).toBe(0)
    const once = page.getByRole('radio', { name: 'Run it once' })
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    expect(await once.isChecked()).toBe(false)
    // At once, also with the pointer.
    await once.check()
    await once.press('Enter')
    expect(sent).not.toContain('/board/answer')
    await page.clock.runFor(999)
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await page.clock.runFor(10)
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false')
    await page.clock.resume()
    expect(await marks(card('May this command run?')).count()).toBe(0)
    await button.click()
    expect((await running).text).toContain('permitted')
  })

  test('arrows and Tab work too', async () => {
    const asked = ask(client, DAYS, COLOUR)
    await waitForKeys('Which days?')
    await page.getByRole('checkbox', { name: 'Mon' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByRole('radio', { name: 'Red' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const { answers } = (await asked).structured
    expect(answers.map(({ selected }: { selected: unknown }) => selected)).toEqual([['Tue'], ['Green']])
  })

  test('keys answer the question that has the focus, else the first; one that follows is not hit by accident', async () => {
    const first = ask(client, { ...COLOUR, text: 'First?' })
    await waitForKeys('First?')
    const second = ask(client, { ...COLOUR, text: 'Second?' })
    await card('Second?').waitFor()
    expect(await marks(card('Second?')).count()).toBe(0)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await waitForKeys('Second?')
    expect(await marks(card('First?')).count()).toBe(0)
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    // These reach no question: the first one takes keys after a pause.
    await page.keyboard.press('3')
    await page.keyboard.press('Enter')
    expect((await second).structured.answers[0].selected).toEqual(['Red'])
    await waitForKeys('First?')
    await page.keyboard.press('2')
    await page.keyboard.press('Enter')
    expect((await first).structured.answers[0].selected).toEqual(['Green'])
  })

  test('an answer is sent once, however often Enter is pressed before the question goes away', async () => {
    const asked = ask(client, COLOUR)
    await waitForKeys('Which colour?')
    let sent = 0
    await page.route('**/board/answer', async (route) => {
      sent += 1
      await route.fulfill({ status: 204 })
    })
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    await page.getByText('Your answer was sent.').first().waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect(await card('Which colour?').getByRole('button', { name: 'Decline' }).isDisabled()).toBe(true)
    expect(sent).toBe(1)
    await page.unroute('**/board/answer')
    await page.reload()
    await waitForKeys('Which colour?')
    await page.keyboard.press('2')
    await page.keyboard.press('Enter')
    expect((await asked).structured.answers[0].selected).toEqual(['Green'])
  })

  test('digits in a field are text, and `?` lists the keys', async () => {
    const asked = ask(client, COLOUR)
    await waitForKeys('Which colour?')
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Choose an answer (1 to 9)').waitFor()
    await page.keyboard.press('1')
    await page.keyboard.press('Escape')
    expect(await page.locator('input:checked').count()).toBe(0)
    await page.getByPlaceholder('Your own answer').click()
    await page.keyboard.type('1 or 2')
    await page.keyboard.press('Enter')
    expect((await asked).structured.answers[0].selected).toEqual(['1 or 2'])
  })
})

describe('what was typed', () => {
  const own = (text: string): Locator => card(text).getByPlaceholder('Your own answer')

  test('survives another view, a reload, a lost connection and a logout by the server', async () => {
    const asked = ask(client, COLOUR, DAYS)
    await own('Which colour?').first().fill('  a light <b>green</b> ')
    await card('Which days?').getByLabel('Tue').check()
    const check = async (): Promise<void> => {
      await card('Which days?').waitFor()
      expect(await own('Which colour?').first().inputValue()).toBe('  a light <b>green</b> ')
      expect(await card('Which days?').getByLabel('Tue').isChecked()).toBe(true)
    }
    await page.getByRole('link', { name: /^Jobs/ }).click()
    await page.getByRole('link', { name: /^Home/ }).click()
    await check()
    await page.reload()
    await check()
    // A change of the view.
    const other = ask(client, { text: 'Another?', options: ['Yes', 'No'] })
    await card('Another?').waitFor()
    await check()
    await card('Another?').getByLabel('Yes').check()
    await card('Another?').getByRole('button', { name: 'Answer' }).click()
    await other
    const { port } = server
    await server.stop()
    await page.getByText('Connection lost').first().waitFor()
    await check()
    server = await startProgram({ env, cwd: emptyFolder(), flags: ['--port', `${port}`] })
    await card('Which days?').getByRole('button', { name: 'Answer' }).click()
    const { answers } = (await asked).structured
    expect(answers.map(({ selected }: { selected: unknown }) => selected)).toEqual([['a light <b>green</b>'], ['Tue']])
    // The model may have the answer before the page has the response.
    await expect
      .poll(() => page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('draft'))"))
      .toEqual([])
    // The browser reports the connection that was refused.
    watched = { ...watched, complaints: watched.complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED')) }
  })

  test('stays when the question is withdrawn, can be copied, and keys typed on reach nothing else', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const rest = ask(client, { ...COLOUR, text: 'Still here?' })
    await askCancellable('lost-1', { ...COLOUR, text: 'Withdrawn?' })
    await own('Withdrawn?').fill('my long\u202e answer')
    await own('Withdrawn?').press('End')
    await cancel('lost-1')
    const lost = card('The question was answered elsewhere or withdrawn.').filter({ hasText: 'Withdrawn?' })
    await lost.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
    await page.keyboard.type('2g j')
    await page.keyboard.press('Enter')
    expect(await page.locator('input:checked').count()).toBe(0)
    expect(await listViolations(page)).toEqual([])
    await page.reload()
    await lost.getByRole('button', { name: 'Copy' }).click()
    await lost.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('my long\u202e answer')
    await lost.getByRole('button', { name: 'Discard' }).click()
    await lost.waitFor({ state: 'detached' })
    await page.reload()
    await card('Still here?').getByRole('button', { name: 'Decline' }).click()
    expect((await rest).structured.answers).toMatchObject([{ outcome: 'declined' }])
    await page.getByText('Nothing needs you').waitFor()
  })

  test('of two tabs, one answers: the other says so, and keeps its text', async () => {
    const other = await openPage(browser)
    onTestFinished(() => other.close())
    const asked = ask(client, COLOUR)
    await own('Which colour?').fill('from the first tab')
    await openView(other.page, server, client, 'Home')
    await other.page.locator('[data-key-mark]').first().waitFor()
    expect(await other.page.getByPlaceholder('Your own answer').inputValue()).toBe('')
    await other.page.keyboard.press('1')
    await other.page.keyboard.press('Enter')
    expect((await asked).structured.answers[0].selected).toEqual(['Red'])
    await page.getByText('This question was answered elsewhere or withdrawn: Which colour?').waitFor()
    const lost = card('The question was answered elsewhere or withdrawn.')
    expect(await lost.getByLabel('Your unsent text').inputValue()).toBe('from the first tab')
    // A person who logs out leaves nothing behind.
    await logOut(page)
    await page.getByLabel('Token').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect(other.complaints).toEqual([])
  })
})

test('a question that is the first call of a new server is asked here', async () => {
  const other = startServer({ env, cwd: emptyFolder() })
  onTestFinished(async () => void (await other.close()))
  await other.initialize('2025-11-25')
  const asked = ask(other, { text: 'So soon?', options: ['Yes', 'No'] })
  await waitForKeys('So soon?')
  await page.keyboard.press('1')
  await page.keyboard.press('Enter')
  expect((await asked).structured).toMatchObject({ rung: 'board', answers: [{ selected: ['Yes'] }] })
})

test('hostile content is text: markup, control characters, 200 options and long texts', async () => {
  const evil = '<img src=x onerror="document.title=1">\u202e\u0007\u001b[2J'
  const options = Array.from({ length: 20 }, (_, index) => ({
    label: `${index} ${evil} ${'w'.repeat(150)}`,
    description: `${evil} ${'d '.repeat(200)}`,
  }))
  const forms = Array.from({ length: 10 }, (_, index) => ({ text: `${index} ${evil} ${'q'.repeat(1900)}`, options }))
  const asked = ask(client, ...forms)
  await page.locator('[data-key-mark]').first().waitFor()
  expect(await page.getByRole('radio').count()).toBe(210)
  expect(await page.locator('main img').count()).toBe(0)
  expect(await page.locator('main').textContent()).not.toMatch(/[\u202A-\u202E]|(?![\n\t])\p{Cc}/u)
  expect(await page.title()).toMatch(/Home/)
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  }
  // Ten options have no key of their own, and 9 is still an option.
  await page.keyboard.press('9')
  expect(await page.getByRole('radio').nth(8).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Decline' }).click()
  expect((await asked).structured.answers).toHaveLength(10)
  const refused = await call(client, 'AskUserQuestion', {
    questions_json: JSON.stringify({ questions: [{ text: 'Too many?', options: options.concat(options) }] }),
  })
  expect(refused.isError).toBe(true)
})

test('a screen reader hears of a new question, and what each field belongs to', async () => {
  const asked = ask(client, COLOUR)
  await page.getByRole('status').filter({ hasText: 'New question: Which colour?' }).waitFor({ state: 'attached' })
  const group = page.getByRole('group', { name: 'Which colour?' })
  const green = group.getByRole('radio', { name: 'Green', exact: true })
  expect(await green.getAttribute('aria-keyshortcuts')).toBe('2')
  await group.getByRole('textbox', { name: 'Other: Your own answer' }).waitFor()
  await card('Which colour?').getByRole('button', { name: 'Decline' }).click()
  await asked
})

test.for([
  { locale: 'ko-KR', direction: 'ltr', hint: '1~9로 선택, Enter로 보내기' },
  { locale: 'ar-EG', direction: 'rtl', hint: 'اختر بالأرقام من 1 إلى 9 وأرسل بالمفتاح Enter' },
])('in $locale keys answer the same', async ({ locale, direction, hint }) => {
  const other = await openPage(browser, { locale })
  onTestFinished(() => other.close())
  await other.page.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
  const asked = ask(client, { text: '어느 색? أي لون؟', options: ['빨강', 'أخضر'] })
  await other.page.getByText(hint).waitFor()
  expect(await other.page.locator('html').getAttribute('dir')).toBe(direction)
  await other.page.keyboard.press('2')
  await other.page.keyboard.press('Enter')
  expect((await asked).structured.answers[0].selected).toEqual(['أخضر'])
  expect(other.complaints).toEqual([])
})
