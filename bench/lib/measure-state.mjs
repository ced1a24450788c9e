// What it costs to remember: the first call that opens the database, beside an empty call; one more write; a list of
// 10,000 tasks with 3 steps each, with and without a search text.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

import { dataOf, withShellServers } from './shell-client.mjs'
import { project } from './start.mjs'

const TASKS = 10_000
const STEPS = 3
const WORDS = ['deploy', 'review', 'garden', 'invoice', 'Zürich', '배포', 'release', 'test', 'engine', 'paint']

const call = async (client, args) => {
  const answer = await client.request('tools/call', { name: 'TaskManager', arguments: { query: '', ...args } })
  if (answer.result?.isError !== false) throw new Error(`not a success: ${JSON.stringify(answer.reply).slice(0, 300)}`)
  return {
    ms: answer.ms,
    bytes: Buffer.byteLength(JSON.stringify(answer.reply)),
    found: dataOf(answer).found,
  }
}

const word = (number) => WORDS[number % WORDS.length]

const manyTasks = () => {
  const step = (task, index) => {
    const id = (task - 1) * STEPS + index + 1
    return { id, text: `${word(id)} part ${id}`, createdAt: id, completedAt: index === 0 ? id : null }
  }
  const tasks = Array.from({ length: TASKS }, (_, index) => ({
    id: index + 1,
    name: `${word(index)} number ${index + 1}`,
    createdAt: index,
    completedAt: index % 4 === 0 ? index : null,
    steps: Array.from({ length: STEPS }, (__, at) => step(index + 1, at)),
  }))
  const counters = { nextTask: TASKS + 1, nextStep: TASKS * STEPS + 1, nextPlan: 1, currentTask: TASKS }
  return { version: 1, scopes: [{ project, user: userInfo().username, ...counters, tasks, plans: [] }] }
}

const within = async (work) => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-state-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const firstCall = ({ key, shell }, record) =>
  within((STATE_DIR) =>
    withShellServers([{ key, command: shell, env: { STATE_DIR } }], async ([client]) => {
      const empty = await client.ping()
      record('stateEmpty', empty.ms)
      record('stateFirst', (await call(client, { action: 'create', text: 'the first' })).ms)
      for (let number = 0; number < 50; number++)
        record('stateWrite', (await call(client, { action: 'create', text: `another ${number}` })).ms)
    }),
  )

const longList = ({ key, shell }, record) =>
  within(async (STATE_DIR) => {
    mkdirSync(STATE_DIR, { recursive: true })
    const file = join(STATE_DIR, 'export.json')
    writeFileSync(file, JSON.stringify(manyTasks()))
    const env = { ...process.env, STATE_DIR }
    const { status, stderr } = spawnSync(shell[0], [...shell.slice(1), 'state', 'import', file], {
      env,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`the import failed: ${stderr}`)
    await withShellServers([{ key, command: shell, env: { STATE_DIR } }], async ([client]) => {
      await call(client, { action: 'list' })
      for (const [row, args] of [
        ['stateList', { action: 'list' }],
        ['stateSearch', { action: 'list', query: 'zurich part' }],
        ['stateRare', { action: 'list', query: '"part 12345"' }],
        ['statePending', { action: 'pending', query: 'release' }],
        ['stateAdd', { action: 'add', text: 'one more' }],
      ]) {
        for (let turn = 0; turn < 20; turn++) {
          const { ms, bytes, found } = await call(client, args)
          if (row !== 'stateAdd' && found < (row === 'stateRare' ? 1 : 100))
            throw new Error(`${args.action} found ${found} tasks only`)
          record(row, ms)
          record('stateReply', bytes / 1000)
        }
      }
    })
  })

export const statePhase = {
  name: 'state',
  subjects: ['server'],
  over: 'shell',
  async measure(subject, record) {
    await firstCall(subject, record)
    await longList(subject, record)
  },
  full: { rounds: 7 },
  quick: { rounds: 2 },
}
