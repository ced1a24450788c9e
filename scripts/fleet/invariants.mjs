// What must hold after any fault, as sentences about what did not: rows, callbacks, jobs, owners, files.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { callbackTrace, deliveryTime, foreignWrites, ownerChanges, storedTasks } from './audit.mjs'

/** Compares what callers were answered with what is stored. */
export async function findViolations(fleet, { prefix, calls, callbacks, startedAt }) {
  const stored = await storedTasks(fleet.sql, prefix)
  const tasks = calls.filter(({ operation }) => operation === 'task')
  const lost = tasks.filter(({ kind, value }) => kind === 'ok' && !stored.has(value))
  const doubled = [...stored].filter(([, copies]) => copies > 1)
  const denied = tasks.filter(({ kind, value }) => ['refused', 'busy', 'unserved'].includes(kind) && stored.has(value))
  const wrongJobs = calls.filter(({ wrongJob }) => wrongJob !== undefined)
  const set = [...callbacks].filter(([, { outcome }]) => outcome === 'ok')
  const untold = set.filter(([, { deliveries }]) => deliveries.length === 0)
  const broken = await Promise.all(untold.map((entry) => wentWithAnswer(fleet, calls, entry)))
  const silent = untold.filter((_, index) => !broken[index])
  const repeated = [...callbacks].filter(([, { deliveries }]) => deliveries.length > 1)
  const foreign = await foreignWrites(fleet.sql, startedAt)
  const traces = await Promise.all(silent.map(([name]) => callbackTrace(fleet.sql, name)))
  const late = await lateFileWrites(fleet, startedAt)
  return {
    figures: {
      'rows acknowledged': tasks.filter(({ kind }) => kind === 'ok').length,
      lost: lost.length,
      twice: doubled.length,
      callbacks: set.length,
      'not told': silent.length,
      'in a broken answer': untold.length - silent.length,
      'told twice': repeated.length,
      'wrong job': wrongJobs.length,
      'writes after loss': foreign.length + late.length,
    },
    violations: [
      ...lost.map(({ value, user }) => `${user}: task ${value} was acknowledged and is not stored`),
      ...doubled.map(([value, copies]) => `task ${value} is stored ${copies} times`),
      ...denied.map(({ value, words }) => `task ${value} is stored although the answer said: ${words.slice(0, 150)}`),
      ...wrongJobs.map(({ user, wrongJob }) => `${user}: another job was meant: ${wrongJob}`),
      ...silent.map(
        ([name, { one, client }], index) =>
          `${one.user.name}: callback ${name} of a ${client.kind} client was not delivered; ${traces[index]}`,
      ),
      ...repeated.map(
        ([name, { deliveries }]) =>
          `callback ${name} was delivered ${deliveries.length} times, ${deliveries.at(-1).at - deliveries[0].at} ms apart`,
      ),
      ...foreign.map(
        (row) => `${row.machine} wrote to ${row.relation} of ${row.user_name}, whose owner was ${row.owner}`,
      ),
      ...late,
    ],
  }
}

/**
 * Whether the message was in an answer that was written and then broke off with a machine that it passed through. The
 * caller knows that this call failed; a server cannot know that the message did not arrive, so it is not sent again.
 */
async function wentWithAnswer({ sql }, calls, [name, { one, client }]) {
  const at = await deliveryTime(sql, name)
  return calls.some(
    (call) =>
      ['broken', 'unknown'].includes(call.kind) &&
      call.user === one.user.name &&
      call.client === client.kind &&
      call.startedAt - 50 <= at &&
      at <= call.endedAt,
  )
}

const WRITERS = 'writers'

/** The command of a job that appends its machine and the time to a file of the project, ten times a second. */
export const writerCommand = (user) =>
  `mkdir -p ${WRITERS}; while :; do printf '%s %s\\n' "$(hostname)" "$EPOCHREALTIME" >> ${WRITERS}/${user}.log; sleep 0.1; done`

/** Lines that a machine wrote to a shared project after another one had become the owner. */
async function lateFileWrites(fleet, since) {
  const folder = join(fleet.folder, 'project', WRITERS)
  if (fleet.files !== 'shared' || !existsSync(folder)) return []
  const changes = await ownerChanges(fleet.sql)
  return readdirSync(folder).flatMap((file) => {
    const user = file.replace(/\.log$/, '')
    const own = changes.filter((change) => change.user === user && change.owner !== null)
    const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean)
    const late = lines.filter((line) => {
      const [machine, time] = line.split(' ')
      const at = Number(time) * 1000
      const owner = own.findLast((change) => change.at <= at - 5)
      return at >= since && owner !== undefined && owner.owner !== machine
    })
    return late.length === 0
      ? []
      : [`${user}: ${late.length} lines written by a machine that was not the owner, such as ${late.at(-1)}`]
  })
}
