// A command with a very large output: its time compared with a bare reader of its pipe, the size of the result, the growth of the
// server, and whether it answers other calls meanwhile.

import { setTimeout as sleep } from 'node:timers/promises'

import { dataOf, expectSuccess, withShellServers } from './shell-client.mjs'
import { watchGrowth } from './system.mjs'

const BYTES = 100_000_000
const FLOOD = `yes "$(printf '%099d' 0)" | head -c ${BYTES}`
const PING_EVERY_MS = 5
const SETTLE_MS = 300

const pingDuring = async (client, work) => {
  const pings = []
  const timer = setInterval(() => pings.push(client.ping()), PING_EVERY_MS)
  const done = await work.finally(() => clearInterval(timer))
  return { done, pings: await Promise.all(pings) }
}

const expectAll = (answer) => {
  const { bytes } = dataOf(expectSuccess(answer))
  if (bytes !== undefined && bytes !== BYTES) throw new Error(`${bytes} of ${BYTES} bytes were seen`)
}

// The bare reader's time is that of its spawn alone, without the time of the answer.
const timeOf = ({ ms, result }) => dataOf({ result }).spawnMs ?? ms

const flood = ({ key, shell }, record) =>
  withShellServers([{ key, command: shell }], async ([client]) => {
    expectSuccess(await client.bash('true'))
    await sleep(SETTLE_MS)
    const growth = watchGrowth(client.pid)
    const { done, pings } = await pingDuring(client, client.bash(FLOOD))
    record('floodPeak', growth.peak())
    expectAll(done)
    record('flood', timeOf(done))
    record('floodReply', done.bytes / 1000)
    for (const { ms } of pings) record('floodPing', ms)
    await sleep(SETTLE_MS)
    record('floodAfter', growth.now())
  })

export const floodPhase = {
  name: 'flood',
  subjects: ['bare', 'server'],
  over: 'shell',
  measure: flood,
  full: { rounds: 5 },
  quick: { rounds: 2 },
}
