// The measurements over HTTP. Unlike on stdio, all servers of a round are alive at once and get short turns, one after
// the other: a ratio is made of turns a fraction of a second apart, so a noisy minute touches both of its sides alike.

import { setTimeout as sleep } from 'node:timers/promises'

import { withLoad } from './http-processes.mjs'
import { cpuMilliseconds, openFilesLimit, residentMebibytes } from './system.mjs'

const WARM_UP = { connections: 32, ms: 300, calls: 5_000, atMostMs: 3_000 }
const ATTEMPTS = 3
const QUIET_CORES = 0.1
const STREAMS = 10_000
const SPARE_FILES = 200
const SETTLE_MS = 2_000
const IDLE_MS = 1_000
const BROADCASTS = 3

const CALLS = [
  { row: 'httpModern32', era: 'modern', method: 'tools/call', connections: 32 },
  { row: 'httpModern128', era: 'modern', method: 'tools/call', connections: 128 },
  { row: 'httpLegacy32', era: 'legacy', method: 'tools/call', connections: 32 },
  { row: 'httpLegacy128', era: 'legacy', method: 'tools/call', connections: 128 },
  { row: 'httpList', era: 'modern', method: 'tools/list', connections: 32 },
]

// The program has no echo tool.
const takes = ({ key }, { method }) => key !== 'server' || method === 'tools/list'

const rotate = (items, by) => items.map((_, index) => items[(index + by) % items.length])

// A turn that others disturbed is taken again, twice at most, and the quietest counts: chosen by what others did, never
// by what was measured.
const quietestOf = async (run, job) => {
  let quietest
  for (let number = 0; number < ATTEMPTS; number++) {
    const result = await run(job)
    if (quietest === undefined || result.others < quietest.others) quietest = result
    if (quietest.others === null || quietest.others <= QUIET_CORES) break
  }
  return quietest
}

const turn = async (run, { subject, server }, { row, ...load }, ms, recordFor) => {
  const job = { job: 'calls', pid: server.pid, port: server.port, ...load, ms }
  const { calls, ms: elapsed, p50, p99, serverMs, busy } = await quietestOf(run, job)
  const record = recordFor(subject.key)
  record(row, calls / (elapsed / 1000))
  record(`${row}P50`, p50)
  record(`${row}P99`, p99)
  record(`${row}Cpu`, serverMs === null ? null : (serverMs * 1000) / calls)
  record('httpLoad', busy * 100)
}

const launchAll = async ({ launch, run }, subjects, leave) => {
  const guests = []
  for (const subject of subjects) {
    try {
      const server = await launch(subject.http)
      for (const { era, method } of CALLS.filter((load) => load.connections === 32 && takes(subject, load))) {
        await run({ job: 'calls', pid: server.pid, port: server.port, era, method, ...WARM_UP })
      }
      guests.push({ subject, server })
    } catch (error) {
      leave(subject, error)
    }
  }
  return guests
}

const httpRound = (subjects, recordFor, { turns, ms, leave }) =>
  withLoad(async ({ launch, run }) => {
    let guests = await launchAll({ launch, run }, subjects, leave)
    for (let number = 0; number < turns; number++) {
      for (const load of CALLS) {
        for (const guest of rotate(guests, number).filter(({ subject }) => takes(subject, load))) {
          try {
            await turn(run, guest, load, ms, recordFor)
          } catch (error) {
            leave(guest.subject, error)
            guests = guests.filter((other) => other !== guest)
          }
        }
      }
    }
  })

const streamCount = () => Math.min(STREAMS, openFilesLimit() - SPARE_FILES)

const holdStreams = (subject, record, era, row) =>
  withLoad(async ({ launch, run }) => {
    const server = await launch(subject.streams)
    const count = streamCount()
    // A first stream and a first event, so that code loaded for them is not counted as memory of the others.
    await run({ job: 'open', port: server.port, era, count: 10 })
    await run({ job: 'broadcast', port: server.port })
    await run({ job: 'close' })
    await sleep(SETTLE_MS / 4)
    const before = residentMebibytes(server.pid)
    const { ms } = await run({ job: 'open', port: server.port, era, count })
    await sleep(SETTLE_MS - IDLE_MS)
    const cpuBefore = cpuMilliseconds(server.pid)
    await sleep(IDLE_MS)
    const cpu = cpuMilliseconds(server.pid) - cpuBefore
    record(`${row}Idle`, (cpu / IDLE_MS) * 100)
    record(`${row}Kib`, ((residentMebibytes(server.pid) - before) * 1024) / count)
    record(`${row}Open`, ms / 1000)
    for (let number = 0; number < BROADCASTS; number++) {
      const { ms: reachedMs, dropped, repeated } = await run({ job: 'broadcast', port: server.port })
      record(`${row}Reached`, reachedMs / 1000)
      record(`${row}Dropped`, dropped)
      if (repeated > 0) throw new Error(`${repeated} of ${count} streams got the event more than once`)
    }
  })

const streamsRound = async (subjects, recordFor, { leave }) => {
  for (const subject of subjects) {
    const record = recordFor(subject.key)
    try {
      await holdStreams(subject, record, 'modern', 'streamsModern')
      // The SDK's handler has no streams for the legacy era.
      if (subject.key !== 'sdk') await holdStreams(subject, record, 'legacy', 'streamsLegacy')
    } catch (error) {
      leave(subject, error)
    }
  }
}

export const HTTP_PHASES = [
  {
    name: 'http',
    subjects: ['bare', 'sdk', 'echo', 'server'],
    over: 'http',
    apart: true,
    round: httpRound,
    full: { rounds: 3, turns: 7, ms: 250 },
    quick: { rounds: 1, turns: 4, ms: 200 },
  },
  {
    name: 'streams',
    subjects: ['bare', 'sdk', 'echo'],
    over: 'streams',
    apart: true,
    round: streamsRound,
    full: { rounds: 3 },
    quick: { rounds: 1 },
  },
]
