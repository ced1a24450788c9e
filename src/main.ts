#!/usr/bin/env node
// The composition root: config → services → tools → server → transport. It builds; the rooms below decide.
// Only what `initialize` and `tools/list` need is loaded at start; every command and service is imported on first use.

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
const LATER_MS = 300

async function main(argv: readonly string[]): Promise<number> {
  const given = argv.length === 0 ? undefined : (await import('./cli/args.js')).readArguments(argv)
  const config = loadConfig({ ...PROGRAM, cwdFlag: given?.flags.cwd, overrides: given?.flags.env })
  const log = createLog('scorpiox-code', config.settings.LOG_LEVEL)
  for (const warning of config.warnings) log.warn(warning)
  const { http, help, version } = given?.flags ?? {}
  const command = given?.command ?? (process.stdin.isTTY && !http ? 'greet' : 'serve')
  if (command === 'serve' && !http && !help && !version) return serve(config, log)
  const { runCommand } = await import('./cli/commands.js')
  const over = (transport: 'stdio' | 'http', settled?: Confinement): Serving =>
    assemble({ config, log, confinement: lazily(config, settled), transport })
  const surroundings = {
    config,
    log,
    createServer: (settled?: Confinement) => over('stdio', settled).server,
    createServing(settled: Confinement) {
      const serving = over('http', settled)
      void serving.callbacks.adoptAll()
      return serving
    },
  }
  return runCommand(command, surroundings, given ?? { command, operands: [], flags: {} })
}

async function serve(config: Config, log: Log): Promise<number> {
  const confinement = lazily(config)
  const { server, callbacks } = assemble({ config, log, confinement, transport: 'stdio' })
  const peer = localPeer()
  /** Clients have been answered by then. */
  const later = async (): Promise<void> => {
    // One that is stopping already needs no desk.
    await Promise.resolve(server.services.open(['desk'])).catch((error: unknown) => {
      if (!(error instanceof Failure)) server.logError(error)
    })
    await loadPlain()
    void callbacks.arrive(peer)
    const { afterStart } = await import('./services/shell/after-start.js')
    await afterStart(config, log, await confinement())
  }
  setTimeout(() => void later(), LATER_MS).unref()
  await serveStdio(server, config.settings.MAX_LINE_BYTES, peer)
  return 0
}

async function fail(error: unknown): Promise<never> {
  const { complain, complainText } = await import('./cli/terminal.js')
  await (error instanceof Failure
    ? complainText(`scorpiox-code: ${error.message}\n`)
    : complain(`scorpiox-code: ${stackOf(error)}\n`))
  process.exit(error instanceof Failure && 'exitCode' in error ? Number(error.exitCode) : 1)
}

main(process.argv.slice(2)).then((exitCode) => process.exit(exitCode), fail)
