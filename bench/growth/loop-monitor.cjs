// Preloaded into the server under measurement: records its longest turn of the event loop, in time and, on Linux, in CPU
// time of the main thread, which other load does not change. Read by server.mjs through the debugger.

const { closeSync, openSync, readSync } = require('node:fs')

const buffer = Buffer.alloc(64)
const file = process.platform === 'linux' ? openSync('/proc/thread-self/schedstat') : undefined
process.on('exit', () => file !== undefined && closeSync(file))

function cpuMs() {
  if (file === undefined) return 0
  const length = readSync(file, buffer, 0, buffer.length, 0)
  return Number(buffer.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6
}

let longest = { ms: 0, cpuMs: 0 }
let last = { at: performance.now(), cpu: cpuMs() }
setInterval(() => {
  const now = { at: performance.now(), cpu: cpuMs() }
  longest.ms = Math.max(longest.ms, now.at - last.at - 1)
  longest.cpuMs = Math.max(longest.cpuMs, now.cpu - last.cpu)
  last = now
}, 1).unref()

// With BENCH_CLOCK the clock can be advanced, and what waits for minutes is called every few seconds instead.
if (process.env.BENCH_CLOCK) {
  const MOST_MS = 3000
  let advancedMs = 0
  for (const clock of [Date, performance]) {
    const now = clock.now.bind(clock)
    clock.now = () => now() + advancedMs
  }
  for (const name of ['setTimeout', 'setInterval']) {
    const original = globalThis[name]
    const replaced = (work, ms, ...args) => original(work, ms > 20_000 ? MOST_MS : ms, ...args)
    globalThis[name] = Object.assign(replaced, original)
  }
  globalThis.benchClock = { advance: (ms) => void (advancedMs += ms) }
}

globalThis.benchLoop = {
  reset() {
    longest = { ms: 0, cpuMs: 0 }
    last = { at: performance.now(), cpu: cpuMs() }
  },
  read: () =>
    JSON.stringify({ ...longest, totalCpuMs: process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3 }),
}
