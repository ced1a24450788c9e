// What the shortest command costs: the whole call `Bash true` beside a bare spawn, and again in a server that holds
// much else, since Node forks itself for each spawn and pays for every page it has.

import { dataOf, withShellServers } from './shell-client.mjs'
import { AGENT_GAP_MS, callTrue, takeTurns } from './shell-turns.mjs'
import { BALLAST } from './subjects.mjs'
import { residentMebibytes } from './system.mjs'

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

const commandsRound = async (subjects, recordFor, { turns, calls, leave }) => {
  const kinds = PACES.map(({ row, gapMs }) => (client) => {
    const record = recordFor(client.key)
    const recordSpawn = recordFor('spawn')
    return callTrue(client, { calls, gapMs }, ({ ms, result }) => {
      record(row, ms)
      if (client.key === 'bare') recordSpawn(row, dataOf({ result }).spawnMs)
    })
  })
  try {
    await withShellServers(subjects.flatMap(launchesOf), async (clients) => {
      await takeTurns(clients, turns, kinds)
      for (const { key, pid } of clients) recordFor(key)('trueRss', residentMebibytes(pid))
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
  full: { rounds: 3, turns: 5, calls: 20 },
  quick: { rounds: 1, turns: 3, calls: 20 },
}
