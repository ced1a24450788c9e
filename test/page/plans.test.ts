// Plans on the page, in a real browser on the real program: a stdio client submits them, and a person reads, compares,
// approves, rejects or edits them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

import { call, emptyFolder, startServer, type TestClient } from '../support/client.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { openPage, openView, type Watched } from './support.js'

const env = { HOME: emptyFolder() }
const project = emptyFolder()

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
  const { complaints, origins } = watched
  await watched.close()
  expect(complaints).toEqual([])
  expect([...origins]).toEqual([new URL(`http://127.0.0.1:${server.port}`).origin])
})

const lookAt = (view: string): Promise<void> => openView(page, server, client, view)
const approval = (): Locator =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: 'Approve this plan?' }).first()
const press = (name: string, within: Locator = approval()): Promise<void> =>
  within.getByRole('button', { name, exact: true }).click()

const FIRST = `# Fence

- [ ] buy **red** paint
  1. nested \`code\`

| a | b |
|---|---|
| 1 | 2 |

> quoted

[docs](https://docs.example/p) [run](javascript:alert(1)) ![image](http://evil.example/x.png)

<b>not markup</b> <!-- not hidden --> \u202e\u0007
`

test('is rendered without HTML, rejected with a comment, and the next version shows what changed', async () => {
  await lookAt('Home')
  await call(client, 'PlanMode', { action: 'enter', goal: 'Paint the fence' })
  const rejected = call(client, 'PlanMode', { action: 'exit', plan: FIRST })
  await approval().getByText('Paint the fence').waitFor()
  await approval().getByText('The model is waiting for your answer').waitFor()
  const plan = approval().getByRole('group', { name: 'The plan' })
  await plan.getByRole('heading', { name: 'Fence' }).waitFor()
  await plan.getByText('<b>not markup</b> <!-- not hidden -->').waitFor()
  expect(await plan.locator('strong').textContent()).toBe('red')
  expect(await plan.getByRole('cell').allTextContents()).toEqual(['1', '2'])
  expect(await plan.locator('blockquote').textContent()).toBe('quoted')
  expect(await plan.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    'https://docs.example/p',
  ])
  expect(await plan.locator('img').count()).toBe(0)
  expect(await plan.textContent()).toContain('docs (https://docs.example/p) [run](javascript:alert(1)) ![image](')
  expect(await plan.textContent()).not.toMatch(/[\u202A-\u202E]|(?![\n\t])\p{Cc}/u)
  await page.getByRole('status').filter({ hasText: 'Paint the fence' }).waitFor({ state: 'attached' })
  await press('Reject')
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
  await page.keyboard.type('Blue, please.')
  await press('Reject')
  expect((await rejected).text).toMatch(/^NOT APPROVED[^]*comment: Blue, please\./)
  await page.getByText('Plan rejected. Commands still cannot write').waitFor()
  expect(await page.evaluate('document.activeElement.id')).toBe('main')
  const changed = FIRST.replace('red', 'blue')
  const next = call(client, 'PlanMode', { action: 'exit', plan: changed, create_task: false })
  await press('Changes')
  expect(await approval().locator('del').textContent()).toBe('- - [ ] buy **red** paint\n')
  expect(await approval().locator('ins').textContent()).toBe('+ - [ ] buy **blue** paint\n')
  await press('The plan')
  await approval().locator('strong').getByText('blue').waitFor()
  // With the keyboard only; no number key and no Enter approves.
  for (const key of ['1', '2', 'Enter']) await page.keyboard.press(key)
  await approval().locator('button[aria-disabled=false]').getByText('Approve').waitFor()
  await page.getByRole('main').focus()
  await tabTo('Approve')
  await page.keyboard.press('Enter')
  expect((await next).structured).toMatchObject({ active: false, approval: 'approved' })
  await page.getByText('Plan approved. Commands can write again.').waitFor()
})

test('is edited with a preview; unsent text survives a reload; that version is accepted', async () => {
  await lookAt('Home')
  await call(client, 'PlanMode', { action: 'enter', goal: 'Paint the gate' })
  const exit = call(client, 'PlanMode', { action: 'exit', plan: 'Paint it red.' })
  await press('Edit')
  const field = approval().getByRole('textbox', { name: 'Your version of the plan' })
  expect(await field.inputValue()).toBe('Paint it red.')
  await field.fill('')
  expect(await approval().getByRole('button', { name: 'Approve this version' }).isDisabled()).toBe(true)
  await field.fill('Paint it **green**.')
  await press('Preview')
  expect(await approval().locator('strong').textContent()).toBe('green')
  await page.reload()
  expect(await field.inputValue()).toBe('Paint it **green**.')
  // Back at the plan, it is said that approving does not include the changes.
  await press('Back to the plan')
  await approval().getByText('Your changes have not been sent yet.').waitFor()
  await press('Continue editing')
  await press('Approve this version')
  const { text, structured } = await exit
  expect(text).toContain('Follow this text:\n\nPaint it **green**.')
  expect(readFileSync(join(project, structured.plan_file), 'utf8')).toBe('Paint it **green**.')
  expect(await page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('draft'))")).toEqual([])
})

test('that was replaced meanwhile cannot be approved: the new one is shown and says so, and the edit is kept', async () => {
  await lookAt('Home')
  await call(client, 'PlanMode', { action: 'enter', goal: 'Paint the door' })
  const first = call(client, 'PlanMode', { action: 'exit', plan: 'Version one.' })
  await approval().getByText('Version one.').waitFor()
  await press('Edit')
  await approval().getByRole('textbox').fill('My version.')
  const second = call(client, 'PlanMode', { action: 'exit', plan: 'Version two.' })
  expect((await first).text).toMatch(/^NOT APPROVED: a later PlanMode call replaced/)
  await approval().getByText('Version two.', { exact: true }).waitFor()
  await approval().getByText('The model has replaced the plan that you were reading.').waitFor()
  const lost = page.getByRole('listitem').filter({ hasText: 'This is what you had typed.' })
  expect(await lost.getByLabel('Your unsent text').inputValue()).toBe('My version.')
  await press('Discard', lost)
  // What has just appeared cannot be approved at once.
  await press('Approve')
  const { structured } = await second
  expect(readFileSync(join(project, structured.plan_file), 'utf8')).toBe('Version two.')
})

test('of the largest size is shown whole, and nothing is wider than a small screen', async () => {
  await lookAt('Home')
  await page.setViewportSize({ width: 360, height: 740 })
  await call(client, 'PlanMode', { action: 'enter', goal: `A large plan ${'x'.repeat(300)}` })
  const plan = `${'| cell '.repeat(200)}|\n${'- [ ] <b>step</b>\n'.repeat(55_000)}${'w'.repeat(5000)}`
  const exit = call(client, 'PlanMode', { action: 'exit', plan })
  const shown = approval().getByRole('group', { name: 'The plan' })
  await expect.poll(async () => (await shown.textContent()) === plan).toBe(true)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await press('Reject')
  await press('Reject')
  expect((await exit).text).toMatch(/^NOT APPROVED/)
  // A table and a line without spaces, rendered.
  const next = call(client, 'PlanMode', {
    action: 'exit',
    plan: `${plan.slice(0, 1400)}\n${'|-'.repeat(200)}|\n\n${'w'.repeat(5000)}`,
  })
  await approval().getByRole('columnheader').first().waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await press('Approve')
  await next
})

test('has a page: drafts as they are saved, and the decision; the link works in a new tab', async () => {
  await lookAt('Plans')
  await page.getByText('No open plans').waitFor()
  await call(client, 'PlanMode', { action: 'enter', goal: 'A new roof' })
  await page.getByRole('main').getByText('The plan is still empty.').waitFor()
  const rows = Array.from({ length: 3000 }, (_, row) => `- [ ] row ${row} <b>of</b> tiles`)
  await call(client, 'PlanMode', { action: 'status', plan: `# Roof\n\n${rows.join('\n')}\n` })
  await page.getByText('row 2999 <b>of</b> tiles').waitFor()
  await call(client, 'PlanMode', { action: 'status', plan: `# Roof\n\n${rows.slice(1).join('\n')}\n` })
  await page.getByRole('button', { name: 'Changes' }).click()
  await page.locator('del').getByText('row 0 ').waitFor()
  // A second project: a list, and the plan in an address of its own.
  const otherProject = emptyFolder()
  const other = startServer({ env, cwd: otherProject })
  onTestFinished(async () => void (await other.close()))
  await other.initialize('2025-11-25')
  await call(other, 'PlanMode', { action: 'enter', goal: 'A new cellar' })
  const exit = call(other, 'PlanMode', { action: 'exit', plan: 'Dig.' })
  await page.getByRole('link', { name: 'A new cellar' }).click()
  await expect.poll(() => page.url()).toContain(`#/plans/${encodeURIComponent(otherProject)}`)
  await page
    .getByRole('region', { name: /^The plan/ })
    .getByText('Dig.')
    .waitFor()
  const address = page.url()
  const second = await openPage(browser)
  onTestFinished(() => second.close())
  await second.page.goto(`http://127.0.0.1:${server.port}/#key=${TOKEN}`)
  await second.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await second.page.goto(address)
  await second.page.getByText('Dig.').waitFor()
  await second.page.getByRole('button', { name: 'Approve', exact: true }).click()
  expect((await exit).text).toContain('Approved by the user on the console page.')
  await page.getByText('This project has no open plan.').waitFor()
  const reset = call(client, 'PlanMode', { action: 'reset' })
  await page.getByRole('link', { name: /^Home/ }).click()
  const discard = page.getByRole('listitem').filter({ hasText: 'Leave plan mode without a plan?' }).first()
  await press('Approve', discard)
  expect((await reset).text).toContain('Approved by the user on the console page.')
  expect(second.complaints).toEqual([])
})

test('that is open alone has an address: it stays, with the focus, when another plan appears', async () => {
  await lookAt('Plans')
  await call(client, 'PlanMode', { action: 'enter', goal: 'A new fence' })
  const exit = call(client, 'PlanMode', { action: 'exit', plan: 'Oak.' })
  const main = page.getByRole('main')
  await press('Edit', main)
  await expect.poll(() => page.url()).toContain(`#/plans/${encodeURIComponent(project)}`)
  const field = main.getByRole('textbox', { name: 'Your version of the plan' })
  await field.fill('Beech')
  const other = startServer({ env, cwd: emptyFolder() })
  onTestFinished(async () => void (await other.close()))
  await other.initialize('2025-11-25')
  await call(other, 'PlanMode', { action: 'enter', goal: 'A new gate' })
  await page.getByRole('link', { name: 'A new gate' }).waitFor()
  await page.keyboard.type(', please.')
  expect(await field.inputValue()).toBe('Beech, please.')
  await press('Approve this version', main)
  expect((await exit).text).toContain('Beech, please.')
  // The other plan is the only one now.
  await main.getByText('The plan is still empty.').waitFor()
  await call(other, 'PlanMode', { action: 'status' })
})

/** Keyboard only. */
async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if ((await page.evaluate('document.activeElement.innerText')) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} cannot be reached`)
}
