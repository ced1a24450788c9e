// What each fault does. `inject` resolves when the fleet is whole again, to figures of its own and limits; `affects` says
// whose calls may fail: those of a machine, all that need the database, or none.

import { setTimeout as sleep } from 'node:timers/promises'

import { callOn } from './checks/jobs.mjs'
import { sendRequest } from './http-client.mjs'
import { classifyAnswer } from './outcome.mjs'
import { hasFaketime } from './requirements.mjs'
import { eventually } from './wait.mjs'

const leaseMs = ({ options }) => options.lease * 1000
/** A machine that is gone is replaced within its lease and a second; a loaded test machine gets two more. */
const takeOverLimit = (fleet) => ({ limitMs: leaseMs(fleet) + 3_000 })
const untilTakenOver = (fleet) => sleep(leaseMs(fleet) + 2_000)

export const FAULTS = {
  'kill -9': {
    async inject({ fleet, victim, others, fault }) {
      const job = await startJobOn(fleet, fault)
      fault.startedAt = Date.now()
      await victim.kill()
      await untilTakenOver(fleet)
      try {
        return { ...takeOverLimit(fleet), violations: await jobIsLost(job, victim, others) }
      } finally {
        await restart(victim)
      }
    },
  },
  'power off': {
    async inject({ fleet, victim }) {
      await victim.powerOff()
      await untilTakenOver(fleet)
      await restart(victim)
      return takeOverLimit(fleet)
    },
  },
  'restart with the same host name': {
    async inject({ fleet, victim }) {
      await victim.powerOff()
      await restart(victim)
      await untilTakenOver(fleet)
      return takeOverLimit(fleet)
    },
  },
  SIGSTOP: {
    inject: (given) => freeze(given, 30_000),
  },
  'SIGSTOP, short': {
    inject: (given) => freeze(given, leaseMs(given.fleet) + 4_000),
  },
  'network cut': {
    async inject({ fleet, victim }) {
      victim.cut()
      await sleep(leaseMs(fleet) + 5_000)
      victim.reconnect()
      await victim.untilReady()
      return takeOverLimit(fleet)
    },
  },
  'cut from the database': {
    async inject({ fleet, victim }) {
      victim.loseRouteTo(...fleet.database.addresses)
      await sleep(leaseMs(fleet) + 5_000)
      const violations = (await victim.isReady()) ? [`${victim.name} is ready without the database`] : []
      victim.restoreRouteTo(...fleet.database.addresses)
      await victim.untilReady()
      return { ...takeOverLimit(fleet), violations }
    },
  },
  'database restarted': {
    affects: 'database',
    async inject({ fleet }) {
      await fleet.database.stop()
      await fleet.database.start()
      return { ...(await databaseIsBack(fleet)), limitMs: 2_000 }
    },
  },
  'database crashed': {
    affects: 'database',
    async inject({ fleet }) {
      await fleet.database.stop('SIGQUIT')
      await fleet.database.start()
      return { ...(await databaseIsBack(fleet)), limitMs: 2_000 }
    },
  },
  'database away 30 s': {
    affects: 'database',
    async inject({ fleet }) {
      await fleet.database.stop()
      await sleep(30_000)
      await fleet.database.start()
      return { ...(await databaseIsBack(fleet)), limitMs: 4_000 }
    },
  },
  'database unreachable 30 s': {
    affects: 'database',
    async inject({ fleet }) {
      fleet.database.cut()
      await sleep(30_000)
      fleet.database.reconnect()
      const back = await databaseIsBack(fleet)
      // Connections that were cut in the middle of a query are given up after five seconds.
      return { ...back, endedAt: back.endedAt + 6_000, limitMs: 6_000 }
    },
  },
  'machine gone, local files': {
    files: 'local',
    async inject({ fleet, victim, others, fault }) {
      await victim.powerOff()
      await untilTakenOver(fleet)
      const violations = await filesAreHeld(fleet, fault, others)
      await restart(victim)
      return { countsFrom: Date.now(), limitMs: 3_000, violations }
    },
  },
  'stopped and started, local files': {
    files: 'local',
    async inject({ fleet, victim, others, fault }) {
      const code = await victim.stop()
      const violations = await filesAreHeld(fleet, fault, others)
      if (code !== 0) violations.push(`${victim.name} ended with ${code} instead of 0`)
      await restart(victim)
      return { countsFrom: Date.now(), limitMs: 3_000, violations }
    },
  },
  'database away 15 s, local files': {
    files: 'local',
    affects: 'database',
    async inject({ fleet, fault }) {
      const job = await startJobOn(fleet, fault)
      fault.startedAt = Date.now()
      await fleet.database.stop()
      await sleep(15_000)
      await fleet.database.start()
      const back = await databaseIsBack(fleet)
      const { text } = await callOn({ url: fleet.url }, job.user, 'ReadBgOutput', { task_id: job.number, tail: 3 })
      const violations = /is running/.test(text) ? [] : [`the job did not go on: ${text}`]
      return { ...back, limitMs: 4_000, violations }
    },
  },
  'clocks 1 h apart': {
    affects: 'none',
    sessionsMayEnd: false,
    writers: false,
    async inject({ fleet }) {
      if (!hasFaketime()) throw new Error('apt-get install faketime')
      const [first, second] = fleet.machines
      first.setClock('+1h')
      second?.setClock('-1h')
      await rollingRestart(fleet)
      await sleep(leaseMs(fleet) * 2)
      first.setClock('')
      second?.setClock('')
      await rollingRestart(fleet)
      return {}
    },
  },
  'rolling restart, 8-s calls': rolling(8, 0.3),
  'rolling restart, 60-s calls': rolling(60, 0.1),
  'database failover: kill': failover((database) => database.killPrimary()),
  'database failover: cut': failover((database) => database.cutPrimary()),
  'database failover: split': failover((database) => database.splitPrimary()),
}

function rolling(sleepSeconds, slow) {
  return {
    affects: 'none',
    sessionsMayEnd: false,
    writers: false,
    options: { slow, sleepSeconds },
    async inject({ fleet }) {
      const { seconds, codes } = await rollingRestart(fleet)
      const bad = codes.filter((code) => code !== 0)
      return {
        figures: { 'restart s': seconds },
        violations: bad.map((code) => `a machine ended with ${code} instead of 0`),
      }
    },
  }
}

function failover(inject) {
  return {
    affects: 'database',
    writers: false,
    async inject({ fleet }) {
      const { acceptedAt, repair } = await inject(fleet.database)
      await sleep(5_000)
      await repair()
      return { countsFrom: acceptedAt, endedAt: acceptedAt + 4_000, limitMs: 2_000, allUnready: true }
    },
  }
}

/** A job of a user whose workspace belongs to the machine that will fail. */
async function startJobOn(fleet, { victim, owners }) {
  const user = fleet.users.find(({ name }) => owners.get(name) === victim.name) ?? fleet.users[0]
  const { result, text } = await callOn({ url: fleet.url }, user, 'BackgroundBash', {
    command: 'echo begun; sleep 600',
  })
  const number = result?._meta?.['io.github.scorpiox/result']?.task_id
  if (number === undefined) throw new Error(`no job could be started: ${text}`)
  return { user, number }
}

/** Every other machine must say so, and name the machine. */
async function jobIsLost({ user, number }, victim, others) {
  const answers = await Promise.all(
    others.map(async (machine) => ({ machine, ...(await readUntilServed(machine, user, number)) })),
  )
  return answers
    .filter(({ text }) => !/lost/i.test(text) || !text.includes(victim.name))
    .map(({ machine, text }) => `${machine.name} about job ${number} of ${victim.name}: ${text.slice(0, 200)}`)
}

/** A machine under load refuses for lack of connections. */
function readUntilServed(machine, user, number) {
  const read = () => callOn(machine, user, 'ReadBgOutput', { task_id: number })
  return eventually(`a machine answers about job ${number}`, read, {
    pollMs: 1_000,
    fits: (answer) => classifyAnswer(answer).kind !== 'busy',
  })
}

async function filesAreHeld(fleet, { victim, owners }, others) {
  const user = fleet.users.find(({ name }) => owners.get(name) === victim.name)
  if (user === undefined) return [`no workspace belongs to ${victim.name}`]
  const answers = await Promise.all(
    others.map(async (machine) => ({
      machine,
      ...(await callOn(machine, user, 'Bash', { command: 'echo taken over' })),
    })),
  )
  return answers
    .filter(({ text }) => !text.includes(victim.name) || !/silent since/.test(text))
    .map(({ machine, status, text }) => `${machine.name} for a user of ${victim.name}: ${status} ${text.slice(0, 200)}`)
}

async function freeze({ fleet, victim }, ms) {
  victim.freeze()
  await sleep(ms)
  victim.resume()
  await victim.untilReady()
  return takeOverLimit(fleet)
}

async function restart(machine) {
  await machine.start()
  await machine.untilReady()
}

/** One after the other, as an operator would: stop, wait until it has ended, start, wait until it is ready. */
export async function rollingRestart({ machines }) {
  const startedAt = Date.now()
  const codes = []
  for (const machine of machines) {
    codes.push(await machine.stop())
    await restart(machine)
    // HAProxy looks twice a second.
    await sleep(1_000)
  }
  return { seconds: Math.round((Date.now() - startedAt) / 1000), codes }
}

/** Machines may be unready while the database is away; then HAProxy has none to send a call to. */
async function databaseIsBack(fleet) {
  const backAt = Date.now()
  const isReady = async () =>
    (await sendRequest(fleet.url, { method: 'GET', path: '/readyz', limitMs: 2_000 })).status === 200
  await eventually('a machine is ready again', isReady)
  return { countsFrom: backAt, endedAt: Date.now() + 2_000, allUnready: true }
}
