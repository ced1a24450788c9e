// Users at work: each calls tools in turn through the load balancer, by every kind of client, and notes what was
// acknowledged. `violations` compares that with what is stored and with what the callers were answered.

import { setTimeout as sleep } from 'node:timers/promises'

import { CLIENT_KINDS, createClient, listenToAnswers, nextCallId } from './clients.mjs'
import { classifyAnswer, classifyError } from './outcome.mjs'
import { createRandom } from './wait.mjs'

const MAX_CALLS = 500_000
const MAX_CALLBACKS = 3
const FIRED = /\[Callback \d+ fired at [^\]]*\] (cb-[\w-]+)/g
const RESULT = 'io.github.scorpiox/result'
let workloads = 0

/** `sleepSeconds` makes every call of that kind a command that sleeps; `slow` says how many of the calls do. */
export function startWorkload(
  fleet,
  { users = fleet.users, kinds = CLIENT_KINDS, slow = 0, sleepSeconds = 2, pauseMs = pauseOf(users) } = {},
) {
  const prefix = `w${++workloads}-`
  const random = createRandom(fleet.options.seed + workloads)
  const calls = []
  const callbacks = new Map()
  const startedAt = Date.now()
  const people = users.map((user) => ({
    user,
    clients: kinds.map((kind) => createClient(kind, { url: fleet.url, token: user.token })),
    jobs: [],
    random: createRandom(Math.floor(random.next() * 2 ** 32)),
  }))
  const ending = new AbortController()
  let numbers = 0

  async function call(one, client, tool, args, { expected, operation, value } = {}) {
    const id = nextCallId()
    const record = {
      id,
      user: one.user.name,
      client: client.kind,
      operation: operation ?? tool,
      value,
      startedAt: Date.now(),
    }
    if (calls.length < MAX_CALLS) calls.push(record)
    let answer
    try {
      answer = await client.call(tool, args, { id })
      Object.assign(record, classifyAnswer(answer, expected))
    } catch (error) {
      Object.assign(record, classifyError(error))
    }
    record.endedAt = Date.now()
    record.streamCall = client.streamCall?.()
    return { record, answer }
  }

  listenToAnswers(({ text }) => {
    for (const [, name] of text.matchAll(FIRED)) callbacks.get(name)?.deliveries.push({ at: Date.now() })
  })

  const operations = {
    async task(one, client) {
      const value = `${prefix}${one.user.name}-${++numbers}`
      await call(
        one,
        client,
        'TaskManager',
        { action: 'create', text: value, query: '' },
        {
          operation: 'task',
          value,
          expected: (text) => text.includes(value),
        },
      )
    },
    async echo(one, client) {
      const value = `echo-${++numbers}`
      await call(one, client, 'Bash', { command: `echo ${value}` }, { operation: 'echo', expected: has(value) })
    },
    async slow(one, client) {
      const value = `slept-${++numbers}`
      const command = `sleep ${sleepSeconds}; echo ${value}`
      await call(one, client, 'Bash', { command }, { operation: 'slow', expected: has(value) })
    },
    async job(one, client) {
      const value = `job-${prefix}${++numbers}`
      const { record, answer } = await call(
        one,
        client,
        'BackgroundBash',
        { command: `echo ${value}; sleep 3` },
        { operation: 'job' },
      )
      const number = answer?.result?._meta?.[RESULT]?.task_id
      if (record.kind !== 'ok' || number === undefined) return
      one.jobs = [...one.jobs, { number, value }].slice(-4)
    },
    async read(one, client) {
      const job = one.random.pick(one.jobs)
      if (!job) return operations.echo(one, client)
      const tool = one.random.next() < 0.8 ? 'ReadBgOutput' : 'KillBgTask'
      const { record, answer } = await call(
        one,
        client,
        tool,
        { task_id: job.number },
        { operation: 'read job', value: job.value },
      )
      // An answer about another command is the worst one: a job was read or ended that the caller did not mean.
      const command = answer?.result?._meta?.[RESULT]?.command
      if (command !== undefined && !command.includes(job.value)) record.wrongJob = `${tool} ${job.number}: ${command}`
      if (record.kind !== 'ok' && /lost with|has ended|is over|no job/i.test(record.words)) record.kind = 'lost'
    },
    async callback(one, client) {
      const waiting = [...callbacks.values()].filter(
        (entry) => entry.client === client && entry.deliveries.length === 0,
      )
      if (waiting.length >= MAX_CALLBACKS) return operations.echo(one, client)
      const value = `cb-${prefix}${++numbers}`
      const entry = { client, one, deliveries: [], setAt: Date.now() }
      callbacks.set(value, entry)
      const args = {
        action: 'set',
        message: value,
        delay_seconds: 1 + Math.floor(one.random.next() * 3),
        repeat_count: 1,
      }
      const { record } = await call(one, client, 'SetCallback', args, { operation: 'callback', value })
      entry.outcome = record.kind
    },
  }
  const weights = { task: 40, echo: 20, job: 8, read: 12, callback: 12 }
  const lottery = Object.entries(weights).flatMap(([name, weight]) => Array(weight).fill(name))

  async function work(one) {
    while (!ending.signal.aborted) {
      const client = one.random.pick(one.clients)
      const name = one.random.next() < slow ? 'slow' : one.random.pick(lottery)
      await operations[name](one, client)
      await sleep(pauseMs * (0.5 + one.random.next()))
    }
  }
  const workers = people.map(work)

  return {
    prefix,
    calls,
    callbacks,
    startedAt,
    /** Ends after the calls in flight, and waits until every callback that was set has been delivered. */
    async stop() {
      ending.abort()
      await Promise.all(workers)
      await collectCallbacks(callbacks, operations)
      const losses = people
        .flatMap(({ clients }) => clients)
        .map((client) => ({ kind: client.kind, losses: client.losses() }))
      for (const { clients } of people) for (const client of clients) client.close()
      return { sessionsLost: sum(losses.filter(({ kind }) => kind === 'session')), streamsLost: sum(losses) }
    },
  }
}

/** Calls once more until nothing is outstanding; a callback that does not come is found by the comparison. */
async function collectCallbacks(callbacks, operations) {
  const endsAt = Date.now() + 30_000
  const outstanding = () =>
    [...callbacks.values()].filter(({ outcome, deliveries }) => outcome === 'ok' && deliveries.length === 0)
  while (outstanding().length > 0 && Date.now() < endsAt) {
    // Every client of these users: the messages of a session that ended move to another one.
    const due = new Set(outstanding().map(({ one }) => one))
    await Promise.all(
      [...due].map(async (one) => {
        for (const client of one.clients) await operations.echo(one, client)
      }),
    )
    await sleep(400)
  }
}

/** More users send about as many calls a second in all: what is tested are the faults, not the processor. */
const pauseOf = (users) => 120 * Math.max(1, users.length / 6)

const has = (value) => (text) => text.includes(value)
const sum = (entries) => entries.reduce((total, { losses }) => total + losses, 0)
