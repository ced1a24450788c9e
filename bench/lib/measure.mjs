// The measurements. Each starts a fresh process of one subject, warms it up and records a few figures.
// `runPhase` interleaves the subjects, so that a slow minute of the machine falls on every subject alike.

import { setTimeout as sleep } from 'node:timers/promises'

import { runToExit, withServer } from './driver.mjs'
import { sandboxPhase } from './measure-sandbox.mjs'
import { commandsPhase } from './measure-commands.mjs'
import { crowdPhase } from './measure-concurrency.mjs'
import { documentsPhase } from './measure-documents.mjs'
import { floodPhase } from './measure-large-output.mjs'
import { HTTP_PHASES } from './measure-http.mjs'
import { httpStartPhase } from './measure-http-start.mjs'
import {
  callEcho,
  expectEcho,
  expectFirstAndLastEcho,
  expectResult,
  initialize,
  initialized,
  largeCall,
  listTools,
  listToolsModern,
  smallCalls,
} from './messages.mjs'
import { imagesPhase } from './measure-images.mjs'
import { pagesPhase } from './measure-pages.mjs'
import { peoplePhase } from './measure-questions.mjs'
import { searchPhase } from './measure-search.mjs'
import { statePhase } from './measure-state.mjs'
import { NODE_ALONE } from './subjects.mjs'
import { cpuMilliseconds, peakMebibytes, pinToOneCore, residentMebibytes, twoCores } from './system.mjs'

const WARM_UP_CALLS = 5_000
const IN_FLIGHT = 1024
const LARGE_BYTES = 10_000_000
const LARGE_WARM_UP = 2
/** The server loads more after its first answers. */
const SETTLE_MS = 5_000
/** It writes its code cache then, too. */
const FIRST_START_MS = 1_500

const open = async (connection) => {
  const answer = await connection.request(initialize)
  expectResult(answer.reply, 'serverInfo')
  connection.send(initialized)
  return answer
}

const list = async (connection, message = listTools) => {
  const answer = await connection.request(message)
  return { ...answer, tools: expectResult(answer.reply, 'tools') }
}

const startUp = (subject, record) =>
  withServer(subject.command, async (connection) => {
    const started = (await open(connection)).at - connection.startedAt
    record('initialize', started)
    if (subject.key === 'executable' || subject.key.startsWith('bare')) record('executable', started)
    record('toolsList', (await list(connection)).at - connection.startedAt)
    if (subject.key === 'server' || subject.key === 'executable') return
    const calledAt = performance.now()
    const { reply, at } = await connection.request(callEcho(3))
    expectEcho(JSON.stringify(reply))
    record('firstCall', at - calledAt)
  })

/** The first start of a user makes what later ones are measured with. */
const startOnce = async (subject) =>
  withServer(subject.command, async (connection) => {
    await open(connection)
    await list(connection)
    await sleep(FIRST_START_MS)
  })

const startNode = async (record) => record('nodeAlone', await runToExit(NODE_ALONE))

const idleMemory = (subject, record) =>
  withServer(subject.command, async (connection) => {
    await open(connection)
    await list(connection)
    await sleep(SETTLE_MS)
    record('idleMemory', residentMebibytes(connection.pid))
  })

const perCall = (connection, before, calls) => {
  const after = cpuMilliseconds(connection.pid)
  return after === null ? null : ((after - before) * 1000) / calls
}

const percentile50 = (values) => values.toSorted()[values.length >> 1]

const sequential =
  (row) =>
  (subject, record, { calls: count }) =>
    withServer(subject.command, async (connection) => {
      await open(connection)
      const calls = smallCalls()
      await connection.sequence(calls, WARM_UP_CALLS)
      const before = cpuMilliseconds(connection.pid)
      const result = await connection.sequence(calls, count)
      record(`${row}Cpu`, perCall(connection, before, count))
      record(row, percentile50(result.ms) * 1000)
      expectFirstAndLastEcho(result)
    })

const pipelined = (subject, record, { ms }) =>
  withServer(subject.command, async (connection) => {
    await open(connection)
    const calls = smallCalls()
    await connection.flood(calls, IN_FLIGHT, (answered) => answered >= WARM_UP_CALLS)
    const before = cpuMilliseconds(connection.pid)
    const endsAt = performance.now() + ms
    const result = await connection.flood(calls, IN_FLIGHT, () => performance.now() >= endsAt)
    record('pipelinedCpu', perCall(connection, before, result.answered))
    record('pipelined', result.answered / (result.ms / 1000))
    record('peakMemory', peakMebibytes(connection.pid))
    expectFirstAndLastEcho(result)
  })

const large = (subject, record, { echoes }) =>
  withServer(subject.command, async (connection) => {
    await open(connection)
    const call = largeCall(LARGE_BYTES)
    const last = LARGE_WARM_UP + echoes - 1
    for (let number = 0; number <= last; number++) {
      const { ms, pieces } = await connection.exchange(call.line(number))
      // The text counts once, though it travels there and back.
      if (number >= LARGE_WARM_UP) record('large', LARGE_BYTES / 1e6 / (ms / 1000))
      if (number === 0 || number === last) expectEcho(Buffer.concat(pieces).toString(), call.text)
    }
  })

const sizes = ({ bytes, tools, reply }) => {
  if (reply.result.nextCursor !== undefined) throw new Error('tools/list comes in pages, which are not counted')
  return { bytes, tools: tools.map((tool) => ({ name: tool.name, bytes: Buffer.byteLength(JSON.stringify(tool)) })) }
}

const listBytes = async (subject, record) => {
  await withServer(subject.command, async (connection) => {
    await open(connection)
    record('bytes', { revision: '2025-11-25', ...sizes(await list(connection)) })
  })
  await withServer(subject.command, async (connection) => {
    record('bytes', { revision: '2026-07-28', ...sizes(await list(connection, listToolsModern)) })
  })
}

export const PHASES = [
  {
    name: 'startup',
    subjects: ['bare', 'bareCjs', 'sdk', 'echo', 'server', 'executable'],
    measure: startUp,
    prepare: startOnce,
    everyRound: startNode,
    // The first round reads the files from disk.
    discardFirst: true,
    full: { rounds: 41 },
    quick: { rounds: 8 },
  },
  {
    name: 'memory',
    subjects: ['bare', 'bareCjs', 'sdk', 'echo', 'server', 'executable'],
    measure: idleMemory,
    prepare: startOnce,
    full: { rounds: 3 },
    quick: { rounds: 1 },
  },
  {
    name: 'pinned',
    subjects: ['bare', 'sdk', 'echo'],
    measure: sequential('pinned'),
    pinned: true,
    full: { rounds: 11, calls: 10_000 },
    quick: { rounds: 3, calls: 5_000 },
  },
  {
    name: 'sequential',
    subjects: ['bare', 'sdk', 'echo'],
    measure: sequential('sequential'),
    full: { rounds: 11, calls: 5_000 },
    quick: { rounds: 3, calls: 2_000 },
  },
  {
    name: 'pipelined',
    subjects: ['bare', 'sdk', 'echo'],
    measure: pipelined,
    full: { rounds: 11, ms: 800 },
    quick: { rounds: 3, ms: 400 },
  },
  {
    name: 'large',
    subjects: ['bare', 'sdk', 'echo'],
    measure: large,
    full: { rounds: 7, echoes: 5 },
    quick: { rounds: 2, echoes: 3 },
  },
  { name: 'bytes', subjects: ['server'], measure: listBytes, full: { rounds: 1 }, quick: { rounds: 1 } },
  httpStartPhase,
  ...HTTP_PHASES,
  commandsPhase,
  floodPhase,
  crowdPhase,
  sandboxPhase,
  statePhase,
  peoplePhase,
  documentsPhase,
  imagesPhase,
  searchPhase,
  pagesPhase,
]

const rotate = (items, by) => items.map((_, index) => items[(index + by) % items.length])

const measureEach = async ({ measure }, subjects, recordFor, { leave, ...settings }) => {
  for (const subject of subjects) {
    try {
      await measure(subject, recordFor(subject.key), settings)
    } catch (error) {
      leave(subject, error)
    }
  }
}

/**
 * Runs one phase; samples go to `samples[row][subject]`. A subject that fails is named and leaves the phase; what this
 * machine or build cannot do is noted.
 */
export const runPhase = async (phase, subjects, { quick, samples, problems, notes }) => {
  const settings = quick ? phase.quick : phase.full
  let taking = subjects.filter((subject) => phase.subjects.includes(subject.key) && subject[phase.over ?? 'command'])
  const unpin = phase.pinned ? pinToOneCore() : () => {}
  if (unpin === null || (phase.apart && twoCores() === null)) {
    process.stderr.write(`${phase.name}: skipped, it needs ${phase.pinned ? '' : 'two cores and '}taskset\n`)
    return
  }
  const note = (reason) => {
    const text = `${phase.name}: not measured: ${reason}`
    if (!notes.includes(text)) notes.push(text)
  }
  const leave = (subject, error) => {
    problems.push(`${subject.title}: left out of "${phase.name}", ${error.message}`)
    taking = taking.filter((other) => other !== subject)
  }
  try {
    if (phase.prepare !== undefined)
      for (const subject of taking) await phase.prepare(subject).catch((error) => leave(subject, error))
    for (let round = 0; round < settings.rounds; round++) {
      const keep = !(phase.discardFirst && round === 0)
      const recordFor = (key) => (row, value) => {
        if (keep && value !== null) ((samples[row] ??= {})[key] ??= []).push(value)
      }
      await phase.everyRound?.(recordFor('node'))
      const order = rotate(taking, round)
      if (phase.round === undefined) await measureEach(phase, order, recordFor, { ...settings, leave })
      else await phase.round(order, recordFor, { ...settings, leave, note })
    }
  } finally {
    unpin()
  }
}
