// Terminals that print 1 MB/s each, all read every second: what was lost, how long a ping takes, memory and processor time, beside the same
// server with terminals that are silent. `npm run bench:terminals-load -- [terminals] [seconds]`

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { startServer } from './lib/terminal-server.mjs'

const TERMINALS = Number(process.argv[2] ?? 50)
const SECONDS = Number(process.argv[3] ?? 20)
const BLOCKS_PER_SECOND = 10
const BLOCK_BYTES = 100_000
const LINE = 'x'.repeat(98)
const LINES = BLOCK_BYTES / 100
const PING_MS = 20

const idle = await measure('silent', silentCommand())
const busy = await measure('printing', printingCommand())
console.log(
  `ping p99: ${busy.p99.toFixed(1)} ms, ${(busy.p99 / idle.p99).toFixed(1)} times that beside silent terminals`,
)
const isComplete = busy.lost === 0 && busy.missingBlocks === 0
console.log(isComplete ? 'nothing was lost' : `LOST: ${busy.lost} bytes, ${busy.missingBlocks} blocks`)
process.exitCode = isComplete ? 0 : 1

function silentCommand() {
  return `read -rt ${SECONDS} _; echo over; read -r _`
}

/** A shell would write each line on its own, and need more time than everything else. */
function printingCommand() {
  const count = SECONDS * BLOCKS_PER_SECOND
  const program = [
    'import os, time',
    `block = b"${LINE}\\n" * ${LINES - 1}`,
    'start = time.monotonic()',
    'def put(data):',
    '    while data: data = data[os.write(1, data):]',
    `for n in range(${count}):`,
    '    put(b"block %d\\n" % n + block)',
    `    time.sleep(max(0, start + (n + 1) / ${BLOCKS_PER_SECOND} - time.monotonic()))`,
    'put(b"over\\n")',
  ]
  return `python3 -c '${program.join('\n')}'; read -r _`
}

async function measure(name, command) {
  const server = await startServer()
  const ids = await Promise.all(
    Array.from({ length: TERMINALS }, async () => (await server.call('BackgroundBash', { command, tty: true })).id),
  )
  const pings = []
  const memory = []
  const done = new AbortController()
  const pinging = (async () => {
    while (!done.signal.aborted) {
      const startedAt = performance.now()
      await server.request('ping', {})
      pings.push(performance.now() - startedAt)
      await sleep(PING_MS)
    }
  })()
  const startedAt = performance.now()
  const sampling = (async () => {
    for (; !done.signal.aborted; await sleep(1000)) memory.push(readMemory(server.pid))
  })()
  const readings = await Promise.all(ids.map((id, index) => readAll(server, id, index % 2 === 0)))
  const seconds = (performance.now() - startedAt) / 1000
  const processorSeconds = readProcessorSeconds(server.pid)
  done.abort()
  await Promise.all([pinging, sampling])
  server.close()
  await server.exited
  const result = summarize(readings, pings)
  console.log(
    `${name}: ${TERMINALS} terminals, ${seconds.toFixed(1)} s, ${((2 * result.bytes) / 1e6 / seconds).toFixed(1)} MB/s; ` +
      `ping p50 ${quantile(pings, 0.5).toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms of ${pings.length}; ` +
      `processor ${processorSeconds.toFixed(1)} s; ` +
      `memory ${memory.filter((_, index) => index % Math.ceil(memory.length / 10) === 0).join(', ')} MB`,
  )
  return result
}

/** Every second: of one half of the terminals the new lines that begin a block, of the other everything that is new. */
async function readAll(server, id, hasPattern) {
  const blocks = []
  let bytes = 0
  for (let text = ''; !/^over$/m.test(text);) {
    await sleep(1000)
    const result = await server.call('ReadBgOutput', {
      task_id: id,
      ...(hasPattern && { pattern: '^(block \\d+|over)$' }),
    })
    text = result.text
    bytes += result.data.bytes ?? 0
    blocks.push(...[...text.matchAll(/^block (\d+)$/gm)].map(([, number]) => Number(number)))
  }
  return { hasPattern, bytes, blocks }
}

function summarize(readings, pings) {
  const count = SECONDS * BLOCKS_PER_SECOND
  // The terminal ends each line with two characters.
  const digits = Array.from({ length: count }, (_, number) => String(number).length).reduce((sum, one) => sum + one, 0)
  const expected = count * ('block \r\n'.length + (LINES - 1) * (LINE.length + 2)) + digits + 'over\r\n'.length
  const sumOf = (kind, value) => readings.filter(kind).reduce((sum, reading) => sum + value(reading), 0)
  return {
    bytes: sumOf(
      ({ hasPattern }) => !hasPattern,
      ({ bytes }) => bytes,
    ),
    lost: sumOf(
      ({ hasPattern }) => !hasPattern,
      ({ bytes }) => Math.abs(expected - bytes),
    ),
    missingBlocks: sumOf(
      ({ hasPattern }) => hasPattern,
      ({ blocks }) => count - new Set(blocks).size,
    ),
    p99: quantile(pings, 0.99),
  }
}

function readMemory(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

/** In user and system mode, in ticks of 10 ms. */
function readProcessorSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function quantile(times, part) {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * part)]
}
