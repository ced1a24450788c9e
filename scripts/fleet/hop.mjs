// The cost of forwarding: the same request sent to the owner of a workspace and to another machine, in turn, so that both
// see the same load.

import { ownersOf } from './audit.mjs'
import { callOn } from './checks/jobs.mjs'
import { message } from './clients.mjs'
import { sendRequest } from './http-client.mjs'

const ROUNDS = 600
const WARM_UP = 60
const PING = { body: message('ping'), headers: { 'mcp-protocol-version': '2025-06-18' } }
const [LIMIT_P50_MS, LIMIT_P99_MS] = [1.5, 10]

/** Resolves to a row of the report. The limits hold on an idle test machine only. */
export async function measureHop(fleet) {
  const [user] = fleet.users
  await callOn({ url: fleet.url }, user, 'Bash', { command: 'true' })
  const owners = await ownersOf(fleet.sql)
  const owner = fleet.machines.find(({ name }) => name === owners.get(user.name))
  const other = fleet.machines.find((machine) => machine !== owner)
  if (!owner || !other) return { violations: ['there is no owner and another machine'] }
  const times = { direct: [], forwarded: [] }
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    for (const [way, machine] of Object.entries({ direct: owner, forwarded: other })) {
      const startedAt = performance.now()
      await sendRequest(machine.url, { token: user.token, ...PING })
      if (round >= WARM_UP) times[way].push(performance.now() - startedAt)
    }
    // The rate limit of a user.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const cost = (share) => at(times.forwarded, share) - at(times.direct, share)
  const [p50, p99] = [cost(0.5), cost(0.99)]
  return {
    figures: {
      'direct p50 ms': at(times.direct, 0.5).toFixed(2),
      'hop p50 ms': p50.toFixed(2),
      'hop p99 ms': p99.toFixed(2),
    },
    violations: [
      ...(p50 > LIMIT_P50_MS ? [`the hop costs ${p50.toFixed(2)} ms at p50, not ${LIMIT_P50_MS}`] : []),
      ...(p99 > LIMIT_P99_MS ? [`the hop costs ${p99.toFixed(2)} ms at p99, not ${LIMIT_P99_MS}`] : []),
    ],
  }
}

function at(times, share) {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? 0
}
