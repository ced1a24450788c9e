// Views of MCP Apps in a real browser, in the frame of a host that counts their reads: they stop when nothing can change, and
// while they are out of sight. judges/apps.mjs shows what each view does.

import { readFileSync } from 'node:fs'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { eventually } from '../support/eventually.js'
import { openChromium } from './chromium.mjs'
import { openPage } from './support.js'

let browser: Browser

beforeAll(async () => {
  browser = await openChromium()
})

afterAll(() => browser?.close())

/** The host: `data` is what a read returns, `reads` are the URIs that were read, `calls` the calls of tools. */
const HOST = `
  window.reads = []
  window.calls = []
  const frame = document.createElement('iframe')
  frame.style = 'width: 100%; height: 400px'
  frame.srcdoc = VIEW
  addEventListener('message', ({ data: { id, method, params } }) => {
    const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
    if (method === 'ui/notifications/initialized') {
      send({ method: 'ui/notifications/tool-input', params: { arguments: INPUT } })
      if (RESULT) send({ method: 'ui/notifications/tool-result', params: RESULT })
    }
    if (id === undefined) return
    if (method === 'resources/read') reads.push(params.uri)
    if (method === 'tools/call') calls.push(params.arguments)
    const results = {
      'ui/initialize': { hostCapabilities: { serverResources: {}, serverTools: {} }, hostContext: {} },
      'resources/read': { contents: [{ text: JSON.stringify(window.data) }] },
    }
    send({ id, result: results[method] ?? { content: [] } })
  })
  document.body.append(frame)`

interface Shown {
  readonly input?: object
  readonly result?: object
  readonly data: object
  readonly locale?: string
}

async function showView(name: string, { input = {}, result, data, locale = 'en-US' }: Shown): Promise<Page> {
  const watched = await openPage(browser, { locale })
  onTestFinished(() => watched.close())
  const { page } = watched
  const view = readFileSync(new URL(`../../dist/apps/${name}.html`, import.meta.url), 'utf8')
  await page.setContent('<body></body>')
  await page.evaluate(
    `window.data = ${JSON.stringify(data)}; const [VIEW, INPUT, RESULT] = ${JSON.stringify([view, input, result ?? null])}; ${HOST}`,
  )
  return page
}

const countReads = (page: Page): Promise<number> => page.evaluate('reads.length')

test('a question that was answered elsewhere is not read again', async () => {
  const questions = [{ text: 'Which?', header: null, multiple: false, choices: [{ label: 'A', description: null }] }]
  const open = { id: 7, questions, replies: null, waiting: false }
  const result = { content: [], _meta: { 'io.github.scorpiox/result': { id: 7 } } }
  const page = await showView('question', { result, data: { questions: [open] } })
  const frame = page.frameLocator('iframe')
  await frame.getByRole('radio', { name: 'A' }).waitFor()
  await eventually(
    () => countReads(page),
    (count) => count > 2,
  )
  const answered = { ...open, replies: [{ outcome: 'answered', selected: ['A'] }] }
  await page.evaluate(`window.data = ${JSON.stringify({ questions: [answered] })}`)
  await frame.locator('.answer').getByText('A').waitFor()
  const before = await countReads(page)
  await page.waitForTimeout(2500)
  expect(await countReads(page)).toBe(before)
})

test('tasks are read while they are in sight; a search waits until typing pauses; tasks are created and reopened', async () => {
  const done = { id: 1, name: 'Old', isCurrent: false, steps: [], stepsDone: 0, stepsTotal: 0 }
  const page = await showView('tasks', { data: { open: [], done: [done], openTasks: 0 } })
  const frame = page.frameLocator('iframe')
  await frame.getByRole('heading', { name: 'Old' }).waitFor()
  await frame.getByRole('searchbox').pressSequentially('old task', { delay: 20 })
  await eventually(
    () => page.evaluate('reads.at(-1)'),
    (uri) => uri === 'ui://scorpiox-code/data/tasks?query=old%20task',
  )
  const searched = await page.evaluate<string[]>('reads.filter((uri) => uri.includes("query"))')
  expect(searched).toHaveLength(1)
  await frame.getByRole('button', { name: 'Reopen Old' }).click()
  await frame.getByRole('textbox', { name: 'New task' }).fill('Fresh')
  await frame.getByRole('button', { name: 'Create' }).click()
  await expect.poll(() => frame.getByRole('textbox', { name: 'New task' }).inputValue()).toBe('')
  expect(await page.evaluate('calls')).toEqual([
    { action: 'reopen', task_id: 1 },
    { action: 'create', name: 'Fresh' },
  ])
  await page.evaluate("document.querySelector('iframe').style.marginTop = '5000px'")
  await page.waitForTimeout(500)
  const hidden = await countReads(page)
  await page.waitForTimeout(5000)
  expect(await countReads(page)).toBe(hidden)
  await page.evaluate("document.querySelector('iframe').style.marginTop = '0'")
  await eventually(
    () => countReads(page),
    (count) => count > hidden,
  )
})

test('the command of a job runs from left to right in Arabic, also with Arabic in it, and the text beside it from right to left', async () => {
  const command = 'echo "مرحبا" && npm test'
  const times = { startedAt: 0, endedAt: null, ending: null, exitCode: null, signal: null }
  const output = { from: 0, next: 0, missing: 0, text: '', open: '' }
  const data = { id: 1, project: '/p', command, ...times, ...output }
  const page = await showView('job', { input: { task_id: 1 }, data, locale: 'ar-EG' })
  const frame = page.frameLocator('iframe')
  const isRightToLeft = (text: string): Promise<boolean> =>
    frame.getByText(text).evaluate((element) => element.matches(':dir(rtl)'))
  expect(await isRightToLeft(command)).toBe(false)
  expect(await isRightToLeft('لا توجد مخرجات بعد.')).toBe(true)
})
