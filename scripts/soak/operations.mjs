// What a user of the soak does: each operation is one or a few calls by one client, with the answer that is expected.
// `draw` picks one by its weight; operations that leave something behind per user are bounded, so that a state which
// still grows after the warm-up grows for another reason.

import { setTimeout as sleep } from 'node:timers/promises'

import { createClient } from '../fleet/clients.mjs'
import { sendRequest } from '../fleet/http-client.mjs'
import { openStdio, STDIO_REVISIONS } from './stdio-client.mjs'
import { LEAVING, leave } from './vanish.mjs'

const RESULT = 'io.github.scorpiox/result'
const MAX_TASKS = 15
const QUESTION = { questions: [{ text: 'Which colour?', options: ['red', 'blue'], multiSelect: false }] }

let numbers = 0
const unique = (name) => `${name}-${++numbers}`

/** Weights; jobs are started by few users, so that their records reach their limit during the warm-up. */
const WEIGHTS = {
  echo: 22,
  output: 6,
  failing: 3,
  slow: 4,
  task: 12,
  plan: 3,
  question: 3,
  callback: 4,
  skill: 4,
  page: 4,
  picture: 3,
  session: 5,
  leave: 5,
  stdio: 1,
}
const WEIGHTS_OF_JOBS = { ...WEIGHTS, job: 22, terminal: 10, killed: 8, list: 5 }

export const drawOperation = (user, random) => random.pick(user.runsJobs ? LOTTERY_OF_JOBS : LOTTERY)
const lottery = (weights) => Object.entries(weights).flatMap(([name, weight]) => Array(weight).fill(name))
const LOTTERY = lottery(WEIGHTS)
const LOTTERY_OF_JOBS = lottery(WEIGHTS_OF_JOBS)

export const OPERATIONS = {
  async echo({ call }) {
    const value = unique('echo')
    await call('Bash', { command: `echo ${value}` }, { expected: value })
  },
  async output({ call, random }) {
    const lines = 200 + Math.floor(random.next() * 4_000)
    await call('Bash', { command: `seq 1 ${lines}` }, { expected: String(lines) })
  },
  async failing({ call }) {
    const value = unique('failing')
    await call('Bash', { command: `echo ${value} >&2; exit 3` }, { mayFail: new RegExp(value), expected: value })
  },
  async slow({ call, random }) {
    const value = unique('slow')
    await call('Bash', { command: `sleep ${(0.5 + random.next() * 3).toFixed(1)}; echo ${value}` }, { expected: value })
  },
  async job({ call }) {
    const value = unique('job')
    const since = Date.now()
    const id = await startJob(call, { command: `for i in 1 2 3; do echo ${value} $i; sleep 0.5; done; seq 1 2000` })
    const { text } = await call(
      'ReadBgOutput',
      { task_id: id, wait_for_pattern: `${value} 2` },
      { since, expected: value },
    )
    // On a slow machine the first read has it all.
    const expected = text.includes('2000') ? 'exit code 0' : '2000'
    await call('ReadBgOutput', { task_id: id, wait_for_end: true }, { since, expected })
  },
  async terminal({ call }) {
    const value = unique('typed')
    const since = Date.now()
    const id = await startJob(call, { command: 'bash --norc', tty: true })
    const typed = { input: `echo "${value.replace('-', '-""')}"`, keys: ['enter'], wait_for_pattern: `^${value}` }
    await call('ReadBgOutput', { task_id: id, ...typed }, { since, expected: value })
    await call('ReadBgOutput', { task_id: id, input: 'exit', keys: ['enter'], wait_for_end: true }, { since })
  },
  async killed({ call }) {
    const since = Date.now()
    const id = await startJob(call, { command: 'sleep 300 & yes | head -c 200000; sleep 300' })
    await sleep(500)
    await call('KillBgTask', { task_id: id }, { since })
  },
  async list({ call }) {
    await call('ListBgTasks', {}, { needs: ['command'] })
  },
  async task({ user, call, random }) {
    if (user.tasks.length < MAX_TASKS) {
      const text = unique('task')
      const created = await call(
        'TaskManager',
        { action: 'create', query: '', text, steps: ['first', 'second', 'third'] },
        { needs: ['database'], expected: text },
      )
      const id = created.result?._meta?.[RESULT]?.task_id
      if (id !== undefined) user.tasks.push({ id, text })
      return
    }
    const { id, text } = random.pick(user.tasks)
    const actions = [
      { action: 'list', query: text },
      { action: 'list', query: '', task_id: id },
      { action: 'switch', query: '', task_id: id },
    ]
    await call('TaskManager', random.pick(actions), { needs: ['database'], expected: text })
  },
  async plan({ user, call }) {
    const needs = ['database', 'disk']
    // One that a failure left open would refuse the commands of the user.
    if (user.hasPlan) await call('PlanMode', { action: 'reset' }, { needs, mayFail: /plan mode is off/i })
    user.hasPlan = true
    const goal = unique('goal')
    await call('PlanMode', { action: 'enter', goal }, { needs })
    await call('PlanMode', { action: 'status', plan: `# ${goal}\n\n- [ ] one\n` }, { needs })
    await call('PlanMode', { action: 'exit', plan: `# ${goal}\n\n- [ ] one\n`, create_task: false }, { needs })
    user.hasPlan = false
  },
  async question({ call }) {
    await call('AskUserQuestion', { questions_json: JSON.stringify(QUESTION) }, { needs: ['database'], expected: 'id' })
  },
  async callback({ user, call, random }) {
    const needs = ['database', 'session']
    if (++user.callbacks % 4 === 0) {
      await call('SetCallback', { action: 'cancel' }, { needs, mayFail: /no callback/i })
      return
    }
    const delay = 1 + Math.floor(random.next() * 5)
    const args = { action: 'set', message: unique('callback'), delay_seconds: delay, repeat_count: 1 }
    await call('SetCallback', args, { needs })
  },
  async skill({ call, random }) {
    const name = random.pick(['count-words', 'release-notes'])
    await call('InvokeSkill', { skill_name: name }, { needs: ['disk'] })
  },
  async page({ call, random, site }) {
    const kind = random.pick(['page', 'page', 'text', 'data'])
    const number = ++numbers
    await call('ReadDocs', { url: `${site.origin}/${kind}/${number}` }, { needs: ['worker'], expected: String(number) })
  },
  async picture({ call, random, site }) {
    if (random.next() < 0.3) {
      const fetched = `curl -sS -o fetched.png ${site.origin}/picture/${++numbers} && echo fetched`
      await call('Bash', { command: fetched }, { expected: 'fetched' })
      await call('ReadImage', { file_path: 'fetched.png' }, { needs: ['worker'], expected: isImage })
    } else {
      const file_path = random.pick(['drawn.svg', 'screen.png'])
      await call('ReadImage', { file_path }, { needs: ['worker'], expected: isImage })
    }
  },
  /** A session of its own; one of three is never ended by its client. */
  async session({ user, subject, callBy, random }) {
    const client = createClient(random.pick(['session', 'sse', 'websocket']), { url: subject.url, token: user.token })
    const value = unique('session')
    try {
      await callBy(client, 'Bash', { command: `echo ${value}` }, { expected: value, needs: ['command', 'session'] })
      await callBy(
        client,
        'SetCallback',
        { action: 'set', message: value, delay_seconds: 2, repeat_count: 1 },
        { needs: ['database', 'session'] },
      )
    } finally {
      client.close()
      if (random.next() < 2 / 3) await endSession(client, { url: subject.url, token: user.token })
    }
  },
  async leave({ user, subject, random, record }) {
    record.noteAbandoned()
    await leave(random.pick(LEAVING), { url: subject.url, token: user.token, random }).catch(() => undefined)
  },
  async stdio({ subject, callBy, random, record }) {
    const revision = random.pick(STDIO_REVISIONS)
    const asks = random.next() < 0.3 && ['2025-06-18', '2025-11-25'].includes(revision)
    const options = { program: subject.program, env: subject.stdioEnv, cwd: subject.stdioProject }
    const client = await openStdio(options, { revision, capabilities: asks ? { elicitation: {} } : {} })
    const value = unique('stdio')
    try {
      await callBy(client, 'Bash', { command: `echo ${value}` }, { expected: value })
      await callBy(client, 'TaskManager', { action: 'list', query: '' }, { needs: ['database'] })
      if (asks)
        await callBy(client, 'AskUserQuestion', { questions_json: JSON.stringify(QUESTION) }, { needs: ['database'] })
    } finally {
      if (random.next() < 0.5) await client.close()
      else {
        record.noteAbandoned()
        client.kill()
      }
    }
  },
}

/** Clients on a stream or WebSocket end their session with it. */
async function endSession(client, { url, token }) {
  const id = client.session?.()
  if (id === undefined) return
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-06-18' }
  await sendRequest(url, { method: 'DELETE', token, headers, limitMs: 20_000 }).catch(() => undefined)
}

async function startJob(call, args) {
  const { result } = await call('BackgroundBash', args, { expected: ({ result: given }) => jobOf(given) !== undefined })
  return jobOf(result)
}

const jobOf = (result) => result?._meta?.[RESULT]?.task_id
const isImage = ({ result }) => result.content.some(({ type }) => type === 'image')
