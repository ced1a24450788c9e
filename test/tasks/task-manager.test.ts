// TaskManager as a client uses it: the effects, answers and errors of each action, and the state after a restart.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import {
  call,
  emptyFolder,
  type Json,
  newEnvironment,
  type ServerEnvironment,
  startServerIn,
  task,
  type TestClient,
} from '../support/client.js'

let environment: ServerEnvironment
let client: TestClient

beforeEach(async () => {
  environment = newEnvironment()
  client = startServerIn(environment)
  await client.initialize('2025-11-25')
  return async () => {
    expect(await client.close()).toBe(0)
    expect(client.stderr()).toBe('')
  }
})

test('from the first task to its last step', async () => {
  const created = await task(client, 'create', { text: 'Ship 1.1' })
  expect(created).toMatchObject({ isError: false, structured: { current_task: 1, open_tasks: 1, next_step: null } })
  expect(created.text).toBe(
    'Created task 1 "Ship 1.1": it is the current task. Add its steps with add. 1 task is open.\n',
  )

  const first = await task(client, 'add', { text: 'Write the notes' })
  expect(first.text).toBe('Added step 1 "Write the notes" to task 1 "Ship 1.1", 0 of 1 step done.\n')
  const second = await task(client, 'add', { text: 'Tag it' })
  expect(second.text).toBe(
    'Added step 2 "Tag it" to task 1 "Ship 1.1", 0 of 2 steps done. Next: step 1 "Write the notes".\n',
  )

  const done = await task(client, 'complete', { step_id: 1 })
  expect(done.text).toBe(
    'Completed step 1 "Write the notes" of task 1 "Ship 1.1". Next: step 2 "Tag it". 1 of 2 steps remains.\n',
  )
  expect(done.structured).toMatchObject({ next_step: 2, open_steps: 1, steps: [{ step_id: 1, done: true }] })

  const last = await task(client, 'complete', { step_id: 2 })
  expect(last.text).toBe(
    'Completed step 2 "Tag it": every step of task 1 "Ship 1.1" is done. Complete the task too: complete (task_id: 1).\n',
  )
  const whole = await task(client, 'complete')
  expect(whole.text).toBe('Completed task 1 "Ship 1.1". No task is open.\n')
  expect((await task(client, 'pending')).text).toBe('Nothing is pending: no task is open.\n')
  expect((await task(client, 'list')).text).toBe('1 task, 0 open.\n* 1  Ship 1.1  (current, complete)\n')
})

test('query is used as text, and text takes precedence', async () => {
  expect((await task(client, 'create', { query: 'By query' })).text).toMatch(/^Created task 1 "By query"/)
  expect((await task(client, 'create', { query: 'By query', text: 'By text' })).text).toMatch(/"By text"/)
  expect((await task(client, 'add', { query: 'A step' })).text).toMatch(/^Added step 1 "A step" to task 2/)
})

test('a completed task with open steps reports them, and names the next task', async () => {
  await task(client, 'create', { text: 'One' })
  await task(client, 'create', { text: 'Two' })
  await task(client, 'add', { text: 'never done' })
  expect((await task(client, 'complete')).text).toBe(
    'Completed task 2 "Two". 1 of its steps was not done. 1 task is open. Continue with task 1 "One": switch (task_id: 1).\n',
  )
  const { text } = await task(client, 'switch', { task_id: 1 })
  expect(text).toBe('The current task is now task 1 "One", no steps yet.\n')
})

test('lists: newest first, the current one marked, one task with its steps', async () => {
  await task(client, 'create', { text: 'One' })
  await task(client, 'add', { text: 'a' })
  await task(client, 'create', { text: 'Two' })
  await task(client, 'add', { text: 'b' })
  await task(client, 'complete', { step_id: 2 })
  await task(client, 'switch', { task_id: 1 })
  expect((await task(client, 'list')).text).toBe(
    '2 tasks, 2 open.\n  2  Two  (1 of 1 step done)\n* 1  One  (current, 0 of 1 step done)\n',
  )
  expect((await task(client, 'pending')).text).toBe(
    '1 step to do in 2 open tasks.\n* 1  One  (current, 0 of 1 step done)\n      [ ] 1  a\n  2  Two  (1 of 1 step done)\n',
  )
  expect((await task(client, 'list', { task_id: 2 })).text).toBe('  2  Two  (1 of 1 step done)\n      [x] 2  b\n')
})

test('works without query, which the schema lists as required', async () => {
  const { result } = await client.request('tools/list')
  const { inputSchema } = result.tools.find(({ name }: Json) => name === 'TaskManager')
  expect(inputSchema.required).toEqual(['action', 'query'])
  expect((await call(client, 'TaskManager', { action: 'create', text: 'One' })).text).toMatch(/^Created task 1 "One"/)
  expect((await call(client, 'TaskManager', { action: 'add', text: 'a' })).text).toMatch(/^Added step 1 "a"/)
  expect((await call(client, 'TaskManager', { action: 'pending' })).text).toContain('[ ] 1  a')
  expect((await call(client, 'TaskManager', { action: 'list' })).text).toMatch(/^1 task, 1 open\./)
  expect((await call(client, 'TaskManager', { action: 'complete', step_id: 1 })).text).toMatch(/^Completed step 1/)
  const unclear = await call(client, 'TaskManager', { action: 'switch' })
  expect([unclear.isError, unclear.text]).toEqual([true, expect.stringMatching(/^Which task\?/)])
})

describe('steps in one call', () => {
  const many = Array.from({ length: 100 }, (_, index) => `step ${index + 1} ${'x'.repeat(200)}`)

  test('with create', async () => {
    const { text, structured } = await task(client, 'create', {
      text: 'Ship 1.1',
      steps: ['Write the notes', 'Tag it'],
    })
    expect(text).toBe(
      'Created task 1 "Ship 1.1" with 2 steps: it is the current task. 1 task is open.\n' +
        '      [ ] 1  Write the notes\n      [ ] 2  Tag it\n',
    )
    expect(structured).toMatchObject({ current_task: 1, next_step: 1, open_steps: 2, steps: [{ step_id: 1 }, {}] })
  })

  test('with add, alone or behind text', async () => {
    await task(client, 'create', { text: 'One' })
    expect((await task(client, 'add', { steps: ['a', 'b'] })).text).toBe(
      'Added 2 steps to task 1 "One", 0 of 2 steps done.\n      [ ] 1  a\n      [ ] 2  b\n',
    )
    expect((await task(client, 'add', { text: 'c', steps: ['d'] })).text).toBe(
      'Added 2 steps to task 1 "One", 0 of 4 steps done. Next: step 1 "a".\n      [ ] 3  c\n      [ ] 4  d\n',
    )
  })

  test('a hundred are the maximum; the answer stays short and says how to see the rest', async () => {
    const { text, structured } = await task(client, 'create', { text: 'Many', steps: many })
    expect(text).toMatch(/\n(\d+) more: list \(task_id: 1\)\.\n$/)
    expect(Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(structured))).toBeLessThan(8192)
    expect(structured.open_steps).toBe(100)
    const { isError, text: refusal } = await task(client, 'create', { text: 'More', steps: [...many, 'one more'] })
    expect([isError, refusal]).toEqual([
      true,
      'There are 101 steps; one call takes at most 100. Nothing was changed.\n',
    ])
    expect((await task(client, 'list')).text).toMatch(/^1 task, 1 open\./)
  })

  test('are refused completely if one is empty or too long, and with other actions', async () => {
    for (const steps of [
      ['a', ' '],
      ['a', 'x'.repeat(2001)],
    ]) {
      const { isError, text } = await task(client, 'create', { text: 'One', steps })
      expect([isError, text]).toEqual([true, expect.stringMatching(/^The text of step 2 in the list /)])
    }
    const { isError, text } = await task(client, 'list', { steps: ['a'] })
    expect([isError, text]).toEqual([true, 'steps goes with create and add, not with list. Nothing was changed.\n'])
    expect((await task(client, 'list')).text).toMatch(/^There are no tasks yet/)
  })
})

test('pending omits finished steps, of one task too', async () => {
  await task(client, 'create', { text: 'One', steps: ['a', 'b', 'c'] })
  await task(client, 'complete', { step_id: 2 })
  for (const more of [{}, { task_id: 1 }]) {
    const { text, structured } = await task(client, 'pending', more)
    expect(text).toMatch(/\n {6}\[ \] 1 {2}a\n {6}\[ \] 3 {2}c\n$/)
    expect(structured.steps.map(({ step_id }: Json) => step_id)).toEqual([1, 3])
  }
  expect((await task(client, 'list', { task_id: 1 })).text).toContain('[x] 2  b')
  for (const step_id of [1, 3]) await task(client, 'complete', { step_id })
  expect((await task(client, 'pending', { task_id: 1 })).text).toBe(
    'No open steps.\n* 1  One  (current, 3 of 3 steps done)\n',
  )
})

describe('search', () => {
  test('finds words of names and of steps, in any order, case and accent, in any script', async () => {
    await task(client, 'create', { text: 'Café renovation' })
    await task(client, 'add', { text: 'Call the plumber' })
    await task(client, 'create', { text: '배포 준비 작업' })
    await task(client, 'create', { text: 'إصدار النسخة الجديدة' })
    await task(client, 'create', { text: '100% of _all_ "things" \\ here' })
    const ids = async (query: string) =>
      (await task(client, 'list', { query })).structured.tasks.map((found: { task_id: number }) => found.task_id)
    expect(await ids('')).toEqual([4, 3, 2, 1])
    expect(await ids('cafe')).toEqual([1])
    expect(await ids('CAFÉ')).toEqual([1])
    expect(await ids('plumber CAFE')).toEqual([1])
    expect(await ids('"the plumber"')).toEqual([1])
    expect(await ids('"plumber the"')).toEqual([])
    expect(await ids('준비')).toEqual([2])
    expect(await ids('النسخة')).toEqual([3])
    expect(await ids('%')).toEqual([4])
    expect(await ids('_')).toEqual([4])
    expect(await ids('\\')).toEqual([4])
    expect(await ids('is:open before:3')).toEqual([2, 1])
    await task(client, 'complete', { task_id: 2 })
    expect(await ids('is:done')).toEqual([2])
    expect(await ids('nothing of the kind')).toEqual([])
    const { text } = await task(client, 'list', { query: 'nothing of the kind' })
    expect(text).toMatch(
      /^0 tasks found for "nothing of the kind"\. Every word must occur .* an empty query for all tasks\.\n$/,
    )
  })

  test('switch selects the best match', async () => {
    await task(client, 'create', { text: 'Deploy' })
    await task(client, 'create', { text: 'Deploy the docs' })
    await task(client, 'create', { text: 'Other' })
    expect((await task(client, 'switch', { query: 'docs' })).structured.current_task).toBe(2)
    expect((await task(client, 'switch', { query: 'deploy' })).structured.current_task).toBe(1)
    const several = await task(client, 'switch', { query: 'o' })
    expect(several).toMatchObject({ isError: true })
    expect(several.text).toBe(
      'Several tasks have "o" in them: give task_id. 3 "Other", 2 "Deploy the docs", 1 "Deploy".\n',
    )
    const none = await task(client, 'switch', { query: 'zebra' })
    expect(none.text).toBe('No task has "zebra" in it. Open tasks: 3 "Other", 2 "Deploy the docs", 1 "Deploy".\n')
    await task(client, 'complete', { task_id: 2 })
    expect((await task(client, 'switch', { query: 'deploy' })).structured.current_task).toBe(1)
  })
})

describe('wrong use is refused with the valid values', () => {
  const cases: readonly [string, object, RegExp][] = [
    ['destroy', {}, /^There is no action "destroy"\. Valid: create, add, complete, list, pending, switch\.\n$/],
    ['', {}, /^There is no action ""/],
    ['CREATE', { text: 'x' }, /^There is no action "CREATE"/],
    ['create', {}, /^The name of the task is missing: give it as text\.\n$/],
    ['create', { text: ' \n\t ' }, /^The name of the task is missing/],
    ['create', { text: 'x'.repeat(501) }, /^The name of the task has 501 characters; at most 500 are allowed/],
    ['add', { text: 'x'.repeat(2001) }, /^The text of the step has 2001 characters/],
    ['add', {}, /^The text of the step is missing/],
    ['add', { text: 'x', task_id: 99 }, /^There is no task 99\. Open tasks: 2 "Open"\.\n$/],
    ['add', { text: 'x', task_id: -1 }, /^There is no task -1\./],
    ['add', { text: 'x', task_id: 1 }, /^Task 1 "Done" is complete and takes no more steps/],
    ['complete', { task_id: 1 }, /^Task 1 "Done" is already complete, since 20\d\d-.*Z\. Open tasks: 2 "Open"\.\n$/],
    ['complete', { step_id: 99 }, /^There is no step 99\. Open steps of task 2: 3 "still open"\.\n$/],
    ['complete', { step_id: 2 }, /^Step 2 "done" is already complete, since .*\. Open steps of task 2: 3/],
    [
      'complete',
      { step_id: 1 },
      /^Step 1 belongs to task 1 "Done", not to task 2 "Open": complete it with task_id 1\./,
    ],
    ['complete', { step_id: 3, task_id: 1 }, /^Step 3 belongs to task 2 "Open", not to task 1 "Done"/],
    ['complete', { task_id: 9_007_199_254_740_991 }, /^There is no task 9007199254740991\./],
    ['switch', {}, /^Which task\? Give task_id, or words of its name as query\. Open tasks: 2 "Open"\.\n$/],
    ['switch', { task_id: 7 }, /^There is no task 7\./],
    ['list', { task_id: 7 }, /^There is no task 7\./],
    ['list', { query: 'x'.repeat(1001) }, /^The query has 1001 characters; at most 1000 are allowed/],
    ['list', { query: 'x '.repeat(40) }, /^The query has 40 words; at most 32 are allowed/],
  ]

  test.each(cases)('%s %j', async (action, args, says) => {
    await task(client, 'create', { text: 'Done' })
    await task(client, 'add', { text: 'left over' })
    await task(client, 'complete')
    await task(client, 'create', { text: 'Open' })
    await task(client, 'add', { text: 'done' })
    await task(client, 'add', { text: 'still open' })
    await task(client, 'complete', { step_id: 2 })
    const before = await task(client, 'list', { task_id: 2 })
    const refused = await task(client, action, args)
    expect(refused.isError).toBe(true)
    expect(refused.text).toMatch(says)
    expect(await task(client, 'list', { task_id: 2 })).toEqual(before)
  })

  test('without tasks', async () => {
    for (const action of ['add', 'complete']) {
      const { isError, text } = await task(client, action, { text: 'x' })
      expect({ isError, text }).toEqual({
        isError: true,
        text: 'There is no current task: create one, or give task_id. No task is open.\n',
      })
    }
    expect((await task(client, 'list')).text).toBe('There are no tasks yet. Add one with create.\n')
  })
})

test('an answer stays small whatever the tasks are called', async () => {
  const name = '漢'.repeat(500)
  for (let made = 0; made < 60; made++) await task(client, 'create', { text: name })
  for (let made = 0; made < 60; made++) await task(client, 'add', { text: `${made} ${'"\\\n'.repeat(600)}` })
  for (const [action, args] of [
    ['list', {}],
    ['list', { task_id: 60 }],
    ['pending', {}],
    ['list', { query: '漢' }],
    ['list', { query: `漢${'\v'.repeat(900)}漢` }],
    ['list', { query: `"${'漢'.repeat(490)}" "${'漢'.repeat(491)}"` }],
    ['pending', { query: `"漢${'"\n"'.repeat(300)}` }],
  ] as const) {
    const answer = await client.request('tools/call', {
      name: 'TaskManager',
      arguments: { action, query: '', ...args },
    })
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(8192)
    expect(answer.result.content[0].text).toMatch(/more: (query|add before)|More steps of task 60: (list|pending)/)
  }
})

test('a long list can be read to its end by following its hints', async () => {
  for (let made = 0; made < 150; made++) await task(client, 'create', { text: `Task number ${made}` })
  const all = Array.from({ length: 150 }, (_, index) => 150 - index)
  expect(await readToEnd('list', 'number')).toEqual(all)
  expect(await readToEnd('list', 'task "number" is:open before:140')).toEqual(all.slice(11))
  const others = all.filter((id) => id !== 7)
  await task(client, 'switch', { task_id: 7 })
  expect(await readToEnd('pending', '')).toEqual([7, ...others])
  for (let made = 0; made < 60; made++) await task(client, 'add', { text: `${made} ${'漢'.repeat(200)}` })
  expect(await readToEnd('pending', 'number')).toEqual([7, ...others])
  await task(client, 'switch', { task_id: 150 })
  expect(await readToEnd('pending', '')).toEqual(all)
})

async function readToEnd(action: 'list' | 'pending', first: string): Promise<readonly number[]> {
  const seen: number[] = []
  let query = first
  for (let page = 0; page < 30; page++) {
    const { structured, text } = await task(client, action, { query })
    seen.push(...structured.tasks.map(({ task_id: id }: { task_id: number }) => id))
    const onward = /more: query ("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
    if (onward === undefined) break
    query = JSON.parse(onward)
  }
  return seen
}

test('a query too long to be repeated can be continued as the answer says', async () => {
  const name = `"${'漢'.repeat(490)}"`
  for (let made = 0; made < 60; made++) await task(client, 'create', { text: name })
  const first = await task(client, 'list', { query: `${name} ${name}` })
  const marks = /more: add (before:\d+) to the query/.exec(first.text)?.[1]
  const second = await task(client, 'list', { query: `${name} ${name} ${marks}` })
  expect(second.structured.tasks[0].task_id).toBe(first.structured.tasks.at(-1).task_id - 1)
})

test('completed tasks are not pending; after another task is completed the current one is named', async () => {
  for (const text of ['One', 'Two', 'Three']) await task(client, 'create', { text })
  await task(client, 'switch', { task_id: 2 })
  expect((await task(client, 'complete', { task_id: 1 })).text).toMatch(
    /Continue with task 2 "Two", the current one\.\n$/,
  )
  expect((await task(client, 'complete')).text).toMatch(/Continue with task 3 "Three": switch \(task_id: 3\)\.\n$/)
  expect(await task(client, 'pending', { query: 'is:done' })).toMatchObject({
    isError: true,
    text: 'pending lists open tasks only: use list with is:done.\n',
  })
})

test('the steps of a long task can be read to their end by following the hints', async () => {
  await task(client, 'create', { text: 'Long' })
  for (let made = 0; made < 120; made++) await task(client, 'add', { text: `Step number ${made}` })
  const seen: number[] = []
  let from: number | undefined = 1
  while (from !== undefined && seen.length < 200) {
    const { structured, text } = await task(client, 'list', { task_id: 1, step_id: from })
    seen.push(...structured.steps.map(({ step_id: id }: { step_id: number }) => id))
    const next: string | undefined = /step_id: (\d+)\)/.exec(text)?.[1]
    from = next === undefined ? undefined : Number(next)
  }
  expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
})

test('everything exists after a restart, and numbers continue', async () => {
  await task(client, 'create', { text: 'Lasting' })
  await task(client, 'add', { text: 'one' })
  const before = await task(client, 'pending')
  await client.close()
  client = startServerIn(environment)
  expect(await task(client, 'pending')).toEqual(before)
  expect((await task(client, 'add', { text: 'two' })).structured.steps[0].step_id).toBe(2)
  expect((await task(client, 'create', { text: 'Next' })).structured.current_task).toBe(2)
})

test('a project is its git root; another folder is another project', async () => {
  const root = emptyFolder()
  mkdirSync(join(root, '.git'))
  mkdirSync(join(root, 'deep', 'down'), { recursive: true })
  const inRoot = startServerIn({ ...environment, cwd: root })
  const inDeep = startServerIn({ ...environment, cwd: join(root, 'deep', 'down') })
  await task(inRoot, 'create', { text: 'Of the repository' })
  expect((await task(inDeep, 'list')).text).toContain('Of the repository')
  expect((await task(client, 'list')).text).toBe('There are no tasks yet. Add one with create.\n')
  expect((await task(client, 'create', { text: 'Mine' })).structured.current_task).toBe(1)
  await Promise.all([inRoot.close(), inDeep.close()])
})

describe('the resource', () => {
  test('lists pending tasks', async () => {
    await task(client, 'create', { text: 'Seen' })
    const { contents } = (await client.request('resources/read', { uri: 'scorpiox://tasks' })).result
    expect(contents).toEqual([
      {
        uri: 'scorpiox://tasks',
        mimeType: 'text/plain',
        text: '0 steps to do in 1 open task.\n* 1  Seen  (current, no steps yet)',
      },
    ])
  })

  const uri = 'scorpiox://tasks'
  const isNews = ({ method, params }: { method?: string; params?: { uri?: string } }): boolean =>
    method === 'notifications/resources/updated' && params?.uri === uri

  test('notifies a client that only subscribed', async () => {
    await client.request('resources/subscribe', { uri })
    const other = startServerIn(environment)
    let made = 0
    const isNotified = async (): Promise<boolean> => {
      // The subscription is answered before the first check: one change may be part of it.
      await task(other, 'create', { text: `Of another ${++made}` })
      return client.received.some(isNews)
    }
    await expect.poll(isNotified, { timeout: 15_000, interval: 300 }).toBe(true)
    await other.close()
  })

  test('notifies subscribers, also of changes by another server', async () => {
    await client.request('resources/subscribe', { uri })
    await task(client, 'create', { text: 'Mine' })
    await client.waitFor(isNews)
    client.clearReceived()
    const other = startServerIn(environment)
    await task(other, 'create', { text: 'Of another' })
    await client.waitFor(isNews)
    await other.close()
    await client.request('resources/unsubscribe', { uri })
    client.clearReceived()
    await task(client, 'create', { text: 'Unheard' })
    await client.request('ping')
    expect(client.received.filter(isNews)).toEqual([])
  })
})

describe('without the tool', () => {
  let without: TestClient
  beforeAll(() => void (without = startServerIn(newEnvironment({ TOOL_TASKMANAGER: '0' }))))
  afterAll(async () => void (await without.close()))

  test('there is no resource', async () => {
    const { result } = await without.request('resources/list')
    expect(result.resources.map(({ uri }: { uri: string }) => uri)).not.toContain('scorpiox://tasks')
  })
})
