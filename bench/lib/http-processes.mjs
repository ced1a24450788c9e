// Starts servers on one core and the load generator on another, and sends jobs to it, each one line of JSON.

import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { start } from './start.mjs'
import { twoCores } from './system.mjs'

const START_LIMIT_MS = 10_000
const JOB_LIMIT_MS = 60_000
// The subjects print their port on a line of its own, the server prints its address.
const PORT = /^(\d{1,5})\n|http:\/\/[^/\s]+:(\d{1,5})\//m

const within = (promise, ms, what) => {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} within ${ms / 1000} s`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// Killed without grace; awaited, because its CPU time is added to that of this process only after its exit.
const stopOf = (child) => {
  const gone = new Promise((resolve) => {
    child.once('exit', resolve)
    child.once('error', resolve)
  })
  return () => {
    child.kill('SIGKILL')
    return gone
  }
}

export const startServer = async (command, options = {}) => {
  const child = start(command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const port = new Promise((resolve, reject) => {
    const listen = (chunk) => {
      output = (output + chunk).slice(-2000)
      const [, line, address] = PORT.exec(output) ?? []
      if (line ?? address) resolve(Number(line ?? address))
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('error', reject)
    child.once('close', (code, signal) => reject(new Error(`exited early (${signal ?? code})\n${output}`.trim())))
  })
  const stop = stopOf(child)
  try {
    return { pid: child.pid, port: await within(port, START_LIMIT_MS, 'no port'), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const startLoad = (prefix) => {
  const file = fileURLToPath(new URL('http-load.mjs', import.meta.url))
  const child = start([...prefix, process.execPath, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async run(job) {
      child.stdin.write(JSON.stringify(job) + '\n')
      const { value, done } = await within(replies.next(), JOB_LIMIT_MS, `no end of "${job.job}"`)
      if (done) throw new Error('the load generator exited')
      const { error, ...result } = JSON.parse(value)
      if (error !== undefined) throw new Error(error)
      return result
    },
    stop: stopOf(child),
  }
}

/** Starts the load generator, calls `work` with functions to start servers and run jobs, and stops all of them in any case. */
export const withLoad = async (work) => {
  const cores = twoCores()
  const load = startLoad(cores.load)
  const servers = []
  const launch = async (command) => {
    const server = await startServer([...cores.server, ...command])
    servers.push(server)
    return server
  }
  try {
    return await work({ launch, run: (job) => load.run(job) })
  } finally {
    await Promise.all([load, ...servers].map(({ stop }) => stop()))
  }
}
