// Measures the overhead of the sandbox where sandboxed shells were prepared in advance, through the server, as a client sees
// it. scripts/measure-sandbox.mjs measures a sandbox that is not ready.

import { readlinkSync } from 'node:fs'

import { dataOf, expectSuccess, textOf, withShellServers } from './shell-client.mjs'
import { AGENT_GAP_MS, callTrue, callTrueInParallel, takeTurns } from './shell-turns.mjs'

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

const compare = async (server, recordFor, { turns, calls, burst, note }) => {
  // Commands must work without the sandbox; otherwise the build is broken.
  await withShellServers([launchOf(server, 'off')], async ([client]) => expectSuccess(await client.bash('true')))
  const reason = await whyNotSandboxed(server)
  if (reason !== undefined) {
    note(reason)
    return
  }
  const warm = (client) =>
    callTrue(client, { calls, gapMs: AGENT_GAP_MS }, ({ ms }) => recordFor(client.key)('sandboxWarm', ms))
  const backToBack = (client) =>
    callTrue(client, { calls, gapMs: 0 }, ({ ms }) => recordFor(client.key)('sandboxBackToBack', ms))
  const parallel = (client) =>
    callTrueInParallel(client, { calls: burst }, ({ ms }) => recordFor(client.key)('sandboxParallel', ms))
  const launches = LEVELS.map((level) => launchOf(server, level))
  await withShellServers(launches, (clients) => takeTurns(clients, turns, [warm, backToBack, parallel]))
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
  full: { rounds: 3, turns: 5, calls: 20, burst: 80 },
  quick: { rounds: 1, turns: 3, calls: 20, burst: 80 },
}
