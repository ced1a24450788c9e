// `serve --http --processes N`: starts N servers that share the port, each one of several machines with an address of
// its own, and restarts those that end. The first prints the greeting; all write to the same stderr. Used by
// commands.ts. Forks processes (node:cluster), probes for free ports, waits on timers; returns when all have ended.

import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { availableParallelism, hostname } from 'node:os'
import timers from 'node:timers/promises'

import type { Log } from '@scorpiox/mcp/log'
import { bunVersion } from '@scorpiox/mcp/runtime'
import type { Config } from '@scorpiox/server/config/load-config'
import { UsageError, waitForStopSignal } from '@scorpiox/server/terminal/terminal'

const MAX_PROCESSES = 64
/** The wait before a process that has ended is started again; it doubles as long as they end early. */
const FIRST_RESTART_MS = 200
const MAX_RESTART_MS = 10_000
/** A process that ran this long has not ended early. */
const STEADY_MS = 60_000

/** The number of --processes; `auto` is one for each core. */
export function countProcesses(flag: string): number {
  if (flag === 'auto') return Math.min(availableParallelism(), MAX_PROCESSES)
  const count = /^\d{1,3}$/.test(flag) ? Number(flag) : 0
  if (count >= 1 && count <= MAX_PROCESSES) return count
  throw new UsageError(`--processes must be a number from 1 to ${MAX_PROCESSES}, or auto, got ${flag}`)
}

/** Resolves to the exit code when all processes have ended: after a stop signal, or because one could not be started. */
export async function runProcesses(
  config: Config,
  count: number,
  log: Log,
  platform: NodeJS.Platform = process.platform,
): Promise<number> {
  checkRequirements(config, platform)
  const stop = new AbortController()
  void waitForStopSignal().then(() => stop.abort())

  /** Runs process after process with this number. One that never served says why on stderr, and would fail again. */
  async function keepRunning(number: number, onReady: () => void): Promise<number> {
    let wait = FIRST_RESTART_MS
    for (let hasServed = false; !stop.signal.aborted;) {
      const startedAt = performance.now()
      const worker = await startWorker(config, number)
      worker.once('message', () => {
        hasServed = true
        onReady()
      })
      const end = await waitForEnd(worker, stop.signal)
      if (stop.signal.aborted) return 0
      if (!hasServed) {
        stop.abort()
        return end.code || 1
      }
      if (performance.now() - startedAt > STEADY_MS) wait = FIRST_RESTART_MS
      log.warn(`process ${number} exited (${end.reason}); restarting it in ${wait} ms`)
      await timers.setTimeout(wait, undefined, { signal: stop.signal }).catch(() => undefined)
      wait = Math.min(wait * 2, MAX_RESTART_MS)
    }
    return 0
  }

  // Alone at first: it creates what the others find, and reports what would be wrong for all.
  let running: Promise<number> | undefined
  await new Promise<void>((resolve) => {
    running = keepRunning(1, resolve).finally(resolve)
  })
  const others = Array.from({ length: count - 1 }, (_, index) => keepRunning(index + 2, () => {}))
  const codes = await Promise.all([running, ...others])
  return codes.find((code) => code !== 0) ?? 0
}

function checkRequirements({ settings }: Config, platform: NodeJS.Platform): void {
  // SIGTERM would end the processes at once there, with their commands and clients.
  if (platform === 'win32')
    throw new UsageError(
      '--processes is not available on Windows; start several servers behind a load balancer instead',
    )
  if (bunVersion() !== undefined)
    throw new UsageError('--processes needs Node.js; start several servers behind a load balancer instead')
  if (settings.DATABASE_URL === '')
    throw new UsageError('--processes needs DATABASE_URL: several processes share their state in PostgreSQL')
}

/** The processes of one machine have the addresses after the one that is configured; otherwise free ports of loopback. */
async function startWorker({ settings }: Config, number: number): Promise<Worker> {
  const url = new URL(settings.ADVERTISE_URL === '' ? 'http://127.0.0.1' : settings.ADVERTISE_URL)
  const defaultPort = url.protocol === 'https:' ? 443 : 80
  url.port = String(settings.ADVERTISE_URL === '' ? await findFreePort() : Number(url.port || defaultPort) + number)
  const name = `${settings.MACHINE_NAME || hostname()}/${number}`
  const own = ['--worker', String(number), '-e', `ADVERTISE_URL=${url.href}`, '-e', `MACHINE_NAME=${name}`]
  cluster.setupPrimary({ args: [...process.argv.slice(2), ...own] })
  return cluster.fork()
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

/** Ends the process when `stop` is aborted. */
async function waitForEnd(
  worker: Worker,
  stop: AbortSignal,
): Promise<{ readonly code: number; readonly reason: string }> {
  const end = (): void => void worker.process.kill('SIGTERM')
  stop.addEventListener('abort', end, { once: true })
  if (stop.aborted) end()
  return new Promise((resolve) => {
    worker.once('exit', (code, signal) => {
      stop.removeEventListener('abort', end)
      resolve({ code, reason: signal || `exit code ${code}` })
    })
  })
}
