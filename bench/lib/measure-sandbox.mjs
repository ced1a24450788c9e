// Measures the overhead of the sandbox. Warm: a sandboxed shell was prepared in advance. Cold: none is ready. Two calls at once use
// up the prepared one, so the slower of them waits until a sandbox is built. Measured through the server, as a client sees it.

import { readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { dataOf, expectSuccess, textOf, withShellServers } from './shell-client.mjs'
import { AGENT_GAP_MS, callTrue, takeTurns } from './shell-turns.mjs'

// One more than are kept ready.
const AT_ONCE = 2
// Until another is ready, and what was used has been cleaned away.
const RECOVERY_MS = 60

const MOUNTS = '/proc/self/ns/mnt'
const LEVELS = ['off', 'workspace']

const launchOf = ({ shell }, level) => ({ key: level, command: shell, env: { SANDBOX: level } })

/** Why commands of this server run outside of the sandbox; undefined if they run in it. */
const whyNotSandboxed = async (server) => {
  if (process.platform !== 'linux') return 'the sandbox needs Linux'
  try {
    const answer = await withShellServers([launchOf(server, 'workspace')], ([client]) =>
      client.bash(`readlink ${MOUNTS}`),
    )
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
    record('sandboxCold', Math.max(...answers.map((answer) => expectSuccess(answer).ms)))
  }
}

const compare = async (server, recordFor, { turns, calls, bursts, note }) => {
  // Commands must work without the sandbox; otherwise the build is broken.
  await withShellServers([launchOf(server, 'off')], async ([client]) => expectSuccess(await client.bash('true')))
  const reason = await whyNotSandboxed(server)
  if (reason !== undefined) {
    note(reason)
    return
  }
  const warm = (client) =>
    callTrue(client, { calls, gapMs: AGENT_GAP_MS }, ({ ms }) => recordFor(client.key)('sandboxWarm', ms))
  const cold = (client) => callCold(client, bursts, recordFor(client.key))
  const launches = LEVELS.map((level) => launchOf(server, level))
  await withShellServers(launches, (clients) => takeTurns(clients, turns, [warm, cold]))
}

const sandboxRound = async (subjects, recordFor, { leave, ...settings }) => {
  for (const server of subjects) {
    try {
      await compare(server, recordFor, settings)
    } catch (error) {
      leave(server, error)
    }
  }
}

export const sandboxPhase = {
  name: 'sandbox',
  subjects: ['server'],
  over: 'shell',
  round: sandboxRound,
  full: { rounds: 3, turns: 5, calls: 20, bursts: 10 },
  quick: { rounds: 1, turns: 3, calls: 20, bursts: 7 },
}
