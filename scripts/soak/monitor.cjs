// Loaded into the server under test by NODE_OPTIONS: writes its heap and the delay of its event loop to MONITOR_FILE, once
// every MONITOR_MS. Processes that the server starts inherit the variable and are left alone.

if (process.argv.includes('serve') && process.env.MONITOR_FILE) {
  const { renameSync, writeFileSync } = require('node:fs')
  const { monitorEventLoopDelay } = require('node:perf_hooks')
  const file = process.env.MONITOR_FILE
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const write = () => {
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
    // The histogram has the interval itself in each value.
    const figures = {
      heapUsed,
      heapTotal,
      external,
      arrayBuffers,
      delayP99: delay.percentile(99) / 1e6 - 20,
      delayMax: delay.max / 1e6 - 20,
    }
    delay.reset()
    writeFileSync(`${file}.new`, JSON.stringify(figures))
    renameSync(`${file}.new`, file)
  }
  setInterval(write, Number(process.env.MONITOR_MS ?? 10_000)).unref()
}
