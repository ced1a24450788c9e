#!/usr/bin/env node
// The composition root: config → services → tools → server → transport. It builds; it decides nothing.
// Only what `initialize` and `tools/list` need is loaded at start; every command and service is imported on first use.

import type { Arguments } from './cli/args.js'
import type { Launch } from './cli/connect.js'
import { loadConfig, type Config } from './config/load.js'
import { toolSwitch } from './config/options.js'
import { Failure } from './lib/failure.js'
import { VERSION } from './lib/version.js'
import { createLog, stackOf, type Log } from './platform/log.js'
import { createServer, type Server } from './protocol/server.js'
import { createServices } from './services/services.js'
import { TOOLS } from './tools/index.js'
import type { Tool } from './tools/tool.js'
import { serveStdio } from './transport/stdio.js'

const PROGRAM_DIR = import.meta.dirname

async function main(argv: readonly string[]): Promise<number> {
  const given = argv.length === 0 ? undefined : (await import('./cli/args.js')).readArguments(argv)
  const config = loadConfig({ programDir: PROGRAM_DIR, cwdFlag: given?.flags.cwd, overrides: given?.flags.env })
  const log = createLog(config.settings.LOG_LEVEL)
  for (const warning of config.warnings) log.warn(warning)
  const command = given?.command ?? (process.stdin.isTTY && !given?.flags.http ? 'greet' : 'serve')
  if (command === 'serve' && !given?.flags.http && !given?.flags.help && !given?.flags.version) {
    await serveStdio(assemble(config, log), config.settings.MAX_LINE_BYTES)
    return 0
  }
  return runCommand(command, given ?? { command, operands: [], flags: {} }, config, log)
}

/** The server with the tools that are switched on, each service behind a door that opens on first use. */
function assemble(config: Config, log: Log): Server {
  const { settings, cwd, childEnv } = config
  const refusals = refusalsOf(config)
  return createServer({
    name: 'scorpiox-code',
    version: VERSION,
    tools: TOOLS.filter((tool) => !refusals.has(tool.name)),
    refusals,
    logError: (error) => log.error(stackOf(error)),
    services: createServices({
      shell: async () => {
        const { createShell } = await import('./services/shell/shell.js')
        return createShell({
          cwd,
          env: childEnv,
          maxOutputBytes: settings.BASH_MAX_OUTPUT,
          streaming: settings.STREAMING,
        })
      },
    }),
  })
}

function refusalsOf({ effective }: Config): ReadonlyMap<string, string> {
  const off = (key: string): string | undefined => {
    const setting = effective.get(key)
    return setting?.value === false ? `${key}=0 (set by ${setting.source})` : undefined
  }
  const reason = (tool: Tool): string | undefined => off('TOOLS') ?? off(toolSwitch(tool.name))
  return new Map(
    TOOLS.flatMap((tool): [string, string][] => {
      const setting = reason(tool)
      return setting === undefined ? [] : [[tool.name, `${tool.name} is switched off by the setting ${setting}`]]
    }),
  )
}

async function runCommand(command: string, given: Arguments, config: Config, log: Log): Promise<number> {
  const { nextSignal, print } = await import('./cli/terminal.js')
  const { operands, flags } = given
  if (flags.version) return said(print(`${VERSION}\n`))
  if (flags.help || command === 'help') return said(print((await import('./cli/help.js')).HELP))
  switch (command) {
    case 'serve': {
      const { serveHttp } = await import('./cli/serve-http.js')
      return said(serveHttp(assemble(config, log), config, flags, launch()))
    }
    case 'tools': {
      const { toolsReport, toolsJson } = await import('./cli/tools.js')
      const { catalogue } = assemble(config, log)
      return said(print(flags.json ? toolsJson(catalogue) : toolsReport(catalogue)))
    }
    case 'call': {
      const [{ callFromTerminal }, { connectInMemory }] = await Promise.all([
        import('./cli/call.js'),
        import('./transport/memory.js'),
      ])
      const server = assemble(config, log)
      const client = connectInMemory(server)
      const called = callFromTerminal(client, operands, flags.json ?? false)
      try {
        const outcome = await Promise.race([called, nextSignal()])
        if (typeof outcome === 'number') return outcome
        await print(outcome.text)
        return outcome.exitCode
      } finally {
        await Promise.all([client.close(), server.close()])
      }
    }
    case 'config': {
      const { settingsReport, settingsJson } = await import('./cli/settings.js')
      return said(print(flags.json ? settingsJson(config) : settingsReport(config)))
    }
    case 'doctor':
    case 'greet': {
      const [{ examine, report }, { greet }] = await Promise.all([import('./cli/doctor.js'), import('./cli/greet.js')])
      const server = assemble(config, log)
      const { catalogue, refusals } = server
      const findings = await examine({ config, runtime: runtime(), tools: catalogue.names(), refused: refusals })
      if (command === 'greet') return said(print(greet(launch(), findings)))
      await print(flags.json ? `${JSON.stringify(findings, null, 2)}\n` : report(findings))
      return findings.every((finding) => finding.ok) ? 0 : 1
    }
    default: {
      const { UsageError } = await import('./cli/args.js')
      throw new UsageError(`unknown command: ${command}; scorpiox-code --help lists them`)
    }
  }
}

async function said(printed: Promise<void>): Promise<number> {
  await printed
  return 0
}

function runtime(): string {
  return process.versions.bun === undefined
    ? `Node.js ${process.version}`
    : `Bun ${process.versions.bun} (Node.js ${process.version})`
}

function launch(): Launch {
  const script = process.argv[1]
  return { command: process.execPath, args: script === undefined ? [] : [script] }
}

main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  async (error: unknown) => {
    const { complain } = await import('./cli/terminal.js')
    await complain(`scorpiox-code: ${error instanceof Failure ? error.message : stackOf(error)}\n`)
    process.exit(error instanceof Failure && error.name === 'UsageError' ? 2 : 1)
  },
)
