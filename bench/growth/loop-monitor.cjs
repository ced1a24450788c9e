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

globalThis.benchLoop = {
  reset() {
    longest = { ms: 0, cpuMs: 0 }
    last = { at: performance.now(), cpu: cpuMs() }
  },
  read: () =>
    JSON.stringify({ ...longest, totalCpuMs: process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3 }),
}
