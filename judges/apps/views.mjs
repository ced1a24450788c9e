// What each view is for, done as a person does it: the call, what appears, what is clicked, and what the model then gets.
// Used by ../apps.mjs.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openChromium } from '../../test/page/chromium.mjs'
import { eventually } from './eventually.mjs'

export const views = [
  { name: 'question', tools: ['AskUserQuestion'], use: useQuestion },
  { name: 'plan', tools: ['PlanMode'], use: usePlan },
  { name: 'job', tools: ['BackgroundBash', 'ReadBgOutput'], use: useJob },
  { name: 'tasks', tools: ['TaskManager'], use: useTasks },
  { name: 'image', tools: ['ReadImage'], use: useImage },
]

const textOf = ({ content }) => content.map(({ text = '' }) => text).join('')

/** Answered with the keyboard while the call waits; a second one after the call has returned. */
async function useQuestion({ view, call, photograph, reopen }) {
  const { frame } = view
  const hostile = '<img src=x onerror=alert(1)>'
  const input = (text) => ({
    questions_json: JSON.stringify({
      questions: [{ text, options: [{ label: 'SQLite', description: 'One file.' }, 'PostgreSQL', hostile] }],
    }),
  })
  const first = input('Which database?')
  const asked = call('AskUserQuestion', first)
  await view.sendInput(first)
  await frame.getByRole('radio', { name: 'SQLite' }).focus()
  await view.page.keyboard.press('ArrowDown')
  assert.equal(await frame.getByText(hostile).count(), 1)
  assert.equal(await frame.locator('img').count(), 0)
  assert.deepEqual(await view.violations(), [])
  await photograph('form')
  await view.page.keyboard.press('Enter')
  const answered = await asked
  assert.match(textOf(answered), /"selected":"PostgreSQL"[^]*Answered in the form in the chat/)
  await view.sendResult(answered)
  await frame.getByText('PostgreSQL').waitFor()
  assert.equal(await frame.getByRole('radio').count(), 0)
  assert.deepEqual(await view.messages(), [])

  // No view is shown, so the call returns; a view that is opened later answers it, and tells the model.
  const second = input('Which index?')
  const unanswered = await call('AskUserQuestion', second)
  assert.match(textOf(unanswered), /NOT ANSWERED/)
  const late = await reopen()
  await late.sendInput(second)
  await late.sendResult(unanswered)
  await late.frame.getByRole('radio', { name: 'SQLite' }).click()
  await late.frame.getByRole('button', { name: 'Answer', exact: true }).click()
  await eventually(async () => assert.match((await late.messages()).join(), /I answered question 2/))
  assert.match(textOf(await call('AskUserQuestion', { questions_json: '{"id":2}' })), /"selected":"SQLite"/)
  await late.close()

  // A question that is not stored, because the client shows a form of its own; and one that the view cannot read.
  for (const [capabilities, hint] of [
    [undefined, 'Answer in the form that this app shows'],
    [{}, 'Write your answer in the chat'],
  ]) {
    const other = await reopen(capabilities)
    await other.sendInput(input('Which port?'))
    await other.frame.getByText(hint).waitFor()
    assert.equal(await other.frame.getByRole('radio').count(), 0)
    assert.deepEqual(await other.violations(), [])
    await other.sendCancelled()
    await other.frame.getByText('The call was cancelled').waitFor()
    await other.close()
  }
}

/** The plan is shown with its changes; there is nothing to approve it with. */
async function usePlan({ view, call, reopen, setReachable }) {
  const { frame } = view
  await call('PlanMode', { action: 'enter', goal: 'Move to PostgreSQL' })
  await call('PlanMode', { action: 'status', plan: '# Move\n\n- [ ] Export the data\n- [ ] Stop the server\n' })
  const plan =
    '# Move\n\n- [ ] Export the data\n- [ ] Import into **PostgreSQL**: [manual](https://db.test/restore)\n\n' +
    '```sh\npg_restore dump\n```\n'
  const input = { action: 'exit', plan }
  const exit = call('PlanMode', input)
  await view.sendInput(input)
  await frame.getByText('Import into').waitFor()
  await frame.getByText('Move to PostgreSQL').waitFor()
  assert.equal(await frame.locator('strong').innerText(), 'PostgreSQL')
  await frame.getByRole('link', { name: 'manual' }).click()
  await eventually(async () => assert.deepEqual(await view.links(), ['https://db.test/restore']))
  const ended = await exit
  await view.sendResult(ended)
  assert.match(textOf(ended), /not approved|waits|not decided/i)
  await frame.getByText('Waiting for your approval').waitFor()
  await frame.getByText('scorpiox-code ui').waitFor()
  assert.equal(await frame.getByRole('button', { name: /approve|reject/i }).count(), 0)
  await frame.getByRole('button', { name: /Changes/ }).click()
  await frame.locator('ins', { hasText: 'Import into' }).waitFor()
  await frame.locator('del', { hasText: 'Stop the server' }).waitFor()

  // Where the plan cannot be read, the text of the result is shown, not that there is no plan.
  const status = await call('PlanMode', { action: 'status' })
  for (const capabilities of [undefined, {}]) {
    const other = await reopen(capabilities)
    setReachable(capabilities !== undefined)
    await other.sendInput({ action: 'status' })
    await other.sendResult(status)
    await other.frame.getByText('Waiting for the user to approve').waitFor()
    assert.equal(await other.frame.getByText('The plan is still empty').count(), 0)
    setReachable(true)
    await other.close()
  }
}

/** New output appears while the job runs, and the model still reads all of it. */
async function useJob({ view, call, project, photograph, reopen, setReachable }) {
  const { frame } = view
  const go = join(project, 'go')
  const input = {
    command: `echo "line 1"; printf "\\033[31mred\\033[0m\\n"; until [ -e ${go} ]; do sleep 0.05; done; echo "<b>line 2</b>"; exit 3`,
  }
  const started = await call('BackgroundBash', input)
  await view.sendInput(input)
  await view.sendResult(started)
  await frame.getByText('line 1').last().waitFor()
  await frame.getByText('Running', { exact: true }).waitFor()
  await frame.getByText('red', { exact: true }).waitFor()
  assert.deepEqual(await outputLines(frame), ['line 1', 'red'])
  const colourOf = (element) => element.evaluate((each) => getComputedStyle(each).color)
  assert.notEqual(await colourOf(frame.getByText('red', { exact: true })), await colourOf(frame.locator('pre')))
  await photograph('running')
  setReachable(false)
  await frame.getByText('This view is not up to date').waitFor()
  writeFileSync(go, '')
  setReachable(true)
  await frame.getByText('exit code 3').waitFor()
  await eventually(async () => assert.deepEqual(await outputLines(frame), ['line 1', 'red', '<b>line 2</b>']))
  const { _meta: meta } = started
  const read = await call('ReadBgOutput', { task_id: meta['io.github.scorpiox/result'].task_id })
  assert.match(textOf(read), /^line 1\nred\n<b>line 2<\/b>\n/)

  // The output uses the full screen, and its end stays in sight when lines are wrapped anew.
  const long = { command: `for i in $(seq 200); do echo "line $i ${'x'.repeat(60)}"; done` }
  const tall = await reopen()
  await tall.sendInput(long)
  await tall.sendResult(await call('BackgroundBash', long))
  await tall.frame.getByText('line 200').waitFor()
  const output = tall.frame.locator('pre.output')
  const heightOf = () => output.evaluate((box) => box.clientHeight)
  const hidden = () => output.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
  const inline = await heightOf()
  await tall.page.setViewportSize({ width: 352, height: 900 })
  await eventually(async () => assert.ok((await hidden()) <= 1))
  await tall.frame.getByRole('button', { name: 'Full screen' }).click()
  await tall.frame.getByRole('button', { name: 'Full screen', pressed: true }).waitFor()
  await eventually(async () => assert.ok((await heightOf()) > inline + 100))
  await tall.close()

  // A host that lets views read nothing: the text of the result.
  const other = await reopen({})
  await other.sendInput(input)
  await other.sendResult(read)
  await other.frame.getByText('line 1').waitFor()
  await other.frame.getByText('does not let the view load updates').waitFor()
  await other.close()
}

async function outputLines(frame) {
  return (await frame.locator('pre').innerText()).split('\n').filter((line) => line !== '')
}

/** A step and a task are completed by clicks, a task is reopened and one created; the model sees it. */
async function useTasks({ view, call, reopen, setReachable }) {
  const { frame } = view
  await call('TaskManager', { action: 'create', text: 'Write the docs', steps: ['Outline', 'Text'] })
  await call('TaskManager', { action: 'create', text: 'Old task' })
  await call('TaskManager', { action: 'complete' })
  await call('TaskManager', { action: 'create', text: 'Ship it', steps: ['Tag'] })
  const input = { action: 'list' }
  const listed = await call('TaskManager', input)
  await view.sendInput(input)
  await view.sendResult(listed)
  const column = (name) => frame.getByRole('region', { name })
  await column('Done').getByRole('heading', { name: 'Old task' }).waitFor()
  await column('In progress').getByRole('heading', { name: 'Ship it' }).waitFor()
  await column('To do').getByRole('checkbox', { name: 'Outline' }).click()
  await column('In progress').getByText('1 of 2 steps done').waitFor()
  await column('In progress').getByRole('button', { name: 'Mark as done Ship it' }).focus()
  await view.page.keyboard.press('Enter')
  await column('Done').getByRole('heading', { name: 'Ship it' }).waitFor()
  assert.match(textOf(await call('TaskManager', { action: 'pending' })), /1 step to do in 1 open task/)
  await column('Done').getByRole('button', { name: 'Reopen Old task' }).click()
  await frame.getByRole('button', { name: 'Mark as done Old task' }).waitFor()
  await frame.getByRole('textbox', { name: 'New task' }).fill('Celebrate')
  await view.page.keyboard.press('Enter')
  await frame.getByRole('button', { name: 'Mark as done Celebrate' }).waitFor()
  assert.match(textOf(await call('TaskManager', { action: 'pending' })), /in 3 open tasks/)
  await frame.getByRole('searchbox').fill('nothing like this')
  await eventually(async () => assert.equal(await frame.getByRole('listitem').count(), 0))
  await frame.getByRole('searchbox').fill('')
  await column('Done').getByRole('heading', { name: 'Ship it' }).waitFor()

  // A server that cannot be reached: the text of the result, and then the board again.
  const other = await reopen()
  setReachable(false)
  await other.sendInput(input)
  await other.sendResult(listed)
  await other.frame.locator('pre', { hasText: 'Write the docs' }).waitFor()
  await other.frame.getByText('This view is not up to date').waitFor()
  setReachable(true)
  await other.frame.getByRole('region', { name: 'To do' }).waitFor()
  await other.close()
}

/** Zoomed with button, key and wheel, and moved with the pointer. */
async function useImage({ view, call, project, photograph }) {
  const { frame, page } = view
  const file = join(project, 'chart.png')
  writeFileSync(file, await drawChart())
  const input = { file_path: file }
  const read = await call('ReadImage', input)
  await view.sendInput(input)
  await view.sendResult(read)
  const image = frame.getByRole('img', { name: 'chart.png' })
  await image.waitFor()
  const transform = () => image.evaluate((element) => getComputedStyle(element).transform)
  const scale = async () => Number(/matrix\(([\d.]+)/.exec(await transform())?.[1] ?? 1)
  assert.equal(await scale(), 1)
  await photograph('whole')
  await frame.getByRole('button', { name: 'Zoom in' }).click()
  await eventually(async () => assert.equal(await scale(), 1.25))
  await frame.locator('.canvas').focus()
  await page.keyboard.press('+')
  await eventually(async () => assert.ok((await scale()) > 1.5))
  const box = await frame.locator('.canvas').boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -100)
  await page.keyboard.up('Control')
  await eventually(async () => assert.ok((await scale()) > 1.9))
  const before = await transform()
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2 - 60, box.y + box.height / 2 - 20, { steps: 3 })
  await page.mouse.up()
  await eventually(async () => assert.notEqual(await transform(), before))
}

async function drawChart() {
  const browser = await openChromium()
  const page = await browser.newPage({ viewport: { width: 800, height: 450 } })
  const bars = [40, 75, 55, 90, 65, 30].map(
    (height, index) =>
      `<rect x="${60 + index * 120}" y="${400 - height * 4}" width="80" height="${height * 4}" fill="#0b6b5d"/>`,
  )
  await page.setContent(`<body style="margin:0"><svg width="800" height="450">${bars.join('')}</svg>`)
  const png = await page.screenshot()
  await browser.close()
  return png
}
