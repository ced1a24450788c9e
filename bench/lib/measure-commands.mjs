// What the shortest command costs: the whole call `Bash true` beside a bare spawn, and again in a server that holds
// much else, since Node forks itself for each spawn and pays for every page it has.

import { dataOf, withShellServers } from './shell-client.mjs'
import { AGENT_GAP_MS, callTrue, callTrueInParallel, takeTurns } from './shell-turns.mjs'
import { BALLAST } from './subjects.mjs'
import { cpuMillisecondsWithChildren, residentMebibytes } from './system.mjs'

const PACES = [
  { row: 'truePaced', gapMs: AGENT_GAP_MS },
  { row: 'trueBackToBack', gapMs: 0 },
]

const withBallast = ([node, ...args]) => [node, '--require', BALLAST, ...args]

const launchesOf = ({ key, shell }) =>
  key === 'server'
    ? [
        { key, command: shell },
        { key: 'loaded', command: withBallast(shell) },
      ]
    : [{ key, command: shell }]

/** Adds up what the server and its children take, because a turn is short and children are counted in ticks. */
const createCpuMeter = () => {
  const totals = new Map()
  return {
    async during({ key, pid }, row, work) {
      const before = cpuMillisecondsWithChildren(pid)
      const calls = await work()
      const after = cpuMillisecondsWithChildren(pid)
      const total = totals.get(`${row} ${key}`) ?? { row, key, ms: 0, calls: 0 }
      totals.set(`${row} ${key}`, { ...total, ms: total.ms + after - before, calls: total.calls + calls })
      if (after === null) totals.clear()
    },
    record(recordFor) {
      for (const { row, key, ms, calls } of totals.values()) recordFor(key)(`${row}Cpu`, ms / calls)
    },
  }
}

const commandsRound = async (subjects, recordFor, { turns, calls, burst, leave }) => {
  const meter = createCpuMeter()
  const paced = PACES.map(({ row, gapMs }) => (client) => {
    const record = recordFor(client.key)
    const recordSpawn = recordFor('spawn')
    return meter.during(client, row, () =>
      callTrue(client, { calls, gapMs }, ({ ms, result }) => {
        record(row, ms)
        if (client.key === 'bare') recordSpawn(row, dataOf({ result }).spawnMs)
      }),
    )
  })
  const parallel = (client) =>
    meter.during(client, 'trueParallel', async () => {
      const record = recordFor(client.key)
      record(
        'trueParallelRate',
        await callTrueInParallel(client, { calls: burst }, ({ ms }) => record('trueParallel', ms)),
      )
      return burst
    })
  const kinds = [...paced, parallel]
  try {
    await withShellServers(subjects.flatMap(launchesOf), async (clients) => {
      await takeTurns(clients, turns, kinds)
      for (const { key, pid } of clients) recordFor(key)('trueRss', residentMebibytes(pid))
      meter.record(recordFor)
    })
  } catch (error) {
    // They are measured together or not at all; the message names the one that broke.
    for (const subject of subjects) leave(subject, error)
  }
}

export const commandsPhase = {
  name: 'commands',
  subjects: ['bare', 'server'],
  over: 'shell',
  round: commandsRound,
  full: { rounds: 3, turns: 5, calls: 20, burst: 80 },
  quick: { rounds: 1, turns: 3, calls: 20, burst: 80 },
}
