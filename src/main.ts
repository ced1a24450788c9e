#!/usr/bin/env node
// The entry point: reads the arguments and the configuration, then serves MCP over stdio or runs a command. Only what
// `initialize` and `tools/list` need is loaded at start; every command and service is imported on first use.

import { assemble, lazily, type Serving } from './assemble.js'
import { loadConfig, type Config } from './config/load.js'
import { Failure } from './lib/failure.js'
import { createLog, stackOf, type Log } from './platform/log.js'
import { programIn } from './platform/program.js'
import { loadPlain } from './protocol/schema-check.js'
import type { Confinement } from './services/shell/confinement.js'
import { localPeer } from './transport/local-peer.js'
import { serveStdio } from './transport/stdio.js'

const PROGRAM = programIn(import.meta.dirname)
const DEFERRED_START_MS = 300

async function main(argv: readonly string[]): Promise<number> {
  const args = argv.length === 0 ? undefined : (await import('./cli/args.js')).readArguments(argv)
  const config = loadConfig({ ...PROGRAM, cwdFlag: args?.flags.cwd, overrides: args?.flags.env })
  const log = createLog('scorpiox-code', config.settings.LOG_LEVEL)
  for (const warning of config.warnings) log.warn(warning)
  const { http, help, version } = args?.flags ?? {}
  const command = args?.command ?? (process.stdin.isTTY && !http ? 'greet' : 'serve')
  if (command === 'serve' && !http && !help && !version) return serveOverStdio(config, log)
  const { runCommand } = await import('./cli/commands.js')
  const createFor = (transport: 'stdio' | 'http', commandSandbox?: Confinement): Serving =>
    assemble({ config, log, confinement: lazily(config, commandSandbox), transport })
  const deps = {
    config,
    log,
    createServer: (commandSandbox?: Confinement) => createFor('stdio', commandSandbox).server,
    createServing(commandSandbox: Confinement) {
      const served = createFor('http', commandSandbox)
      void served.callbacks.adoptAll()
      return served
    },
  }
  return runCommand(command, deps, args ?? { command, operands: [], flags: {} })
}

async function serveOverStdio(config: Config, log: Log): Promise<number> {
  const openSandbox = lazily(config)
  const { server, callbacks } = assemble({ config, log, confinement: openSandbox, transport: 'stdio' })
  const caller = localPeer()
  /** Runs after the first requests were answered. */
  const runDeferredStartup = async (): Promise<void> => {
    // The server may be stopping already; then the socket is not needed.
    await Promise.resolve(server.services.open(['desk'])).catch((error: unknown) => {
      if (!(error instanceof Failure)) server.logError(error)
    })
    await loadPlain()
    void callbacks.arrive(caller)
    const { afterStart } = await import('./services/shell/after-start.js')
    await afterStart(config, log, await openSandbox())
  }
  setTimeout(() => void runDeferredStartup(), DEFERRED_START_MS).unref()
  await serveStdio(server, config.settings.MAX_LINE_BYTES, caller)
  return 0
}

async function exitWithError(error: unknown): Promise<never> {
  const { complain, complainText } = await import('./cli/terminal.js')
  await (error instanceof Failure
    ? complainText(`scorpiox-code: ${error.message}\n`)
    : complain(`scorpiox-code: ${stackOf(error)}\n`))
  process.exit(error instanceof Failure && 'exitCode' in error ? Number(error.exitCode) : 1)
}

main(process.argv.slice(2)).then((exitCode) => process.exit(exitCode), exitWithError)
