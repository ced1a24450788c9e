// The faults: each is done to a fleet while users work, and then it is counted which calls failed, when the next one
// succeeded, and what does not hold. A fault names the machines whose calls may fail.

import { setTimeout as sleep } from 'node:timers/promises'

import { ownerChanges, ownersOf } from './audit.mjs'
import { createClient } from './clients.mjs'
import { FAULTS } from './fault-list.mjs'
import { findViolations, writerCommand } from './invariants.mjs'
import { classifyAnswer, classifyError } from './outcome.mjs'
import { startWorkload } from './workload.mjs'

const WARM_UP_MS = 2_500
const COOL_DOWN_MS = 2_500
const PROBE_MS = 250
/** Calls that wait for the next owner pile up. */
const MAX_PROBED = 6
/** The limit of every wait in a run that judges no times, because the machine is shared with others. */
const HANGING_MS = 45_000
/** A take-over takes a few calls one after the other, each as slow as the machine under the tests makes them. */
const SLOWER = 8

/** Runs one fault of FAULTS by its name. */
export async function runFault(fleet, name) {
  const { inject, affects = 'machine', options = {}, writers = true, sessionsMayEnd = true } = FAULTS[name]
  await Promise.all(fleet.machines.map((machine) => machine.untilReady()))
  if (writers && fleet.files === 'shared') await startWriters(fleet)
  const workload = startWorkload(fleet, options)
  await sleep(options.warmUpMs ?? WARM_UP_MS)
  const usualMs = slowTaskMs(workload.calls)
  const owners = await ownersOf(fleet.sql)
  const victim = victimOf(fleet, owners)
  const fault = { startedAt: Date.now(), victim, owners }
  const affected =
    affects === 'none'
      ? []
      : fleet.users.filter(({ name: user }) => affects === 'database' || owners.get(user) === victim.name)
  const finishProbe = probe(fleet, affected.slice(0, MAX_PROBED))
  let problem
  try {
    Object.assign(fault, await inject({ fleet, victim, others: fleet.machines.filter((one) => one !== victim), fault }))
  } catch (error) {
    problem = `the fault could not be done: ${error.message}`
  }
  fault.endedAt ??= Date.now()
  await sleep(COOL_DOWN_MS)
  const nextMs = await finishProbe(fault.countsFrom ?? fault.startedAt)
  const losses = await workload.stop()
  const { figures, violations } = await findViolations(fleet, workload)
  const limitMs = fault.limitMs && (fleet.options.judgesTimes ? fault.limitMs + SLOWER * usualMs : HANGING_MS)
  const failed = workload.calls.filter(({ kind }) => !['ok', 'lost'].includes(kind))
  const unexpected = failed.filter((call) => !isExpected(call, { fleet, fault, affects }))
  const all = [
    ...(problem === undefined ? [] : [problem]),
    ...violations,
    ...unexpected.map((call) => describeCall(call, fleet, fault)),
    ...(fault.violations ?? []),
    ...(nextMs > limitMs ? [`the next success came after ${nextMs} ms, not ${limitMs}`] : []),
    ...(sessionsMayEnd || losses.sessionsLost === 0 ? [] : [`${losses.sessionsLost} sessions were lost`]),
  ]
  return {
    violations: all,
    figures: {
      calls: workload.calls.length,
      ...count(failed),
      'usual ms': Math.round(usualMs),
      'next success s': nextMs === undefined ? '–' : (nextMs / 1000).toFixed(1),
      ...(affects === 'machine' && (await takeOver(fleet, affected, fault))),
      'sessions lost': losses.sessionsLost,
      ...fault.figures,
      ...figures,
    },
  }
}

/** How long a cheap call takes without a fault: nine of ten are faster. On an idle machine that is a few milliseconds. */
function slowTaskMs(calls) {
  const done = calls.filter(({ operation, endedAt }) => operation === 'task' && endedAt !== undefined)
  const times = done.map(({ startedAt, endedAt }) => endedAt - startedAt).toSorted((one, other) => one - other)
  // None has ended yet: they take longer than that.
  return times[Math.floor(times.length * 0.9)] ?? WARM_UP_MS
}

/** The server's part of the next success: when the database had a new owner for each of the users. */
async function takeOver(fleet, users, { startedAt }) {
  const changes = (await ownerChanges(fleet.sql)).filter(({ at, owner }) => at >= startedAt && owner !== null)
  const first = users.map(({ name }) => changes.find(({ user }) => user === name)).filter(Boolean)
  const times = first.map(({ at }) => at - startedAt)
  return { 'new owner s': times.length === 0 ? '–' : (Math.max(...times) / 1000).toFixed(1) }
}

/** A job of each user that appends to a file of the project. */
async function startWriters(fleet) {
  for (const user of fleet.users) {
    const client = createClient('stateless', { url: fleet.url, token: user.token })
    const running = await client.call('ListBgTasks', {})
    const tasks = running.result?._meta?.['io.github.scorpiox/result']?.tasks ?? []
    if (tasks.some(({ status, command }) => status === 'running' && command.includes('writers'))) continue
    await client.call('BackgroundBash', { command: writerCommand(user.name) })
  }
}

/** The machine that owns most workspaces; the last one if that is not known. */
function victimOf({ machines }, owners) {
  const counts = machines.map((machine) => [...owners.values()].filter((name) => name === machine.name).length)
  return machines[counts.lastIndexOf(Math.max(...counts))]
}

/**
 * Only calls that the fault can have met may fail, and only with a sentence; a connection that breaks without one must
 * have led to the machine that failed.
 */
function isExpected(call, { fleet, fault, affects }) {
  const { victim, owners, startedAt, endedAt } = fault
  const meetsFault = call.endedAt >= startedAt && call.startedAt <= endedAt
  if (call.kind === 'busy') return true
  if (!meetsFault || affects === 'none') return false
  const hasSentence = ['refused', 'unknown'].includes(call.kind)
  if (affects === 'database') return hasSentence || (call.kind === 'unserved' && fault.allUnready === true)
  const ways = enteredBy(call, fleet)
  const isEntered = ways.includes(victim.name)
  if (hasSentence) return isEntered || owners.get(call.user) === victim.name
  // HAProxy logs a request when it ends: one that it could not send to any machine, or that never ended, is not known.
  return ['broken', 'unserved'].includes(call.kind) && (ways.length === 0 || isEntered)
}

/** The machines that the call, and the stream that carries its answer, were sent to. */
function enteredBy(call, { balancer }) {
  return [call.id, `${call.id}-init`, call.streamCall]
    .map((id) => balancer.machineOf(id))
    .filter((name) => name !== undefined)
}

/**
 * A new call of each affected user every 250 ms: how long it takes until one succeeds. The calls of the workload do not
 * show it, because a user there waits for the answer that a stopped machine owes.
 */
function probe(fleet, users) {
  const ending = new AbortController()
  const successes = new Map(users.map(({ name }) => [name, []]))
  const send = async ({ name, token }) => {
    const client = createClient('stateless', { url: fleet.url, token })
    const startedAt = Date.now()
    // A cheap call: those that wait for the next owner are all served at once.
    const { kind } = await client
      .call('TaskManager', { action: 'list', query: '' }, { limitMs: 60_000 })
      .then((answer) => classifyAnswer(answer), classifyError)
    if (kind === 'ok') successes.get(name).push({ startedAt, endedAt: Date.now() })
  }
  async function run() {
    while (!ending.signal.aborted) {
      for (const user of users) void send(user)
      await sleep(PROBE_MS)
    }
  }
  const running = run()
  return async (from) => {
    const timesOf = (calls) => calls.filter(({ startedAt }) => startedAt >= from).map(({ endedAt }) => endedAt - from)
    const endsAt = Date.now() + HANGING_MS
    while ([...successes.values()].some((calls) => timesOf(calls).length === 0) && Date.now() < endsAt)
      await sleep(PROBE_MS)
    ending.abort()
    await running
    const times = [...successes.values()].map((calls) => Math.min(...timesOf(calls)))
    return times.length === 0 ? undefined : Math.max(...times)
  }
}

function describeCall(call, fleet, { startedAt, owners }) {
  const at = ((call.startedAt - startedAt) / 1000).toFixed(1)
  const lasted = ((call.endedAt - call.startedAt) / 1000).toFixed(1)
  const way = `${call.client}, ${call.kind} after ${lasted} s, by ${enteredBy(call, fleet).join(' and ') || '?'}, owner ${owners.get(call.user) ?? '?'}`
  return `${call.operation} of ${call.user} at ${at} s (${way}): ${(call.words ?? '').slice(0, 200)}`
}

function count(failed) {
  const counts = { refused: 0, unknown: 0, broken: 0, unserved: 0, wrong: 0 }
  for (const { kind } of failed) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
