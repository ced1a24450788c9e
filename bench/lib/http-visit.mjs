// Servers on one core, the load generator on another, and the errands between them. One line of JSON is one job.

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

// Nothing of it is worth waiting for once it was measured, but its CPU time counts as ours only when it is gone.
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

const startServer = async (command) => {
  const child = start(command, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const port = new Promise((resolve, reject) => {
    const listen = (chunk) => {
      said = (said + chunk).slice(-2000)
      const [, line, address] = PORT.exec(said) ?? []
      if (line ?? address) resolve(Number(line ?? address))
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('error', reject)
    child.once('close', (code, signal) => reject(new Error(`exited early (${signal ?? code})\n${said}`.trim())))
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

/** Starts the load generator and lets `work` start servers and give it jobs; ends them all again, whatever happens. */
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
