// The page in a real browser on the real program: a user of the HTTP server sees and controls what a stdio client does.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import {
  call,
  cleanEnv,
  emptyFolder,
  PROGRAM,
  startJob,
  startServer,
  type TestClient,
  waitForExit,
} from '../support/client.js'
import { type HttpServer, startProgram, TOKEN, tokenFor } from '../support/http-client.js'
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

describe('the login', () => {
  test('a token signs in, is kept for the tab, and is removed by signing out', async () => {
    await page.goto(address())
    const field = page.getByLabel('Token')
    expect(await field.getAttribute('type')).toBe('password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Paste a token first.').waitFor()
    await field.fill('not-the-token')
    await field.press('Enter')
    await page.getByText('The server does not know this token.').waitFor()
    await field.fill('كلمة السر')
    await field.press('Enter')
    await page.getByText('The server does not know this token.').waitFor()
    await field.fill(TOKEN)
    await field.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Questions' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Questions' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
    await page.getByRole('button', { name: 'Log out' }).click()
    await field.waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.reload()
    await field.waitFor()
    // The browser logs the refusal of the wrong token.
    expect(watched.complaints.filter((text) => !text.includes('401'))).toEqual([])
  })

  test('a link signs in at once, and its key is removed from the address', async () => {
    await page.goto(`${address()}#key=${TOKEN}`)
    await page.getByText('Live').waitFor()
    expect(page.url()).not.toContain(TOKEN)
    await page.goBack()
    expect(page.url()).not.toContain(TOKEN)
  })

  test('a link changes nothing in a tab that is signed in, and its key is removed from the address', async () => {
    await page.goto(`${address()}#key=${TOKEN}`)
    await page.getByText('Live').waitFor()
    const stored = (): Promise<unknown> => page.evaluate("sessionStorage.getItem('token')")
    const other = tokenFor('mallory', env)
    // In the open page, which is not loaded again, and at a load.
    await page.evaluate(`location.hash = '#key=${other}'`)
    await expect.poll(() => page.url()).not.toContain('key=')
    expect(await stored()).toBe(TOKEN)
    await page.goto('about:blank')
    await page.goto(`${address()}#key=${other}`)
    await page.getByText('Live').waitFor()
    expect(page.url()).not.toContain('key=')
    expect(await stored()).toBe(TOKEN)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    await page.evaluate(`location.hash = '#key=${other}'`)
    await page.getByText('Live').waitFor()
    expect(await stored()).toBe(other)
  })

  test('an expired link says how to get another', async () => {
    await page.goto(`${address()}#key=old`)
    await page.getByText('This link is no longer valid.').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })
})

describe('questions', () => {
  const COLOUR = {
    text: 'Which <img src=x onerror=document.title=1> colour?',
    options: [{ label: 'Red', description: 'As the fire' }, 'Green & <b>blue</b>'],
  }

  test('a click is the answer that the call returns', async () => {
    await lookAt('Questions')
    const asked = ask(client, COLOUR)
    const form = card('colour?')
    await form.getByText('The model is waiting for your answer').waitFor()
    expect(await page.title()).toMatch(/^\(1\) /)
    await page.getByRole('status').filter({ hasText: 'New question: Which <img' }).waitFor({ state: 'attached' })
    expect(await page.locator('input:checked').count()).toBe(0)
    await form.getByLabel('Green & <b>blue</b>').check()
    await form.getByRole('button', { name: 'Answer' }).click()
    expect((await asked).structured.answers).toMatchObject([{ selected: ['Green & <b>blue</b>'], outcome: 'answered' }])
    await page.getByText('No question is waiting').waitFor()
    await page.getByText('Your answer was sent.').waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    expect(await page.title()).toBe('Questions · scorpiox-code')
    expect(watched.complaints).toEqual([])
    expect([...watched.origins]).toEqual([new URL(address()).origin])
  })

  test('the keyboard is enough', async () => {
    await lookAt('Questions')
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
    await lookAt('Questions')
    const asked = ask(client, COLOUR, { text: 'Which days?', options: ['Mon', 'Tue', 'Wed'], multiSelect: true })
    const form = card('Which days?')
    await form.getByRole('group', { name: 'colour?' }).getByPlaceholder('In your own words').fill(' ما أجمل الأخضر ')
    await form.getByRole('button', { name: 'Answer' }).click()
    await form.getByText('Choose an answer or write your own.').waitFor()
    expect(await page.evaluate("document.activeElement.closest('fieldset').innerText")).toContain('Which days?')
    // Entered answers survive a change of the view.
    await page.getByRole('link', { name: /^Jobs/ }).click()
    await page.getByRole('link', { name: /^Questions/ }).click()
    await form.getByLabel('Mon').check()
    await form.getByLabel('Wed').check()
    await form.getByRole('button', { name: 'Answer' }).click()
    const { answers } = (await asked).structured
    expect(answers[0].selected).toEqual(['ما أجمل الأخضر'])
    expect(answers[1].selected).toEqual(['Mon', 'Wed'])
  })

  test('declining is no answer', async () => {
    await lookAt('Questions')
    const asked = ask(client, COLOUR)
    await card('colour?').getByRole('button', { name: 'Decline' }).click()
    expect((await asked).structured.answers).toMatchObject([{ outcome: 'declined' }])
  })

  test('one that was answered elsewhere disappears, and the page reports it', async () => {
    await lookAt('Questions')
    const asked = ask(client, COLOUR)
    await card('colour?').getByLabel('Red').check()
    const other = await openPage(browser)
    await other.page.goto(`${address()}#key=${TOKEN}`)
    await other.page.getByLabel('Red').check()
    await other.page.getByRole('button', { name: 'Answer' }).click()
    await asked
    await page.getByText('No longer open, because it was answered elsewhere').waitFor()
    await page.getByText('No question is waiting').waitFor()
    await other.close()
  })
})

describe('jobs', () => {
  test('its output is live, and it can be killed after confirmation', async () => {
    await lookAt('Jobs')
    const id = await startJob(client, 'echo my pid is $$.; for i in 1 2 3; do echo line-$i; sleep 0.2; done; sleep 300')
    const job = card('sleep 300')
    await job.getByText('line-3').waitFor()
    await job.getByText(/running for \d+s/).waitFor()
    const pid = Number(/pid is (\d+)/.exec((await job.locator('pre').textContent()) ?? '')?.[1])
    await job.getByRole('button', { name: 'Whole output' }).click()
    await page.getByRole('dialog').getByText('line-1').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await job.getByRole('button', { name: `Kill #${id}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Let it run' }).click()
    await job.getByRole('button', { name: `Kill #${id}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Kill' }).click()
    await page.getByRole('heading', { name: 'Ended' }).waitFor()
    await waitForExit(pid)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(watched.complaints).toEqual([])
  })
})

describe('the whole output of a job', () => {
  const dialog = () => page.getByRole('dialog')
  const shown = async (): Promise<string> => (await dialog().locator('pre').textContent()) ?? ''
  const turnTo = (name: string) => dialog().getByRole('button', { name, exact: true }).click()

  test('continues while the job runs, and stays when it ends', { tags: ['long'] }, async () => {
    await lookAt('Jobs')
    const gate = join(emptyFolder(), 'gate')
    await startJob(client, `echo chapter one; printf '10%%\\r'; until [ -e ${gate} ]; do sleep 0.1; done; echo the end`)
    await card('chapter one').getByRole('button', { name: 'Whole output' }).click()
    await dialog().locator('pre').getByText('10%').waitFor()
    await dialog().getByText('Running').waitFor()
    writeFileSync(gate, '')
    await dialog().locator('pre').getByText('the end').waitFor()
    await dialog().getByText('Ended').waitFor()
    expect(await shown()).toBe('chapter one\nthe end\n')
    expect(watched.complaints).toEqual([])
  })

  test('is complete however long it is, part by part, and as a file', { tags: ['long'] }, async () => {
    const count = 120_000
    await lookAt('Jobs')
    await startJob(client, `seq -f 'entry %.0f' 1 ${count}`)
    const job = card(`1 ${count}`)
    await job.getByText('exit code 0').waitFor()
    await job.getByRole('button', { name: 'Whole output' }).click()
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
    expect(await dialog().locator('.parts p').textContent()).toMatch(/^0 bytes/)
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
    await job.getByRole('button', { name: 'Whole output' }).click()
    await expect.poll(shown).toMatch(/piece 100000\n$/)
    await turnTo('Beginning')
    await expect.poll(shown).toMatch(/^piece 1\n/)
    await dialog()
      .getByText(/MB of output is no longer kept here/)
      .waitFor()
  })
})

describe('callbacks', () => {
  const waiting = () => page.getByRole('region', { name: 'Waiting for the model' })

  test('the countdown runs down and fires; undelivered messages can be dismissed', async () => {
    await lookAt('Callbacks')
    await call(client, 'SetCallback', { action: 'set', message: 'look <again>', delay_seconds: 3, repeat_count: 1 })
    const timer = card('look <again>').getByRole('timer')
    await timer.filter({ hasText: /^In [23]s$/ }).waitFor()
    await timer.filter({ hasText: /^In 1s$/ }).waitFor()
    await waiting().getByText('look <again>').waitFor()
    await waiting().getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('No callbacks are set').waitFor()
    const { text } = await call(client, 'SetCallback', { action: 'list' })
    expect(text).not.toContain('look <again>')
  })

  test('a cancelled one never fires', async () => {
    await lookAt('Callbacks')
    await call(client, 'SetCallback', { action: 'set', message: 'never', delay_seconds: 600, repeat_count: -1 })
    const callback = card('never')
    await callback.getByText('every 10m').waitFor()
    await callback.getByText('until cancelled').waitFor()
    await callback.getByRole('button', { name: 'Cancel Slot 0' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('No callbacks are set').waitFor()
    const { structured } = await call(client, 'SetCallback', { action: 'list' })
    expect(structured.callbacks).toEqual([])
  })
})

test('the plan in progress can be read completely', async () => {
  await lookAt('Tasks')
  await call(client, 'PlanMode', { action: 'enter', goal: 'A new roof' })
  const plan = card('A new roof')
  await plan.getByRole('button', { name: 'Read the plan' }).click()
  await page.getByRole('dialog').getByText('Nothing has been written yet.').waitFor()
  await page.keyboard.press('Escape')
  const text = `# Roof\n\n${Array.from({ length: 3000 }, (_, row) => `- [ ] row ${row} <b>of</b> tiles`).join('\n')}\n`
  await call(client, 'PlanMode', { action: 'status', plan: text })
  await plan.getByRole('button', { name: 'Read the plan' }).click()
  await page.getByRole('dialog').getByText('row 2999').waitFor()
  expect(await page.getByRole('dialog').locator('pre').textContent()).toBe(text)
  await page.keyboard.press('Escape')
  const reset = call(client, 'PlanMode', { action: 'reset' })
  await page.getByRole('link', { name: /^Questions/ }).click()
  await card('Leave plan mode without a plan?').getByRole('button', { name: 'Approve' }).click()
  expect((await reset).text).toContain('Approved by the user on the console page.')
  expect(watched.complaints).toEqual([])
})

describe('a plan to approve', () => {
  const FIRST = '# Fence\n\n- [ ] buy **red** paint\n\n<b>not markup</b> <!-- not hidden -->\n'

  test('is read, rejected with a comment, and the next version shows what changed', async () => {
    await lookAt('Questions')
    await call(client, 'PlanMode', { action: 'enter', goal: 'Paint the fence' })
    const rejected = call(client, 'PlanMode', { action: 'exit', plan: FIRST })
    const approval = card('Approve this plan?')
    await approval.getByText('Paint the fence').waitFor()
    await approval.getByText('The model is waiting for your answer').waitFor()
    await approval.getByText('<b>not markup</b> <!-- not hidden -->').waitFor()
    expect(await approval.locator('strong').textContent()).toBe('red')
    expect(await page.title()).toMatch(/^\(1\) /)
    await page.getByRole('status').filter({ hasText: 'Paint the fence' }).waitFor({ state: 'attached' })
    await approval.getByRole('button', { name: 'Reject' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
    await page.keyboard.type('Blue, please.')
    await approval.getByRole('button', { name: 'Reject' }).click()
    expect((await rejected).text).toMatch(/^NOT APPROVED[^]*comment: Blue, please\./)
    await page.getByText('Rejected: commands can still only read').waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    const plan = FIRST.replace('red', 'blue')
    const next = call(client, 'PlanMode', { action: 'exit', plan, create_task: false })
    await approval.getByText('Changes since the last draft').waitFor()
    expect(await approval.locator('del').textContent()).toBe('- - [ ] buy **red** paint\n')
    expect(await approval.locator('ins').textContent()).toBe('+ - [ ] buy **blue** paint\n')
    // With the keyboard only.
    await page.getByRole('main').focus()
    await tabTo('Approve')
    await page.keyboard.press('Enter')
    expect((await next).structured).toMatchObject({ active: false, approval: 'approved' })
    await page.getByText('Approved: commands can write again.').waitFor()
    expect(watched.complaints).toEqual([])
  })

  test('is edited: that version is accepted', async () => {
    await lookAt('Questions')
    await call(client, 'PlanMode', { action: 'enter', goal: 'Paint the gate' })
    const exit = call(client, 'PlanMode', { action: 'exit', plan: 'Paint it red.' })
    const approval = card('Approve this plan?')
    await approval.getByRole('button', { name: 'Edit' }).click()
    const field = approval.getByLabel('Your version of the plan')
    expect(await field.inputValue()).toBe('Paint it red.')
    await field.fill('')
    expect(await approval.getByRole('button', { name: 'Approve this version' }).isDisabled()).toBe(true)
    await field.fill('Paint it green.')
    await approval.getByRole('button', { name: 'Approve this version' }).click()
    const { text, structured } = await exit
    expect(text).toContain('follow this text:\n\nPaint it green.')
    expect(readFileSync(join(project, structured.plan_file), 'utf8')).toBe('Paint it green.')
    expect(watched.complaints).toEqual([])
  })

  test('that was replaced meanwhile cannot be approved: the page shows the new one', async () => {
    await lookAt('Questions')
    await call(client, 'PlanMode', { action: 'enter', goal: 'Paint the door' })
    const first = call(client, 'PlanMode', { action: 'exit', plan: 'Version one.' })
    const approval = card('Approve this plan?')
    await approval.getByText('Version one.').waitFor()
    const second = call(client, 'PlanMode', { action: 'exit', plan: 'Version two.' })
    expect((await first).text).toMatch(/^NOT APPROVED: a later PlanMode call replaced/)
    await approval.getByText('Version two.', { exact: true }).waitFor()
    await approval.getByRole('button', { name: 'Approve' }).click()
    const { structured } = await second
    expect(readFileSync(join(project, structured.plan_file), 'utf8')).toBe('Version two.')
  })
})

test('tasks, calls and servers are current without a reload', async () => {
  await lookAt('Tasks')
  await call(client, 'TaskManager', { action: 'create', query: 'Paint the fence' })
  await call(client, 'TaskManager', { action: 'add', query: 'Buy paint' })
  const task = card('Paint the fence')
  await task.getByText('Current').waitFor()
  await task.getByText('0 of 1 step done').waitFor()
  await page.getByRole('link', { name: 'Tasks & plans , 1 open task' }).waitFor()
  await page.getByRole('link', { name: /^Calls/ }).click()
  await page.getByRole('main').getByText('TaskManager').first().waitFor()
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
  const names = (): Promise<string[]> => page.locator('main h3').filter({ hasText: 'chore' }).allTextContents()
  await card('chore 130').waitFor()
  expect(await names()).toEqual(Array.from({ length: 10 }, (_, index) => `chore ${130 - index}`))
  await page.getByRole('button', { name: 'Show more (120 open tasks left)' }).click()
  await page.getByRole('button', { name: 'Show more (20 open tasks left)' }).click()
  await card('chore 1').waitFor()
  await expect.poll(names).toEqual(['chore 130', ...Array.from({ length: 129 }, (_, index) => `chore ${129 - index}`)])
  await card('chore 130').getByRole('button', { name: 'Show 10 more steps' }).click()
  await card('chore 130').getByText('move 30').waitFor()
  // Loaded entries are kept up to date.
  await call(other, 'TaskManager', { action: 'create', query: 'chore 131' })
  const all = Array.from({ length: 131 }, (_, index) => `chore ${131 - index}`)
  await expect.poll(async () => (await names()).toSorted()).toEqual(all.toSorted())
  expect(watched.complaints).toEqual([])
})

test('the language is that of the browser, can be switched, and is remembered', async () => {
  const arabic = await openPage(browser, { locale: 'ar-EG' })
  await arabic.page.goto(`${address()}#key=${TOKEN}`)
  await arabic.page.getByRole('heading', { level: 1, name: 'الأسئلة' }).waitFor()
  const html = arabic.page.locator('html')
  expect([await html.getAttribute('lang'), await html.getAttribute('dir')]).toEqual(['ar', 'rtl'])
  await arabic.page.getByRole('combobox').selectOption('ko')
  await arabic.page.reload()
  await arabic.page.getByRole('heading', { level: 1, name: '질문' }).waitFor()
  expect([await html.getAttribute('lang'), await html.getAttribute('dir')]).toEqual(['ko', 'ltr'])
  await arabic.close()
})

test('the command `ui` shows what a client on stdio does, without any other server', async () => {
  const ui = spawn(process.execPath, [PROGRAM, 'ui', '--no-open'], { cwd: project, env: cleanEnv(env) })
  let printed = ''
  ui.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed, { timeout: 15_000 }).toMatch(/#key=\S+\n/)
  await page.goto(/http:\S+/.exec(printed)?.[0] ?? '')
  await page.getByRole('link', { name: /^Tools/ }).click()
  await page.getByText(`Process ${client.child.pid}`).waitFor()
  await page.getByRole('link', { name: /^Questions/ }).click()
  const asked = ask(client, { text: 'Over here?', options: ['Yes', 'No'] })
  await card('Over here?').getByLabel('No', { exact: true }).check()
  await page.getByRole('button', { name: 'Answer' }).click()
  expect((await asked).structured.answers[0].selected).toEqual(['No'])
  ui.kill('SIGTERM')
  await page.getByText('No connection').waitFor()
})

test('the command `ui` without its link prints how to get one, and accepts it', async () => {
  const token = tokenFor(userInfo().username, env)
  const ui = spawn(process.execPath, [PROGRAM, 'ui', '--no-open'], {
    cwd: project,
    env: cleanEnv({ ...env, HTTP_TOKEN: 'a-fixed-token' }),
  })
  onTestFinished(() => void ui.kill('SIGTERM'))
  let printed = ''
  ui.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed, { timeout: 15_000 }).toMatch(/#key=\S+\n/)
  const [, link = '', key = ''] = /(http:\S+)#key=(\S+)/.exec(printed) ?? []
  for (const credential of [key, `${link}#key=${key}`, token, 'a-fixed-token']) {
    await page.goto(link)
    await page.getByText('Open the link that scorpiox-code ui printed, or paste its key.').waitFor()
    await page.getByText('A token that scorpiox-code token create makes works too.').waitFor()
    await page.getByLabel('Token').fill('a-wrong-token')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('The server does not know this token.').waitFor()
    await page.getByLabel('Token').fill(credential)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('link', { name: /^Tools/ }).click()
    await page.getByText(`Process ${client.child.pid}`).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
  }
})

test('a server without authentication shows the console to those who have the link that it printed', async () => {
  const open = await startProgram({ env: { HOME: emptyFolder(), HTTP_TOKEN: '' }, flags: ['--no-auth'] })
  onTestFinished(async () => void (await open.stop()))
  await page.goto(`http://127.0.0.1:${open.port}/`)
  await page.getByText('Open the link that the server printed at its start, or paste its key.').waitFor()
  const [link = ''] = /http:\S+#key=\S+/.exec(open.greeting) ?? []
  await page.goto(link)
  await page.getByRole('heading', { level: 1, name: 'Questions' }).waitFor()
  await page.getByText('Live').waitFor()
})

test('when the server restarts the page reconnects; with another token it shows the login', async () => {
  await lookAt('Questions')
  const { port } = server
  await server.stop()
  await page.getByText(/Next try in/).waitFor()
  server = await startProgram({ env, flags: ['--port', `${port}`] })
  await page.getByText('Live').waitFor()
  const asked = ask(client, { text: 'Still there?', options: ['Yes', 'No'] })
  await card('Still there?').getByLabel('Yes').check()
  await page.getByRole('button', { name: 'Answer' }).click()
  expect((await asked).structured.answers[0].selected).toEqual(['Yes'])
  await server.stop()
  server = await startProgram({ env: { ...env, HTTP_TOKEN: 'another' }, flags: ['--port', `${port}`] })
  await page.getByText('You were logged out').waitFor()
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
