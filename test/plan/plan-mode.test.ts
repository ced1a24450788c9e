// PlanMode as a client uses it: its text, its stored plan, and the restrictions of commands, in one server and in
// several.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, test } from 'vitest'

import { openStateDatabase, type StateTables } from '@scorpiox/server/state'
import { openFlagFiles } from '@scorpiox/server/storage/flag-files'
import {
  call,
  emptyFolder,
  killServer,
  modernMeta,
  readJob,
  startJob,
  startServer,
  type TestClient,
  type ToolResult,
  toolResultOf,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { modernCall, sendRequest, startProgram, tokenFor } from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { bash, enter, plan } from './support.js'

interface PlanProject {
  readonly home: string
  readonly project: string
  readonly state: string
}

const folders: string[] = []

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Not in /tmp: commands have a private one. */
function newFolder(): string {
  const folder = mkdtempSync('/var/tmp/scorpiox-plan-')
  folders.push(folder)
  return folder
}

function newPlanProject(): PlanProject {
  const home = newFolder()
  mkdirSync(join(home, 'project'))
  return { home, project: join(home, 'project'), state: join(home, 'state') }
}

/** Without approval, which approval.test.ts tests: a new server waits some seconds for consoles before it does without. */
function serve({ home, project, state }: PlanProject, env: NodeJS.ProcessEnv = {}, cwd = project): TestClient {
  return startServer({ cwd, env: { HOME: home, STATE_DIR: state, PLAN_APPROVAL: 'model', ...env } })
}

const NAME = String.raw`\d{4}_\d\d_\d\d_[a-z]+_[a-z]+`
const CHECKLIST = '# Do it\n\n- [ ] one\n  - [x] two\n1. [ ] three\n\n```\n- [ ] code\n```\n'
const writes = async (client: TestClient): Promise<boolean> => !(await bash(client, 'echo x >written')).isError
const me = (): string => userInfo().username

async function rowsOf<T>({ project, state }: PlanProject, work: (rows: StateTables) => Promise<T>): Promise<T> {
  const opened = await openStateDatabase({ file: join(state, 'state.db'), databaseUrl: '' })
  try {
    return await opened.read({ project, user: me() }, work)
  } finally {
    await opened.close()
  }
}

const versionsOf = (planProject: PlanProject): Promise<readonly string[]> =>
  rowsOf(planProject, async ({ plans }) => {
    const { id = 0 } = (await plans.findLatest()) ?? {}
    return (await plans.listVersions(id)).map(({ text }) => text)
  })

describe('results', () => {
  test('from enter to exit, as published', async () => {
    const planProject = newPlanProject()
    const client = serve(planProject)
    expect((await plan(client, 'status')).text).toBe('Plan mode: INACTIVE\n')
    expect((await plan(client, 'json')).text).toBe('{"active":false,"goal":null,"plan_file":null,"started_at":null}\n')
    const entered = await plan(client, 'enter', { goal: 'Find the "bug"' })
    const [first, second, third] = entered.text.split('\n')
    expect(first).toMatch(
      new RegExp(String.raw`^Plan mode activated\. Write your plan as markdown\. \(session: ${NAME}\)$`),
    )
    const id = entered.structured.session
    expect(second).toBe(`Plan will be saved to .scorpiox/sessions/${id}/`)
    expect(third).toMatch(/^Commands can now only read, except in that folder\. PlanMode\(action: "exit"/)
    const [active, goal, duration, ...rest] = (await plan(client, 'status')).text.split('\n')
    expect([active, goal]).toEqual(['Plan mode: ACTIVE', 'Goal: "Find the "bug""'])
    expect(duration).toMatch(/^Duration: \d+s$/)
    expect(rest).toEqual([`Commands can only read, except in .scorpiox/sessions/${id}/`, ''])
    const { text, structured } = await plan(client, 'json')
    const started = String.raw`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`
    expect(text).toMatch(
      new RegExp(
        String.raw`^\{"active":true,"goal":"Find the \\"bug\\"","plan_file":null,"started_at":${started}\}\n$`,
      ),
    )
    expect(JSON.parse(text)).toEqual(structured)
    const exited = await plan(client, 'exit', { plan: 'Just do it.' })
    const path = `.scorpiox/sessions/${id}/plan.md`
    expect(exited.text).toBe(`Plan saved to ${path}\nExiting plan mode. Returning to execution.\n`)
    expect(exited.structured).toEqual({ active: false, goal: null, plan_file: path, started_at: null })
    expect(readFileSync(join(planProject.project, path), 'utf8')).toBe('Just do it.')
    expect((await plan(client, 'status')).text).toBe(`Plan mode: INACTIVE\nLast plan: ${path}\n`)
    expect(JSON.parse((await plan(client, 'json')).text).plan_file).toBe(path)
    await plan(client, 'enter')
    expect((await plan(client, 'status')).text).toContain('Goal: ""')
    expect((await plan(client, 'reset')).text).toBe('Plan mode reset. No plan saved.\n')
    const odd = 'two\nlines, a "quote", \u001b[31mred \\ and more'
    await plan(client, 'enter', { goal: odd })
    expect((await plan(client, 'status')).text).toContain('\nGoal: "two lines, a "quote", [31mred \\ and more"\n')
    expect(JSON.parse((await plan(client, 'json')).text).goal).toBe(odd)
    expect((await plan(client, 'reset')).text).toBe('Plan mode reset. No plan saved.\n')
    expect(readFileSync(join(planProject.project, '.scorpiox/sessions/.gitignore'), 'utf8')).toBe('*\n')
    await client.close()
  })

  test('wrong use is reported with what to do', async () => {
    const client = serve(newPlanProject())
    for (const action of ['exit', 'reset']) {
      const { text, isError } = await plan(client, action, action === 'exit' ? { plan: 'x' } : {})
      expect(text).toMatch(/^Plan mode is off\. .*PlanMode\(action: "enter"/)
      expect(isError).toBe(true)
    }
    const draft = await plan(client, 'status', { plan: 'x' })
    expect(draft.text).toMatch(/^Plan mode is off\. Nothing was done\. PlanMode\(action: "enter"/)
    expect(draft.isError).toBe(true)
    const unknown = await plan(client, 'dance')
    expect(unknown.text).toMatch(/^There is no action "dance"\. Valid: enter .*exit .*status .*json, reset\.\n$/)
    expect(unknown.isError).toBe(true)
    expect((await plan(client, 'x'.repeat(100_000))).text.length).toBeLessThan(300)
    const { session } = (await plan(client, ' Enter ', { goal: 'one' })).structured
    const twice = await plan(client, 'enter', { goal: 'two' })
    expect(twice.text).toMatch(
      new RegExp(String.raw`^Plan mode has been on since \S+Z \(goal: "one", session: ${session}\)\.`),
    )
    expect(twice.text).toMatch(/"exit".*"reset"/)
    expect(twice.isError).toBe(true)
    expect((await plan(client, 'status', { plan: 'a\0b' })).text).toContain('NUL')
    for (const action of ['json', 'reset']) expect((await plan(client, action, { plan: 'x' })).isError).toBe(true)
    expect((await plan(client, 'status')).text).toContain('ACTIVE')
    await client.close()
  })

  test('running jobs are listed', async () => {
    const client = serve(newPlanProject())
    const [one, two] = [await startJob(client, 'sleep 100'), await startJob(client, 'sleep 100')]
    await startJob(client, 'true')
    await expect.poll(async () => (await call(client, 'ListBgTasks')).structured.tasks[2].status).toBe('ended')
    const named = (await plan(client, 'enter')).text.split('\n').at(-2)
    expect(named).toBe(
      `Jobs ${one} and ${two} were started before plan mode and can still write. KillBgTask kills them.`,
    )
    await call(client, 'KillBgTask', { task_id: one })
    await plan(client, 'reset')
    expect((await plan(client, 'enter')).text).toContain(`Job ${two} was started before plan mode`)
    await call(client, 'KillBgTask', { task_id: two })
    await plan(client, 'reset')
    expect((await plan(client, 'enter')).text).not.toMatch(/\bJob|KillBgTask/)
    await client.close()
  })
})

describe('the plan', () => {
  test('every version is kept, and an earlier plan of the session is not mistaken for the new one', async () => {
    const planProject = newPlanProject()
    const client = serve(planProject)
    const folder = await enter(client, planProject.project, { plan: 'first' })
    expect((await plan(client, 'status', { plan: 'second' })).text).toContain('The plan was saved as a draft to .scorp')
    await plan(client, 'exit', { plan: 'third' })
    expect(await versionsOf(planProject)).toEqual(['first', 'second', 'third'])
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
    expect(['plan.1.md', 'plan.2.md', 'plan.3.md', 'plan.md'].map(read)).toEqual(['first', 'second', 'third', 'third'])
    expect(await enter(client, planProject.project)).toBe(folder)
    const nothing = await plan(client, 'exit')
    expect(nothing.isError).toBe(true)
    expect(existsSync(join(folder, 'plan.md'))).toBe(false)
    writeFileSync(join(folder, 'plan.md'), 'fourth')
    await plan(client, 'exit')
    expect(await versionsOf(planProject)).toEqual(['fourth'])
    expect(read('plan.md')).toBe('fourth')
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
    await client.close()
  })

  test.each([
    ['missing', () => undefined, 'There is no regular file at'],
    ['empty', (path: string) => writeFileSync(path, ''), 'is empty'],
    ['blank', (path: string) => writeFileSync(path, ' \n\t\n'), 'is empty'],
    ['a folder', (path: string) => mkdirSync(path), 'There is no regular file at'],
    ['too large', (path: string) => writeFileSync(path, 'x'.repeat(2 ** 20 + 1)), 'larger than 1 MB'],
    ['not text', (path: string) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x41])), 'is not UTF-8 text'],
    ['binary', (path: string) => writeFileSync(path, 'NAME=value\0NEXT=value\0'), 'is not UTF-8 text'],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'There is no regular file at'],
    ['a link', (path: string) => symlinkSync('/etc/hostname', path), 'There is no regular file at'],
  ])('a file that is %s is not accepted, and plan mode stays on', async (_, put, reason) => {
    const planProject = newPlanProject()
    const client = serve(planProject)
    const folder = await enter(client, planProject.project)
    put(join(folder, 'plan.md'))
    const { text, isError } = await plan(client, 'exit')
    expect(text).toMatch(/^No plan was accepted, and plan mode stays on\. /)
    expect(text).toContain(reason)
    expect(text).toMatch(/`plan`.*`plan_file`/)
    expect(isError).toBe(true)
    expect((await plan(client, 'status')).text).toContain('ACTIVE')
    expect((await plan(client, 'exit', { plan: '  \n' })).isError).toBe(true)
    expect((await plan(client, 'exit', { plan: 'x'.repeat(2 ** 20 + 1) })).text).toContain('larger than 1 MB')
    expect((await plan(client, 'exit', { plan_file: 'nowhere.md' })).text).toContain('nowhere.md')
    expect((await plan(client, 'exit', { plan: 'a good one' })).isError).toBe(_ === 'a folder')
    await client.close()
  })

  test('may be a file named by the caller', async () => {
    const planProject = newPlanProject()
    writeFileSync(join(planProject.project, 'PLAN.md'), 'mine')
    writeFileSync(join(planProject.home, 'outside.md'), 'elsewhere')
    const client = serve(planProject)
    await enter(client, planProject.project)
    expect((await plan(client, 'exit', { plan_file: 'PLAN.md' })).text).toMatch(/^Plan saved to PLAN\.md\n/)
    expect(await versionsOf(planProject)).toEqual(['mine'])
    await enter(client, planProject.project)
    const outside = realpathSync(join(planProject.home, 'outside.md'))
    expect((await plan(client, 'exit', { plan_file: '../outside.md' })).text).toContain(`Plan saved to ${outside}\n`)
    await client.close()
  })

  test('cannot be a file that the sandboxed commands of the caller could not read', requires(SANDBOX), async () => {
    const planProject = newPlanProject()
    const outside = join(planProject.home, 'outside.md')
    writeFileSync(outside, 'the secret')
    symlinkSync(outside, join(planProject.project, 'link.md'))
    mkdirSync(join(planProject.project, 'hidden'))
    writeFileSync(join(planProject.project, 'hidden', 'key'), 'the secret')
    writeFileSync(join(planProject.project, 'PLAN.md'), 'mine')
    const client = serve(planProject, { SANDBOX: 'workspace', SANDBOX_HIDE: 'hidden' })
    await enter(client, planProject.project)
    for (const path of [outside, 'link.md', '../outside.md', 'hidden/key', './hidden/../hidden/key', '/etc/hostname']) {
      const { isError, text } = await plan(client, 'exit', { plan_file: path })
      expect([path, isError]).toEqual([path, true])
      expect(text).toMatch(/is outside|hidden from/)
    }
    expect((await plan(client, 'exit', { plan_file: 'PLAN.md' })).isError).toBe(false)
    await client.close()
  })

  test('its checklist becomes the current task', async () => {
    const planProject = newPlanProject()
    const client = serve(planProject)
    await enter(client, planProject.project, { goal: 'Repair\nit' })
    const { text, structured } = await plan(client, 'exit', { plan: CHECKLIST })
    expect(text).toContain('\nTask 1 "Repair it" was created from its 3 checklist items and is the current task.')
    expect(structured.task_id).toBe(1)
    const found = await rowsOf(planProject, async ({ tasks }) => ({
      current: await tasks.findCurrentId(),
      task: await tasks.find(1),
      steps: await tasks.listSteps(1),
    }))
    expect(found).toMatchObject({ current: 1, task: { name: 'Repair it', completedAt: null, steps: 3, stepsDone: 1 } })
    expect(found.steps.map(({ text: step, completedAt }) => [step, completedAt !== null])).toEqual([
      ['one', false],
      ['two', true],
      ['three', false],
    ])
    await plan(client, 'enter')
    const done = await plan(client, 'exit', { plan: '# All of it\n- [x] one' })
    expect(done.text).toContain('Task 2 "All of it" was created from its checklist item and is complete')
    expect(await rowsOf(planProject, async ({ tasks }) => (await tasks.find(2))?.completedAt)).not.toBe(null)
    expect(done.text).not.toContain('current task')
    await plan(client, 'enter')
    expect((await plan(client, 'exit', { plan: CHECKLIST, create_task: false })).text).not.toContain('Task')
    await plan(client, 'enter')
    const many = await plan(client, 'exit', { plan: `${'- [ ] x\n'.repeat(501)}- [ ] ${'y'.repeat(2000)}` })
    expect(many.text).toContain('its 500 checklist items')
    expect(many.text).toContain('2 more items were left out')
    await client.close()
  })

  test('an open current task stays current, and the answer says how to switch', async () => {
    const planProject = newPlanProject()
    const client = serve(planProject)
    await client.initialize('2025-11-25')
    const task = (args: object) => call(client, 'TaskManager', args)
    await task({ action: 'create', text: 'Earlier work', steps: ['a'] })
    await plan(client, 'enter', { goal: 'Repair it' })
    const { text } = await plan(client, 'exit', { plan: CHECKLIST })
    expect(text).toContain(
      '\nTask 2 "Repair it" was created from its 3 checklist items.\n' +
        'The current task is still 1 "Earlier work". To switch: TaskManager(action: "switch", task_id: 2).\n',
    )
    expect((await task({ action: 'pending' })).text).toContain('* 1  Earlier work')
    await task({ action: 'complete' })
    await plan(client, 'enter', { goal: 'Next' })
    expect((await plan(client, 'exit', { plan: '- [ ] one' })).text).toContain(
      '\nTask 3 "Next" was created from its checklist item and is the current task.',
    )
    expect((await task({ action: 'pending' })).text).toContain('* 3  Next')
    await client.close()
  })

  test('is a resource, and subscribers are notified when it changes, also by another server', async () => {
    const planProject = newPlanProject()
    const [client, other] = [serve(planProject), serve(planProject)]
    await client.initialize('2025-06-18')
    const read = async (): Promise<string> =>
      (await client.request('resources/read', { uri: 'scorpiox://plan' })).result.contents[0].text
    expect(await read()).toBe('Plan mode: INACTIVE')
    await client.request('resources/subscribe', { uri: 'scorpiox://plan' })
    const notifications = (): number =>
      client.received.filter(({ method, params }) => method?.endsWith('updated') && params.uri === 'scorpiox://plan')
        .length
    await plan(client, 'enter', { goal: 'see', plan: '# The draft' })
    await eventually(notifications)
    expect(await read()).toMatch(
      /^Plan mode: ACTIVE\nGoal: "see"\nDuration: \d+s\nCommands can only read, .*\n\n# The draft$/,
    )
    // A slow change may be noticed in two parts: each is notified.
    const before = notifications()
    await plan(other, 'exit', { plan: '# The plan' })
    await eventually(notifications, (count) => count > before)
    expect(await read()).toMatch(/^Plan mode: INACTIVE\nLast plan: \S+\n\n# The plan$/)
    await Promise.all([client.close(), other.close()])
  })
})

test.each(['legacy', 'modern'])(
  'a subscriber (%s) that never reads is notified of changes by another server',
  async (era) => {
    const planProject = newPlanProject()
    const [client, other] = [serve(planProject), serve(planProject)]
    const uri = 'scorpiox://plan'
    if (era === 'legacy') {
      await client.initialize('2025-06-18')
      await client.request('resources/subscribe', { uri })
    } else {
      const params = { notifications: { resourceSubscriptions: [uri] }, ...modernMeta() }
      client.send({ jsonrpc: '2.0', id: 'L', method: 'subscriptions/listen', params })
      await client.waitFor(({ method }) => method === 'notifications/subscriptions/acknowledged')
    }
    await plan(other, 'enter')
    const notifications = async (): Promise<boolean> => {
      await plan(other, 'status', { plan: `# ${performance.now()}` })
      return client.received.some(({ method }) => method === 'notifications/resources/updated')
    }
    await expect.poll(notifications, { timeout: 10_000 }).toBe(true)
    await Promise.all([client.close(), other.close()])
  },
)

describe('several servers', () => {
  test('of many concurrent enters one succeeds, and of many exits one creates a task', async () => {
    const planProject = newPlanProject()
    const clients = [1, 2, 3, 4].map(() => serve(planProject))
    const all = (action: string, more: object): Promise<readonly ToolResult[]> =>
      Promise.all(clients.flatMap((client) => [plan(client, action, more), plan(client, action, more)]))
    for (let round = 1; round <= 5; round++) {
      const entered = await all('enter', { goal: 'race' })
      expect(entered.filter(({ isError }) => !isError)).toEqual([expect.anything()])
      // Calls with the same plan at the same time share one end of plan mode.
      const exited = (await all('exit', { plan: CHECKLIST })).filter(({ isError }) => !isError)
      expect([...new Set(exited.map(({ structured }) => structured.task_id))]).toEqual([round])
    }
    const { tasks } = await rowsOf(planProject, async (rows) => rows.tasks.countAll())
    expect(tasks).toBe(5)
    await Promise.all(clients.map((client) => client.close()))
  })

  test('plan mode of one applies at once to all of the same user and project', requires(SANDBOX), async () => {
    const planProject = newPlanProject()
    const elsewhere = newPlanProject()
    const [one, two] = [serve(planProject), serve(planProject)]
    const three = serve({ ...elsewhere, state: planProject.state })
    for (const client of [one, two, three]) expect(await writes(client)).toBe(true)
    const folder = await enter(one, planProject.project)
    expect(await Promise.all([one, two, three].map(writes))).toEqual([false, false, true])
    const late = serve(planProject)
    expect(await writes(late)).toBe(false)
    expect((await bash(two, `echo '# Together' >${folder}/plan.md`)).isError).toBe(false)
    expect((await plan(late, 'exit')).text).toContain('Plan saved to')
    for (const client of [one, two, three, late]) expect(await writes(client)).toBe(true)
    await Promise.all([one, two, three, late].map((client) => client.close()))
  })

  test('a restart, or a kill, changes nothing', requires(SANDBOX), async () => {
    const planProject = newPlanProject()
    const first = serve(planProject)
    const folder = await enter(first, planProject.project, { plan: 'a draft' })
    await killServer(first)
    const second = serve(planProject)
    expect(await writes(second)).toBe(false)
    expect((await plan(second, 'status')).text).toContain('Goal: "see"')
    expect(await second.close()).toBe(0)
    const third = serve(planProject)
    expect((await plan(third, 'exit')).text).toContain(
      `Plan saved to ${folder.slice(planProject.project.length + 1)}/plan.md`,
    )
    expect(await writes(third)).toBe(true)
    await third.close()
  })
})

describe('restrictions of commands', requires(SANDBOX), () => {
  test('only the plan directory can be written, and after the end everything again', async () => {
    const planProject = newPlanProject()
    const client = serve(planProject)
    for (const end of ['exit', 'reset']) {
      expect(await writes(client)).toBe(true)
      const folder = await enter(client, planProject.project)
      expect(await writes(client)).toBe(false)
      expect((await bash(client, `cat >${folder}/plan.md <<X\n# A plan\nX`)).isError).toBe(false)
      expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('# A plan\n')
      expect((await plan(client, end)).isError).toBe(false)
    }
    expect(await writes(client)).toBe(true)
    await client.close()
  })

  test('a command that outlives its server, and a recorded one, are restricted too', async () => {
    const planProject = newPlanProject()
    const client = serve(planProject, { JOBS_OUTLIVE_SERVER: '1' })
    const folder = await enter(client, planProject.project)
    expect(await writes(client)).toBe(false)
    // Only the plan directory can be written.
    const waits = `until [ -e '${folder}/go' ]; do sleep 0.05; done`
    await startJob(client, `${waits}; echo x >late; echo x >'${folder}/tried'`)
    expect(await client.close()).toBe(0)
    writeFileSync(join(folder, 'go'), '')
    await eventually(() => existsSync(join(folder, 'tried')))
    expect(existsSync(join(planProject.project, 'late'))).toBe(false)
  })

  test('in a subdirectory of a repository the plan is that of the repository', async () => {
    const planProject = newPlanProject()
    mkdirSync(join(planProject.project, '.git'))
    const below = join(planProject.project, 'below')
    mkdirSync(below)
    const [inside, above] = [serve(planProject, {}, below), serve(planProject)]
    const { structured, text } = await plan(inside, 'enter')
    const folder = `../.scorpiox/sessions/${structured.session}/`
    expect(text).toContain(`Plan will be saved to ${folder}\n`)
    expect(await writes(above)).toBe(false)
    expect(await writes(inside)).toBe(false)
    expect((await bash(inside, `echo '# Below' >${folder}plan.md`)).isError).toBe(false)
    expect((await plan(inside, 'exit')).text).toContain(`Plan saved to ${folder}plan.md\n`)
    expect((await plan(inside, 'status')).text).toContain(`Last plan: ${folder}plan.md`)
    const fromAbove = `.scorpiox/sessions/${structured.session}/plan.md`
    expect((await plan(above, 'status')).text).toContain(`Last plan: ${fromAbove}`)
    expect((await plan(above, 'json')).structured.plan_file).toBe(fromAbove)
    await Promise.all([inside.close(), above.close()])
  })

  test('a repository created around it while the server runs changes nothing', async () => {
    const planProject = newPlanProject()
    const cwd = join(planProject.project, 'inner')
    mkdirSync(cwd)
    const client = serve(planProject, {}, cwd)
    expect((await bash(client, `git init -q ${planProject.project} && echo made`)).text).toContain('made')
    const folder = await enter(client, cwd)
    expect((await bash(client, `echo x >new; echo x >${folder}/allowed`)).text).toContain('Read-only file system')
    expect([existsSync(join(cwd, 'new')), existsSync(join(folder, 'allowed'))]).toEqual([false, true])
    await client.close()
  })

  test('a project in /tmp, which is private for commands, is no exception', async () => {
    const [project, state] = [realpathSync(emptyFolder()), emptyFolder()]
    const client = startServer({ cwd: project, env: { STATE_DIR: state } })
    const folder = await enter(client, project)
    expect(await writes(client)).toBe(false)
    const ownText = `/tmp/scorpiox-plan-${process.pid}-${Date.now()}`
    const { text, isError } = await bash(
      client,
      `echo x >${ownText} && cat ${ownText}; echo '# Here' >${folder}/plan.md`,
    )
    expect([isError, text, existsSync(ownText)]).toEqual([false, 'x\n', false])
    expect((await bash(client, 'echo x >written')).text).toContain(
      `[Plan mode is on: commands can only read, except in`,
    )
    expect((await plan(client, 'exit')).isError).toBe(false)
    await client.close()
  })

  test('the home may be the project', async () => {
    const { home } = newPlanProject()
    const client = startServer({ cwd: home, env: { HOME: home } })
    const folder = await enter(client, home)
    expect(await writes(client)).toBe(false)
    expect((await bash(client, `ls ${home}/.scorpiox; echo '# Home' >${folder}/plan.md`)).text).toBe('sessions\n')
    expect((await plan(client, 'exit')).isError).toBe(false)
    await client.close()
  })

  test('links that a command created in the plan directory are not followed', async () => {
    const planProject = newPlanProject()
    const victim = join(planProject.home, 'victim')
    const client = serve(planProject)
    const plants = [
      `ln -s ${victim} plan.md`,
      'mkfifo plan.md',
      `ln -s ${victim} plan.1.md; ln -s ${victim} plan.2.md; touch plan.999999999.md plan.1000000000.md`,
      `ln -s ${planProject.home} .scorpiox; ln -s ${planProject.home} .git; ln -s ${victim} .gitignore`,
    ]
    for (const planted of plants) {
      writeFileSync(victim, 'untouched')
      const folder = await enter(client, planProject.project)
      expect((await bash(client, `cd ${folder} && rm -rf * .[a-z]*; ${planted}`)).isError).toBe(false)
      expect((await bash(client, 'true')).isError).toBe(false)
      expect((await plan(client, 'status', { plan: 'a draft' })).isError).toBe(false)
      expect((await plan(client, 'exit', { plan: 'the plan' })).isError).toBe(false)
      expect(readFileSync(victim, 'utf8')).toBe('untouched')
      // Bun creates a folder there.
      const found = readdirSync(planProject.home).filter((name) => name !== '.bun')
      expect(found.toSorted()).toEqual(['project', 'state', 'victim'])
      expect(lstatSync(join(folder, 'plan.md')).isFile()).toBe(true)
      expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('the plan')
    }
    await client.close()
  })

  test('the pipes of another server, with another temporary directory, are not visible', async () => {
    const [planProject, otherProject] = [newPlanProject(), newPlanProject()]
    const temporary = newFolder()
    const [client, other] = [serve(planProject), serve(otherProject, { TMPDIR: temporary })]
    expect(await writes(other)).toBe(true)
    await enter(client, planProject.project)
    const pwned = join(planProject.project, 'pwned')
    const job = await startJob(client, `for f in ${temporary}/*/*.i; do (echo 'touch ${pwned}' >"$f") & done; wait`)
    await readJob(client, job, { wait_for_end: true })
    for (let round = 0; round < 5; round++) expect(await writes(other)).toBe(true)
    expect(existsSync(pwned)).toBe(false)
    expect(readdirSync(temporary)).toEqual([])
    await Promise.all([client.close(), other.close()])
  })

  test('a hard link created before the plan cannot be used to write', async () => {
    const planProject = newPlanProject()
    const file = join(planProject.project, 'file')
    writeFileSync(file, 'untouched')
    const client = serve(planProject)
    const first = await enter(client, planProject.project)
    await plan(client, 'reset')
    expect((await bash(client, `mkdir ${first}/deep && ln file ${first}/deep/hard`)).isError).toBe(false)
    const second = await enter(client, planProject.project)
    await bash(client, `echo x >${first}/deep/hard; echo x >${second}/deep/hard`)
    expect(readFileSync(file, 'utf8')).toBe('untouched')
    expect((await bash(client, `echo x >${second}/new`)).isError).toBe(false)
    await client.close()
  })

  test('a removed plan directory is created again', async () => {
    const planProject = newPlanProject()
    const client = serve(planProject)
    const folder = await enter(client, planProject.project)
    for (let round = 0; round < 3; round++) {
      expect((await bash(client, `echo x >${folder}/made`)).isError).toBe(false)
      expect(existsSync(join(folder, 'made'))).toBe(true)
      rmSync(join(planProject.project, '.scorpiox'), { recursive: true })
    }
    await client.close()
  })

  test('HTTP users have separate plans', async () => {
    const planProject = newPlanProject()
    const env = { HOME: planProject.home, STATE_DIR: planProject.state, PLAN_APPROVAL: 'model' }
    const server = await startProgram({ cwd: planProject.project, env })
    const [alice, bob] = [tokenFor('alice', env), tokenFor('bob', env)]
    const as = async (token: string, name: string, args: object): Promise<ToolResult> =>
      toolResultOf((await sendRequest(server, { ...modernCall(name, args), token })).json)
    const canWrite = async (token: string): Promise<boolean> =>
      !(await as(token, 'Bash', { command: 'echo x >written' })).isError
    expect((await as(alice, 'PlanMode', { action: 'enter', goal: 'of alice' })).isError).toBe(false)
    for (let round = 0; round < 3; round++) expect([await canWrite(alice), await canWrite(bob)]).toEqual([false, true])
    expect((await as(bob, 'PlanMode', { action: 'status' })).text).toBe('Plan mode: INACTIVE\n')
    expect((await as(bob, 'PlanMode', { action: 'reset' })).isError).toBe(true)
    expect((await as(bob, 'PlanMode', { action: 'enter', goal: 'of bob' })).isError).toBe(false)
    expect((await as(alice, 'PlanMode', { action: 'exit', plan: 'x' })).isError).toBe(false)
    expect([await canWrite(alice), await canWrite(bob)]).toEqual([true, false])
    await server.stop()
  })
})

describe('unavailable', () => {
  test('without a sandbox commands are refused, with the reason and alternatives', async () => {
    const planProject = newPlanProject()
    const programs = newFolder()
    for (const name of ['bash', 'sh', 'mkfifo', 'cat', 'touch']) {
      symlinkSync(
        execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
        join(programs, name),
      )
    }
    const client = serve(planProject, { PATH: programs })
    expect(await writes(client)).toBe(true)
    await enter(client, planProject.project)
    for (const name of ['Bash', 'BackgroundBash']) {
      const { text, isError } = await call(client, name, { command: 'touch was-here' })
      expect(text).toMatch(/^The command was not started: plan mode is on and .*bubblewrap, which is not installed/)
      expect(text).toMatch(/PlanMode\(action: "exit".*PlanMode\(action: "reset"\)/)
      expect(isError).toBe(true)
    }
    await plan(client, 'exit', { plan: 'x' })
    expect(existsSync(join(planProject.project, 'was-here'))).toBe(false)
    expect(await writes(client)).toBe(true)
    await client.close()
  })

  test('without storage plan mode cannot be entered, and commands run', async () => {
    const planProject = newPlanProject()
    const client = startServer({ cwd: planProject.project, env: { HOME: '.' } })
    const { text, isError } = await plan(client, 'enter')
    expect(text).toMatch(/STATE_DIR/)
    expect(isError).toBe(true)
    expect(await writes(client)).toBe(true)
    await client.close()
  })

  test.each([
    ['.scorpiox is a link', '.scorpiox', '.scorpiox'],
    ['sessions is a link', '.scorpiox/sessions', '.scorpiox/sessions'],
  ])('nothing is written if %s', async (_, path) => {
    const planProject = newPlanProject()
    const victim = join(planProject.home, 'victim')
    mkdirSync(victim)
    if (path.includes('/')) mkdirSync(join(planProject.project, '.scorpiox'))
    symlinkSync(victim, join(planProject.project, path))
    const client = serve(planProject)
    const { text, isError } = await plan(client, 'enter', { plan: 'x' })
    expect(text).toContain('must be a directory, not a link')
    expect(isError).toBe(true)
    expect(readdirSync(victim)).toEqual([])
    expect(await writes(client)).toBe(true)
    await client.close()
  })

  test('the empty placeholder of the sandbox becomes the real directory and stays', requires(SANDBOX), async () => {
    const planProject = newPlanProject()
    const client = serve(planProject, { SANDBOX: 'workspace' })
    expect(await writes(client)).toBe(true)
    const ours = join(planProject.project, '.scorpiox')
    expect(lstatSync(ours).mode & 0o1000).toBe(0o1000)
    await enter(client, planProject.project)
    expect(lstatSync(ours).mode & 0o1000).toBe(0)
    expect(await writes(client)).toBe(false)
    expect(await client.close()).toBe(0)
    expect(readdirSync(join(ours, 'sessions'))).toHaveLength(2)
  })

  test('commands are refused while the stored state cannot be read', async () => {
    const planProject = newPlanProject()
    const first = serve(planProject)
    await enter(first, planProject.project)
    await first.close()
    const file = join(planProject.state, 'state.db')
    const good = readFileSync(file)
    for (const name of ['state.db-wal', 'state.db-shm']) rmSync(join(planProject.state, name), { force: true })
    writeFileSync(file, 'x'.repeat(good.length))
    const second = serve(planProject)
    const { text, isError } = await bash(second, 'touch was-here')
    expect(text).toMatch(/^The command was not started: the server cannot determine whether plan mode is on/)
    expect(isError).toBe(true)
    expect(existsSync(join(planProject.project, 'was-here'))).toBe(false)
    writeFileSync(file, good)
    chmodSync(file, 0o600)
    await expect.poll(async () => (await plan(second, 'status')).text, { timeout: 10_000 }).toContain('ACTIVE')
    await second.close()
  })

  test('commands are refused while the database does not answer, since other machines may have opened a plan', async () => {
    const planProject = newPlanProject()
    const client = serve(planProject, { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/nothing' })
    const { text, isError } = await bash(client, 'touch was-here')
    expect(text).toMatch(/^The command was not started: the server cannot determine whether plan mode is on/)
    expect(text).not.toContain('secret')
    expect(isError).toBe(true)
    expect((await plan(client, 'enter')).isError).toBe(true)
    expect(existsSync(join(planProject.project, 'was-here'))).toBe(false)
    await client.close()
  })

  test('a flag without a plan, left by a server killed during enter, is removed', async () => {
    const planProject = newPlanProject()
    const marks = openFlagFiles(planProject.state, 'plans', realpathSync(planProject.project))
    mkdirSync(planProject.state, { mode: 0o700 })
    marks.set(me())
    const client = serve(planProject)
    expect(await writes(client)).toBe(true)
    expect(marks.isSet(me())).toBe(false)
    await client.close()
  })
})
