// The load on one server: operations at seeded times by users who do one thing at a time, each with a client of every
// kind. Time between operations is exponential around the rate.

import { setTimeout as sleep } from 'node:timers/promises'

import { CLIENT_KINDS, createClient } from '../fleet/clients.mjs'
import { createRandom } from '../fleet/wait.mjs'
import { FailedCall } from './call-record.mjs'
import { drawOperation, OPERATIONS } from './operations.mjs'
import { openStdio } from './stdio-client.mjs'

const USERS_WITH_JOBS = 3
const CALL_LIMIT_MS = 120_000
const STDIO_EVERY = 25

/** `rate` is operations a second. Ends with `stop`, which resolves when the calls in flight are done. */
export async function startLoad({ subject, site, record, rate, seed }) {
  const random = createRandom(seed)
  const users = subject.users.map((user, at) => ({
    ...user,
    runsJobs: at < USERS_WITH_JOBS,
    isBusy: false,
    hasPlan: false,
    tasks: [],
    callbacks: 0,
    clients: CLIENT_KINDS.map((kind) => createClient(kind, { url: subject.url, token: user.token })),
  }))
  const stdio = await openStdio(
    { program: subject.program, env: subject.stdioEnv, cwd: subject.stdioProject },
    { revision: '2025-11-25' },
  )
  // A user who works over stdio all the time.
  const local = {
    name: 'local',
    runsJobs: false,
    isBusy: false,
    hasPlan: false,
    tasks: [],
    callbacks: 0,
    clients: [stdio],
  }
  const ending = new AbortController()
  const running = new Set()
  const problems = []

  async function perform(user, operation) {
    const client = random.pick(user.clients)
    const callBy = (by, tool, args, { needs = ['command', 'disk'], since, expected, mayFail } = {}) =>
      record.check(
        {
          subject: subject.variant,
          user: user.name,
          client: by.kind,
          operation,
          tool,
          needs,
          since,
          expected,
          mayFail,
        },
        () => by.call(tool, args, { limitMs: CALL_LIMIT_MS }),
      )
    const call = (tool, args, options) => callBy(client, tool, args, options)
    user.isBusy = true
    try {
      await OPERATIONS[operation]({ user, subject, site, random, record, call, callBy })
    } catch (error) {
      if (!(error instanceof FailedCall)) problems.push(`${operation}: ${error.message}`)
    } finally {
      user.isBusy = false
    }
  }

  async function work() {
    for (let count = 0; !ending.signal.aborted; count += 1) {
      await sleep((-Math.log(1 - random.next()) * 1000) / rate)
      const isLocal = count % STDIO_EVERY === 0 && !local.isBusy
      const user = isLocal ? local : random.pick(users.filter(({ isBusy }) => !isBusy))
      if (!user) continue
      const drawn = drawOperation(user, random)
      const operation = isLocal && ['session', 'leave', 'picture'].includes(drawn) ? 'echo' : drawn
      const performed = perform(user, operation)
      running.add(performed)
      void performed.finally(() => running.delete(performed))
    }
  }
  const working = work()
  return {
    problems,
    stdioPid: stdio.pid,
    async stop() {
      ending.abort()
      await working
      await Promise.all(running)
      for (const { clients } of users) for (const client of clients) client.close()
      await stdio.close()
    },
  }
}
