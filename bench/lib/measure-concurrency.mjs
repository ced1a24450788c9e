// Many commands at once: whether each call gets the output of its own command, how long all take together, and by how
// much the server grows. Each group of commands has a fresh server, because memory of an earlier group would hide the growth.

import { setTimeout as sleep } from 'node:timers/promises'

import { dataOf, expectSuccess, textOf, withShellServers } from './shell-client.mjs'
import { watchGrowth } from './system.mjs'

const SETTLE_MS = 300
const THOUSAND_LINES = Array.from({ length: 1000 }, (_, index) => index + 1).join('\n')

const CROWDS = [
  {
    row: 'crowd20',
    count: 20,
    command: (number) => `sleep 1; echo done${number}`,
    output: (number) => `done${number}`,
  },
  { row: 'crowd200', count: 200, command: () => 'sleep 0.5; seq 1 1000', output: () => THOUSAND_LINES },
]

const gather = ({ key, shell }, record, { row, count, command, output }) =>
  withShellServers([{ key, command: shell }], async ([client]) => {
    expectSuccess(await client.bash('true'))
    await sleep(SETTLE_MS)
    const growth = watchGrowth(client.pid)
    const startedAt = performance.now()
    const answers = await Promise.all(Array.from({ length: count }, (_, number) => client.bash(command(number))))
    record(row, (performance.now() - startedAt) / 1000)
    record(`${row}Growth`, growth.peak())
    // The bare loop only counts what it reads.
    if (key === 'bare') return
    const isRight = (answer, number) => dataOf(answer)?.exitCode === 0 && textOf(answer).trimEnd() === output(number)
    record(`${row}Wrong`, answers.filter((answer, number) => !isRight(answer, number)).length)
  })

const crowd = async (subject, record) => {
  for (const each of CROWDS) await gather(subject, record, each)
}

export const crowdPhase = {
  name: 'crowd',
  subjects: ['bare', 'server'],
  over: 'shell',
  measure: crowd,
  full: { rounds: 5 },
  quick: { rounds: 2 },
}
