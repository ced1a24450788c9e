// What the sandbox adds to a command. Warm: a shell was made ready in its cage while nobody waited. Cold: none is ready.
// Two calls at once use up the one that is, so the slower of them has waited for a cage to be built. That is what a
// client waits for, where running the cage's program by hand would leave out the server's part of it.

import { readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { dataOf, expectSuccess, textOf, visitShells } from './shell-client.mjs'
import { AGENT_GAP_MS, callTrue, takeTurns } from './shell-turns.mjs'

// One more than are kept ready.
const AT_ONCE = 2
// Until another is ready, and what was used has been cleaned away.
const RECOVERY_MS = 60

const MOUNTS = '/proc/self/ns/mnt'
const LEVELS = ['off', 'workspace']

const launchOf = ({ shell }, level) => ({ key: level, command: shell, env: { SANDBOX: level } })

/** Why commands of such a server run in no cage; undefined when they do. Not every build that is told to cage does so. */
const whyNotCaged = async (server) => {
  if (process.platform !== 'linux') return 'the sandbox needs Linux'
  try {
    const answer = await visitShells([launchOf(server, 'workspace')], ([client]) => client.bash(`readlink ${MOUNTS}`))
    if (dataOf(answer)?.exitCode !== 0) return textOf(answer)
    const isOurs = textOf(answer).trim() === readlinkSync(MOUNTS)
    return isOurs ? 'with SANDBOX=workspace, commands of this build run outside of any sandbox' : undefined
  } catch (error) {
    return error.message
  }
}

const callCold = async (client, bursts, record) => {
  for (let number = 0; number < bursts; number++) {
    await sleep(RECOVERY_MS)
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => client.bash('true')))
    record('cageCold', Math.max(...answers.map((answer) => expectSuccess(answer).ms)))
  }
}

const compare = async (server, recordFor, { turns, calls, bursts, note }) => {
  // A build that cannot even do without is broken; only of one that works may it be said that it has no sandbox.
  await visitShells([launchOf(server, 'off')], async ([client]) => expectSuccess(await client.bash('true')))
  const reason = await whyNotCaged(server)
  if (reason !== undefined) {
    note(reason)
    return
  }
  const warm = (client) =>
    callTrue(client, { calls, gapMs: AGENT_GAP_MS }, ({ ms }) => recordFor(client.key)('cageWarm', ms))
  const cold = (client) => callCold(client, bursts, recordFor(client.key))
  const launches = LEVELS.map((level) => launchOf(server, level))
  await visitShells(launches, (clients) => takeTurns(clients, turns, [warm, cold]))
}

const cagesRound = async (subjects, recordFor, { leave, ...settings }) => {
  for (const server of subjects) {
    try {
      await compare(server, recordFor, settings)
    } catch (error) {
      leave(server, error)
    }
  }
}

export const cagesPhase = {
  name: 'cages',
  subjects: ['server'],
  over: 'shell',
  round: cagesRound,
  full: { rounds: 3, turns: 5, calls: 20, bursts: 10 },
  quick: { rounds: 1, turns: 3, calls: 20, bursts: 7 },
}
