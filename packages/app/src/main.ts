// The program: reads the arguments and the configuration, then serves MCP over stdio or runs a command. Only what
// `initialize` and `tools/list` need is loaded at start; every command and service is imported on first use. Started by
// launch.ts and, in the single executable, by executable.ts. Sets timers.

import { Failure } from '@scorpiox/mcp/errors'
import { loadSimpleCompiler } from '@scorpiox/mcp/json-schema/lazy-compile'
import { createLog, formatErrorStack, type Log } from '@scorpiox/mcp/log'
import type { ToolDefinition } from '@scorpiox/mcp/definitions/tool'
import { createLocalCaller } from '@scorpiox/mcp/definitions/caller'
import { bunVersion } from '@scorpiox/mcp/runtime'
import { serveStdio } from '@scorpiox/mcp/stdio/serve-stdio'
import { type Config, loadConfig } from '@scorpiox/server/config/load-config'
import { loadStartupTasks, loadSystemDescriptions } from '@scorpiox/server/features/shell/index'
import { locateProgramFiles } from '@scorpiox/server/process/program-files'
import type { MissingCodeCache } from '@scorpiox/server/storage/write-code-cache'
import { TOOLS } from '@scorpiox/server/tool-list'
import type { CommandDeps } from './cli/commands.js'
import { createLazyCommandSandbox, createScorpioxServer } from './create-server.js'

const PROGRAM = locateProgramFiles(import.meta.dirname)
const DEFERRED_START_MS = 300

/** What the file of the program exports to launch.ts. */
export interface ProgramModule {
  readonly startProgram: typeof startProgram
}

/** `missingCaches`: of the files for which the start found no valid code cache. */
export function startProgram(missingCaches: readonly MissingCodeCache[]): void {
  main(process.argv.slice(2), missingCaches).then((exitCode) => process.exit(exitCode), exitWithError)
}

async function main(argv: readonly string[], missingCaches: readonly MissingCodeCache[]): Promise<number> {
  const args = argv.length === 0 ? undefined : (await import('./arguments.js')).parseArguments(argv)
  const config = loadConfig({
    ...PROGRAM,
    toolNames: TOOLS.map(({ name }) => name),
    cwdFlag: args?.flags.cwd,
    overrides: args?.flags.env,
  })
  const log = createLog('scorpiox-code', config.settings.LOG_LEVEL)
  for (const warning of config.warnings) log.warn(warning)
  const { cwd: _cwd, env: _env, ...flags } = args?.flags ?? {}
  const command = args?.command ?? ((await isTyped()) && !flags.http ? 'greet' : 'serve')
  if (command === 'serve' && Object.keys(flags).length === 0)
    return serveOverStdio({ config, log, definitions: (await loadDefinitions(config))() }, missingCaches)
  const { runCommand } = await import('./cli/commands.js')
  const describeTools = await loadDefinitions(config)
  const deps: CommandDeps = {
    config,
    log,
    createServer: () =>
      createScorpioxServer({
        config,
        log,
        definitions: describeTools(),
        commandSandbox: createLazyCommandSandbox(config),
        transport: 'stdio',
      }).server,
    createHttpServer(commandSandbox, disabledTools, membership, workspace) {
      const served = createScorpioxServer({
        config,
        log,
        definitions: describeTools(),
        commandSandbox,
        transport: 'http',
        disabledTools,
        membership,
        ...workspace,
      })
      setTimeout(() => void saveCodeCaches(config, missingCaches, served.hasListed), DEFERRED_START_MS).unref()
      return served
    },
  }
  return runCommand(command, deps, args ?? { command, operands: [], flags: {} })
}

/** The tools as this system has them. On Windows the function may start a program, so most commands do not call it. */
async function loadDefinitions(config: Config): Promise<() => readonly ToolDefinition[]> {
  if (process.platform === 'linux') return () => TOOLS
  const { describeForSystem } = await loadSystemDescriptions()
  let described: readonly ToolDefinition[] | undefined
  return () => (described ??= describeForSystem(config, TOOLS))
}

/** Whether a person has started the program. */
async function isTyped(): Promise<boolean> {
  if (bunVersion() === undefined) return process.stdin.isTTY
  return (await import('@scorpiox/mcp/stdio/bun-stdio')).isStdinTerminal()
}

async function serveOverStdio(
  { config, log, definitions }: { config: Config; log: Log; definitions: readonly ToolDefinition[] },
  missingCaches: readonly MissingCodeCache[],
): Promise<number> {
  const openSandbox = createLazyCommandSandbox(config)
  const { server, callbacks, hasListed } = createScorpioxServer({
    config,
    log,
    definitions,
    commandSandbox: openSandbox,
    transport: 'stdio',
  })
  const caller = createLocalCaller()
  /** Runs after the first requests were answered. */
  const runDeferredStartup = async (): Promise<void> => {
    // The server may be stopping already; then the socket is not needed.
    await Promise.resolve(server.services.open(['serverFeed'])).catch((error: unknown) => {
      if (!(error instanceof Failure)) server.logError(error)
    })
    await loadSimpleCompiler()
    void callbacks.sessionStarted(caller)
    const { runStartupTasks } = await loadStartupTasks()
    await runStartupTasks(config, log, await openSandbox())
    await saveCodeCaches(config, missingCaches, hasListed)
  }
  setTimeout(() => void runDeferredStartup(), DEFERRED_START_MS).unref()
  await serveStdio(server, config.settings.MAX_LINE_BYTES, caller)
  return 0
}

async function saveCodeCaches(
  config: Config,
  missing: readonly MissingCodeCache[],
  hasListed: () => boolean,
): Promise<void> {
  if (missing.length === 0) return
  const { saveWhenListed } = await import('@scorpiox/server/storage/write-code-cache')
  await saveWhenListed(config, missing, hasListed)
}

async function exitWithError(error: unknown): Promise<never> {
  const { printError, printErrorText } = await import('@scorpiox/server/terminal/terminal')
  await (error instanceof Failure
    ? printErrorText(`scorpiox-code: ${error.message}\n`)
    : printError(`scorpiox-code: ${formatErrorStack(error)}\n`))
  process.exit(error instanceof Failure && 'exitCode' in error ? Number(error.exitCode) : 1)
}
