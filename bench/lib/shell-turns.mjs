// Several servers take turns of a few calls each, so that a noisy moment of the machine falls on all of them alike.

import { setTimeout as sleep } from 'node:timers/promises'

import { expectSuccess } from './shell-client.mjs'

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

/** One call after the other; `onAnswer` gets each but the first few. */
export const callTrue = async (client, { calls, gapMs }, onAnswer) => {
  for (let number = -LEAD_CALLS; number < calls; number++) {
    if (gapMs > 0) await sleep(gapMs)
    const answer = expectSuccess(await client.bash('true'))
    if (number >= 0) onAnswer(answer)
  }
}
