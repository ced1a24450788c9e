// Tasks in a real browser on the real program: a person creates, finds, orders, edits and deletes them, and a model that
// works on the same tasks sees it at its next call.

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

import { emptyFolder, startServer, task, type TestClient } from '../support/client.js'
import { type HttpServer, startProgram, TOKEN } from '../support/http-client.js'
import { openChromium } from './chromium.mjs'
import { listViolations, openPage, openView, type Watched } from './support.js'

const env = { HOME: emptyFolder() }

let browser: Browser
let server: HttpServer
let client: TestClient
let project: string
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
  project = emptyFolder()
  client = startServer({ env, cwd: project })
  await client.initialize('2025-11-25')
  watched = await openPage(browser)
  page = watched.page
})

afterEach(async () => {
  await watched.close()
  await client.close()
})

const lookAt = async (): Promise<void> => {
  await openView(page, server, client, 'Tasks')
  // The project of this test only; those of others are still known.
  await page.getByLabel('Project').selectOption(project)
}
const names = (): Promise<string[]> => page.locator('.task .task-name').allTextContents()
const row = (name: string) => page.locator('.task').filter({ hasText: name })
const listed = async (): Promise<string> => (await task(client, 'list')).text
const pane = () => page.locator('.task-pane')

test('a person creates a task, and the model sees it; the current task stays', async () => {
  await task(client, 'create', { text: 'of the model' })
  await lookAt()
  await page.getByRole('button', { name: 'New task' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Buy <b>milk</b>')
  await dialog.getByLabel('Steps, one per line').fill('find the shop\n\npay')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(names).toEqual(['Buy <b>milk</b>', 'of the model'])
  await row('Buy').getByText('0 of 2 steps done').waitFor()
  expect(await listed()).toMatch(/2 {2}Buy <b>milk<\/b> {2}\(0 of 2 steps done\)\n\* 1 {2}of the model {2}\(current/)
  expect(watched.complaints).toEqual([])
})

test('search and filter show what matches, done tasks too', async () => {
  await task(client, 'create', { text: 'Paint the fence', steps: ['buy Öl'] })
  await task(client, 'create', { text: 'Wash the car' })
  await task(client, 'complete', { task_id: 2 })
  await lookAt()
  await expect.poll(names).toEqual(['Paint the fence'])
  await page.getByLabel('Tasks to show').selectOption('Done')
  await expect.poll(names).toEqual(['Wash the car'])
  await page.getByLabel('Tasks to show').selectOption('Open and done')
  await expect.poll(names).toEqual(['Wash the car', 'Paint the fence'])
  await page.keyboard.press('/')
  await page.keyboard.type('ol')
  await expect.poll(names).toEqual(['Paint the fence'])
  await page.getByLabel('Search tasks').fill('nowhere')
  await page.getByText('No tasks match').waitFor()
})

test('tasks are ordered by keyboard and by dragging, and the model lists them in that order', async () => {
  for (const name of ['one', 'two', 'three', 'four']) await task(client, 'create', { text: name })
  await lookAt()
  await expect.poll(names).toEqual(['four', 'three', 'two', 'one'])
  await page.getByRole('link', { name: 'one' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.keyboard.press('Alt+ArrowUp')
  await expect.poll(names).toEqual(['four', 'one', 'three', 'two'])
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('one')
  await page.getByText('Moved to place 2 of 4').waitFor({ state: 'attached' })
  await expect.poll(listed).toMatch(/ 4 {2}four.*\n. 1 {2}one.*\n. 3 {2}three.*\n. 2 {2}two/)
  const [from, to] = [page.getByRole('button', { name: 'Move two' }), page.getByRole('button', { name: 'Move four' })]
  await from.hover()
  await page.mouse.down()
  await to.hover()
  await page.locator('.task.over').waitFor()
  await page.mouse.up()
  await expect.poll(names).toEqual(['two', 'four', 'one', 'three'])
  await expect.poll(listed).toMatch(/ 2 {2}two.*\n. 4 {2}four.*\n. 1 {2}one.*\n. 3 {2}three/)
  await page.reload()
  await page.getByLabel('Project').selectOption(project)
  await expect.poll(names).toEqual(['two', 'four', 'one', 'three'])
})

test('a task is renamed, its steps are edited, and it is completed, opened again and deleted', async () => {
  await task(client, 'create', { text: 'Draft', steps: ['first', 'second'] })
  await lookAt()
  await page.getByRole('link', { name: 'Draft' }).click()
  await pane().getByRole('button', { name: 'Rename the task' }).click()
  await page.keyboard.type('Final')
  await page.keyboard.press('Enter')
  await expect.poll(names).toEqual(['Final'])
  await pane().getByRole('button', { name: 'Edit step: first' }).click()
  await page.keyboard.type('changed')
  await page.keyboard.press('Enter')
  await pane().getByLabel('New step').fill('third')
  await pane().getByRole('button', { name: 'Add' }).click()
  await pane().getByLabel('third').click()
  await expect
    .poll(async () => (await task(client, 'list', { task_id: 1 })).text)
    .toBe('* 1  Final  (current, 1 of 3 steps done)\n      [ ] 1  changed\n      [ ] 2  second\n      [x] 3  third\n')
  await pane().getByRole('button', { name: 'Edit step: second' }).click()
  await pane().getByRole('button', { name: 'Delete step' }).click()
  await expect.poll(async () => (await task(client, 'list', { task_id: 1 })).text).not.toContain('second')
  await row('Final').getByLabel('Complete task: Final').click()
  await expect.poll(names).toEqual([])
  await pane().getByRole('button', { name: 'Reopen' }).click()
  await expect.poll(names).toEqual(['Final'])
  await pane().getByRole('button', { name: 'Delete Final' }).click()
  await page.getByRole('dialog').getByText('This cannot be undone.', { exact: false }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(names).toEqual([])
  expect(page.url()).toMatch(/#\/tasks$/)
  expect(await listed()).toContain('There are no tasks yet')
})

test('what was typed and not saved is there again: a name, a step, a new task', async () => {
  for (const name of ['Fence', 'Gate']) await task(client, 'create', { text: name })
  await lookAt()
  await page.getByRole('link', { name: 'Fence' }).click()
  await pane().getByLabel('New step').fill('buy paint')
  await pane().getByRole('button', { name: 'Rename the task' }).click()
  await page.keyboard.type('Red fence')
  await page.getByRole('link', { name: 'Gate' }).click()
  await pane().getByRole('heading', { name: 'Gate' }).waitFor()
  expect(await pane().getByLabel('New step').inputValue()).toBe('')
  await page.getByRole('link', { name: 'Fence' }).click()
  await expect.poll(() => pane().getByLabel('New step').inputValue()).toBe('buy paint')
  expect(await pane().getByLabel('Name').inputValue()).toBe('Red fence')
  await pane().getByRole('button', { name: 'Save' }).click()
  await pane().getByRole('heading', { name: 'Red fence' }).waitFor()
  await pane().getByRole('button', { name: 'Add' }).click()
  await pane().getByText('buy paint', { exact: true }).waitFor()
  const dialog = page.getByRole('dialog')
  const openDialog = (): Promise<void> => page.getByRole('button', { name: 'New task' }).click()
  await openDialog()
  await dialog.getByLabel('Name').fill('Shed')
  await dialog.getByLabel('Steps, one per line').fill('sweep')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await openDialog()
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Shed')
  expect(await dialog.getByLabel('Steps, one per line').inputValue()).toBe('sweep')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await openDialog()
  expect(await dialog.getByLabel('Name').inputValue()).toBe('')
  expect(await page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('draft'))")).toEqual([])
  // Not among the texts of questions that are gone.
  await page.keyboard.press('Escape')
  await openDialog()
  await dialog.getByLabel('Name').fill('Shed')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: /^Home/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  expect(await page.getByText('Your unsent text').count()).toBe(0)
})

test('a change by the model is shown at once, also while a person edits; neither is lost', async () => {
  await task(client, 'create', { text: 'Shared', steps: ['one', 'two'] })
  await lookAt()
  await page.getByRole('link', { name: 'Shared' }).click()
  await pane().getByRole('button', { name: 'Rename the task' }).click()
  await page.keyboard.type('Renamed')
  await task(client, 'complete', { step_id: 1 })
  await row('Shared').getByText('1 of 2 steps done').waitFor()
  await task(client, 'complete', { task_id: 1 })
  await expect.poll(names).toEqual([])
  await page.keyboard.press('Enter')
  await pane().getByRole('heading', { name: 'Renamed' }).waitFor()
  expect(await listed()).toMatch(/1 {2}Renamed {2}\(.*complete\)/)
})

test('what changed after it was read is not deleted, and the page says how it is now', async () => {
  await task(client, 'create', { text: 'Busy', steps: ['one'] })
  await lookAt()
  await page.getByRole('link', { name: 'Busy' }).click()
  await pane().waitFor()
  await page.route('**/board/task', (route) => route.abort())
  await pane().getByRole('button', { name: 'Delete Busy' }).click()
  await task(client, 'add', { text: 'two' })
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('alert')
    .getByText('Task 1 "Busy" has changed meanwhile: it is open, with 0 of 2 steps done. It was not deleted', {
      exact: false,
    })
    .first()
    .waitFor()
  expect(await listed()).toContain('Busy')
})

test('a collapsed task stays collapsed after a reload, and a link opens a task', async () => {
  await task(client, 'create', { text: 'Long', steps: ['hidden step'] })
  await lookAt()
  await row('Long').getByText('hidden step').waitFor()
  await row('Long').getByRole('button', { name: 'Steps of Long' }).click()
  await row('Long').getByText('hidden step').waitFor({ state: 'detached' })
  // Another tab has collapsed a task meanwhile.
  await page.evaluate("localStorage.setItem('collapsed-tasks', JSON.stringify(['of another tab']))")
  for (const state of ['visible', 'detached'] as const) {
    await row('Long').getByRole('button', { name: 'Steps of Long' }).click()
    await row('Long').getByText('hidden step').waitFor({ state })
  }
  expect(await page.evaluate("JSON.parse(localStorage.getItem('collapsed-tasks'))[0]")).toBe('of another tab')
  await page.reload()
  await page.getByLabel('Project').selectOption(project)
  await row('Long').waitFor()
  expect(await row('Long').getByText('hidden step').count()).toBe(0)
  await page.goto(`http://127.0.0.1:${server.port}/#/tasks/${encodeURIComponent(project)}/1`)
  await pane().getByText('hidden step', { exact: true }).waitFor()
  await page.goto(`http://127.0.0.1:${server.port}/#/tasks/${encodeURIComponent(project)}/99`)
  await page.getByText('There is no task 99. It may have been deleted.').waitFor()
})

test('2,000 tasks are listed as they are scrolled to, and axe finds nothing in list, task and dialog', async () => {
  const count = 2000
  for (let at = 0; at < count; at += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => task(client, 'create', { text: `chore ${at + index}`, steps: ['x'] })),
    )
  await lookAt()
  await row('chore').first().waitFor()
  expect(await page.locator('.task').count()).toBeLessThan(60)
  await expect
    .poll(async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      return page.locator('.virtual > li').last().getAttribute('aria-posinset')
    })
    .toBe(`${count + 1}`)
  expect(await page.locator('.task').count()).toBeLessThan(60)
  await page.evaluate('scrollTo(0, 0)')
  await page.locator('.task .task-name a').first().click()
  await pane().waitFor()
  expect(await listViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'New task' }).click()
  expect(await listViolations(page)).toEqual([])
})

test('without a connection nothing can be changed', async () => {
  await task(client, 'create', { text: 'Kept', steps: ['one'] })
  const other = await startProgram({ env, cwd: emptyFolder() })
  await page.goto(`http://127.0.0.1:${other.port}/#key=${TOKEN}`)
  await page.getByRole('link', { name: /^Tasks/ }).click()
  await page.getByLabel('Project').selectOption(project)
  await page.getByRole('link', { name: 'Kept' }).click()
  await pane().getByRole('button', { name: 'Complete' }).waitFor()
  await other.stop()
  await expect.poll(() => pane().getByRole('button', { name: 'Complete' }).isDisabled()).toBe(true)
  expect(await row('Kept').getByRole('checkbox').first().isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'New task' }).isDisabled()).toBe(true)
})
