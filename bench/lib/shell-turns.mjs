// Several servers take turns of a few calls each, so that a noisy moment of the machine falls on all of them alike.

import { setTimeout as sleep } from 'node:timers/promises'

import { expectSuccess } from './shell-client.mjs'

// What a client sends that has several calls under way.
const AT_ONCE = 8

// An agent thinks between its calls; a program that calls does not.
export const AGENT_GAP_MS = 10

const WARM_UP_CALLS = 30
// While the others had their turns, this one's memory went cold.
const LEAD_CALLS = 2

const rotate = (items, by) => items.map((_, index) => items[(index + by) % items.length])

/** Lets every client have `turns` turns of each kind; a kind is a function of the client. */
export const takeTurns = async (clients, turns, kinds) => {
  for (const client of clients) await callTrue(client, { calls: WARM_UP_CALLS, gapMs: 0 }, () => {})
  for (let number = 0; number < turns; number++) {
    for (const kind of kinds) for (const client of rotate(clients, number)) await kind(client)
  }
}

/** One call after the other; `onAnswer` gets each but the first few. Resolves to the number of calls. */
export const callTrue = async (client, { calls, gapMs }, onAnswer) => {
  for (let number = -LEAD_CALLS; number < calls; number++) {
    if (gapMs > 0) await sleep(gapMs)
    const answer = expectSuccess(await client.bash('true'))
    if (number >= 0) onAnswer(answer)
  }
  return calls + LEAD_CALLS
}

/**
 * Keeps several calls under way; `onAnswer` gets each. Resolves to the commands per second. The first of them find as many
 * shells ready as the last turn left.
 */
export const callTrueInParallel = async (client, { calls }, onAnswer) => {
  let remaining = calls
  const startedAt = performance.now()
  const callNext = async () => {
    while (remaining-- > 0) onAnswer(expectSuccess(await client.bash('true')))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, callNext))
  return calls / ((performance.now() - startedAt) / 1000)
}
