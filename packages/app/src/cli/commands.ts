// The table of CLI commands, run by main.ts. Each command is imported when it is used, prints its output and returns
// the exit code. Sets timers.

import { join, resolve } from 'node:path'

import type { Log } from '@scorpiox/mcp/log'
import { getOsUser } from '@scorpiox/mcp/os'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import type { Config } from '@scorpiox/server/config/load-config'
import type { Settings } from '@scorpiox/server/config/options'
import { getStateDir } from '@scorpiox/server/config/paths'
import { loadEngines, loadEngineSelection, loadSearchService } from '@scorpiox/server/features/search/index'
import type { Membership } from '@scorpiox/server/machines/membership'
import type { CommandSandbox } from '@scorpiox/server/sandbox/command-sandbox'
import {
  getOutputColumns,
  print,
  printErrorText,
  printJson,
  printText,
  UsageError,
  waitForStopSignal,
} from '@scorpiox/server/terminal/terminal'
import { VERSION } from '@scorpiox/server/config/version'
import type { CommandArguments, CommandFlags } from '../arguments.js'
import type { ServerWithServices } from '../create-server.js'
import { commandAsTyped, currentLaunch, describeRuntime, getNodeProgram } from '../program-info.js'
import type { HttpWorkspace } from '../workspaces/shared-services.js'

export interface CommandDeps {
  readonly config: Config
  readonly createServer: () => McpServer
  /**
   * Creates the server for callers over HTTP. `commandSandbox` is called by the first command, or something else that
   * needs to know it. `disabledTools`: besides those of the settings, each with the reason.
   * `membership`: if it is one of several machines.
   */
  readonly createHttpServer: (
    commandSandbox: () => Promise<CommandSandbox>,
    disabledTools: ReadonlyMap<string, string>,
    membership: Membership | undefined,
    workspace?: HttpWorkspace,
  ) => ServerWithServices
  readonly log: Log
}

const KEEP_ALIVE_MS = 60_000

type Command = (deps: CommandDeps, input: CommandArguments) => Promise<number>

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['greet', runGreet],
  ['help', runHelp],
  ['install', runInstall],
  ['uninstall', runUninstall],
  ['serve', runServe],
  ['tools', runTools],
  ['call', runCall],
  ['config', runConfig],
  ['policy', runPolicy],
  ['doctor', runDoctor],
  ['search', runSearch],
  ['skills', runSkills],
  ['token', runToken],
  ['machines', runMachines],
  ['state', runState],
  ['check', runCheck],
  ['ui', runUi],
  ['inbox', runInbox],
  ['dev', runDevCommand],
])

export async function runCommand(name: string, deps: CommandDeps, input: CommandArguments): Promise<number> {
  const { flags } = input
  if (flags.version) return exitWithZero(print(`${VERSION}\n`))
  const command = COMMANDS.get(name)
  if (!command) throw await unknownCommand(name)
  if (flags.help)
    return runHelp(deps, input.command === 'help' ? input : { ...input, operands: [input.command ?? 'help'] })
  await rejectForeignOptions(name, flags)
  return keepingProcessAlive(() => command(deps, input))
}

/** An option that the command does not have would be ignored: `serve --port 8808` serves stdio. */
async function rejectForeignOptions(name: string, flags: CommandFlags): Promise<void> {
  const given = Object.keys(flags)
  if (given.length === 0) return
  const { findForeignOption } = await import('./help.js')
  const foreign = findForeignOption(name, given)
  const shown = name === 'greet' ? 'scorpiox-code' : name
  if (foreign !== undefined) throw new UsageError(`${shown} has no option --${foreign}; ${helpFor(name)} lists them`)
  const needsHttp = name === 'serve' && !flags.http ? given.find((option) => !STDIO_OPTIONS.has(option)) : undefined
  if (needsHttp !== undefined) throw new UsageError(`--${needsHttp} requires --http`)
}

const STDIO_OPTIONS = new Set(['cwd', 'env'])

function helpFor(name: string): string {
  return name === 'greet' || name === 'help' ? 'scorpiox-code --help' : `scorpiox-code ${name} --help`
}

/** Services unref their timers and pipes; without this, Node.js exits while a command still waits for one of them. */
async function keepingProcessAlive(run: () => Promise<number>): Promise<number> {
  const timer = setInterval(() => {}, KEEP_ALIVE_MS)
  try {
    return await run()
  } finally {
    clearInterval(timer)
  }
}

async function runHelp(_: CommandDeps, { operands: [command = 'help'] }: CommandArguments): Promise<number> {
  const { formatCommandHelp, formatHelpOverview } = await import('./help.js')
  const columns = getOutputColumns()
  if (command === 'help') return exitWithZero(print(formatHelpOverview(columns)))
  const text = formatCommandHelp(command, columns)
  if (text === undefined) throw await unknownCommand(command)
  return exitWithZero(print(text))
}

async function unknownCommand(name: string): Promise<UsageError> {
  const { didYouMean } = await import('@scorpiox/server/text/nearest-names')
  const known = [...COMMANDS.keys()].filter((command) => command !== 'greet')
  return new UsageError(`unknown command: ${name}. ${didYouMean(name, known)}scorpiox-code --help lists the commands`)
}

async function runGreet(deps: CommandDeps): Promise<number> {
  const { formatGreeting } = await import('./doctor/doctor.js')
  const name = commandAsTyped(deps.config.childEnv.PATH)
  return exitWithZero(print(formatGreeting(currentLaunch(), await basicFindings(deps), name, getOutputColumns())))
}

async function runInstall({ config }: CommandDeps, args: CommandArguments): Promise<number> {
  const { runInstallCommand } = await import('../install/install-command.js')
  return runInstallCommand(config, args)
}

async function runUninstall({ config }: CommandDeps, args: CommandArguments): Promise<number> {
  const { runUninstallCommand } = await import('../install/uninstall-command.js')
  return runUninstallCommand(config, args)
}

async function runServe({ config, createHttpServer, log }: CommandDeps, { flags }: CommandArguments): Promise<number> {
  if (flags.processes !== undefined && flags.worker === undefined) {
    const { countProcesses, runProcesses } = await import('./serve-processes.js')
    const count = countProcesses(flags.processes)
    if (count > 1) return runProcesses(config, count, log)
  }
  const { runServeHttpCommand } = await import('./serve-http.js')
  return exitWithZero(runServeHttpCommand(createHttpServer, config, flags, log))
}

async function runTools({ createServer }: CommandDeps, { flags }: CommandArguments): Promise<number> {
  const { formatTools, formatToolsJson } = await import('./call-command.js')
  const server = createServer()
  try {
    await server.refreshLists()
    const { toolRegistry } = server
    return await exitWithZero(
      flags.json ? printJson(formatToolsJson(toolRegistry)) : printText(formatTools(toolRegistry)),
    )
  } finally {
    await server.close()
  }
}

async function runCall({ config, createServer }: CommandDeps, { operands, flags }: CommandArguments): Promise<number> {
  const [{ runCallCommand, formatJobNotice }, { openMemoryTransport }, { connectMemoryClient }] = await Promise.all([
    import('./call-command.js'),
    import('@scorpiox/mcp/memory/memory-transport'),
    import('@scorpiox/mcp/memory/memory-client'),
  ])
  const client = await connectMemoryClient(openMemoryTransport(createServer()))
  let startedJob: number | undefined
  try {
    const callResult = runCallCommand(client, operands, flags.json ?? false)
    const result = await Promise.race([callResult, waitForStopSignal()])
    if (typeof result === 'number') return result
    await (flags.json ? printJson(result.text) : print(result.text))
    startedJob = result.startedJob
    return result.exitCode
  } finally {
    await client.close()
    // On stderr, so that stdout contains only the result.
    if (startedJob !== undefined)
      await printErrorText(formatJobNotice(startedJob, config, commandAsTyped(config.childEnv.PATH)))
  }
}

async function runConfig({ config }: CommandDeps, { operands, flags }: CommandArguments): Promise<number> {
  const { formatSettings, formatSettingsJson } = await import('./config-command.js')
  const text = flags.json ? formatSettingsJson(config, operands) : formatSettings(config, operands, getOutputColumns())
  return exitWithZero(flags.json ? printJson(text) : print(text))
}

async function runPolicy({ config }: CommandDeps, { operands, flags }: CommandArguments): Promise<number> {
  const { runPolicyCommand } = await import('./policy-command.js')
  const { text, exitCode } = await runPolicyCommand(config, operands, flags.json ?? false)
  await (flags.json ? print(text) : printText(text))
  return exitCode
}

async function runDoctor(deps: CommandDeps, { flags }: CommandArguments): Promise<number> {
  const [
    { withTypedCommand, formatFindings },
    { diagnoseInstallation },
    { diagnoseImages, diagnoseProjectEnvironment, diagnoseSandbox, diagnoseSearch },
  ] = await Promise.all([
    import('./doctor/doctor.js'),
    import('./doctor/diagnose-installation.js'),
    import('./doctor/diagnose-environment.js'),
  ])
  const { settings } = deps.config
  const allFindings = [
    ...(await basicFindings(deps)),
    ...(await diagnoseInstallation(deps.config)),
    await stateFinding(deps.config),
    await diagnoseImages(),
    ...(await diagnoseSandbox(settings, () => verifySandbox(deps.config))),
    await browserFinding(deps.config),
    await terminalFinding(deps.config),
    ...diagnoseProjectEnvironment(deps.config),
    await passwordFinding(deps.config),
    diagnoseSearch(settings),
    ...(await scriptFindings(deps)),
  ]
  const name = commandAsTyped(deps.config.childEnv.PATH)
  const shownFindings = allFindings.map((finding) => withTypedCommand(finding, name))
  await (flags.json
    ? printJson(`${JSON.stringify(shownFindings, null, 2)}\n`)
    : printText(formatFindings(shownFindings)))
  return shownFindings.every((finding) => finding.ok) ? 0 : 1
}

/** Calls WebSearch; with `--doctor`, tests each search engine instead. */
async function runSearch(deps: CommandDeps, input: CommandArguments): Promise<number> {
  if (input.flags.doctor) return testSearchEngines(deps, input)
  const query = input.operands.join(' ')
  if (query.trim() === '') throw new UsageError('no query given; example: scorpiox-code search "node streams"')
  return runCall(deps, { ...input, operands: ['WebSearch', JSON.stringify({ query })] })
}

async function testSearchEngines({ config, log }: CommandDeps, { flags }: CommandArguments) {
  const [{ testEngines }, { openSearchService }, { openGuardedFetch }, { readEngineSelection }, { ALL_ENGINES }] =
    await Promise.all([
      import('./search-command.js'),
      loadSearchService(),
      import('@scorpiox/server/guarded-fetch/guarded-fetch'),
      loadEngineSelection(),
      loadEngines(),
    ])
  const guardedFetch = openGuardedFetch(config, log)
  const searchService = openSearchService(config.settings, guardedFetch)
  const stop = new AbortController()
  try {
    const searchParts = { search: searchService, selection: readEngineSelection(config.settings), engines: ALL_ENGINES }
    const result = await Promise.race([testEngines(searchParts, stop.signal), waitForStopSignal()])
    if (typeof result === 'number') return result
    await (flags.json ? printJson(`${JSON.stringify(result.json, null, 2)}\n`) : print(result.table))
    return result.works ? 0 : 1
  } finally {
    stop.abort()
    await searchService.close()
    await guardedFetch.close()
  }
}

async function runSkills(deps: CommandDeps, { flags }: CommandArguments): Promise<number> {
  const { inspectSkillDirectories, formatSkillDirectories } = await import('./skills-command.js')
  const folders = inspectSkillDirectories(deps.config)
  return exitWithZero(
    flags.json ? printJson(`${JSON.stringify(folders, null, 2)}\n`) : printText(formatSkillDirectories(folders)),
  )
}

async function runToken({ config: { settings } }: CommandDeps, input: CommandArguments): Promise<number> {
  const [{ runTokenCommand }, { openTokenFile }] = await Promise.all([
    import('./token-command.js'),
    import('../http/token-file.js'),
  ])
  const database = await openMachineTokens(settings)
  try {
    const tokens = database?.tokens ?? openTokenFile(join(getStateDir(settings), 'tokens.json'))
    const text = await runTokenCommand(tokens, input, getOsUser())
    return await exitWithZero(input.flags.json ? printJson(text) : printText(text))
  } finally {
    await database?.close()
  }
}

/** The tokens of several machines are in their database; undefined for a machine on its own. */
async function openMachineTokens(settings: Settings) {
  if (settings.DATABASE_URL === '' || settings.ADVERTISE_URL === '') return undefined
  const [{ openTokenDatabase }, { openDatabase, getDatabaseLocation }] = await Promise.all([
    import('../http/token-database.js'),
    import('@scorpiox/server/storage/open-database'),
  ])
  const database = await openDatabase(getDatabaseLocation(settings))
  return { tokens: openTokenDatabase(database), close: () => database.close() }
}

async function runMachines({ config: { settings } }: CommandDeps, { operands, flags }: CommandArguments) {
  if (settings.DATABASE_URL === '') {
    throw new UsageError('machines needs DATABASE_URL: the machines find each other in that database')
  }
  const [{ runMachinesCommand }, { getDatabaseLocation, openDatabase }] = await Promise.all([
    import('./machines-command.js'),
    import('@scorpiox/server/storage/open-database'),
  ])
  const database = await openDatabase(getDatabaseLocation(settings))
  try {
    const text = await runMachinesCommand(database, operands, flags.json ?? false)
    return await exitWithZero(flags.json ? printJson(text) : printText(text))
  } finally {
    await database.close()
  }
}

async function runState({ config: { settings } }: CommandDeps, input: CommandArguments): Promise<number> {
  const [{ runStateCommand }, { getDatabaseLocation }] = await Promise.all([
    import('./state/state-command.js'),
    import('@scorpiox/server/storage/open-database'),
  ])
  const text = await runStateCommand(getDatabaseLocation(settings), input)
  // An export to stdout is JSON.
  return exitWithZero(input.operands[0] === 'export' ? printJson(text) : print(text))
}

async function runCheck(_: CommandDeps, { operands, flags }: CommandArguments): Promise<number> {
  const { runCheckCommand } = await import('./check/check-command.js')
  const result = await Promise.race([runCheckCommand(operands, flags), waitForStopSignal()])
  if (typeof result === 'number') return result
  await (flags.json ? printJson(result.text) : printText(result.text))
  return result.exitCode
}

async function runUi({ config, log, createServer }: CommandDeps, { flags }: CommandArguments): Promise<number> {
  const { runUiCommand } = await import('./ui-command.js')
  return exitWithZero(runUiCommand(config, flags, log, createServer()))
}

async function runInbox({ config }: CommandDeps, { flags }: CommandArguments): Promise<number> {
  const { runInboxCommand } = await import('@scorpiox/console/terminal/inbox-command')
  return runInboxCommand(config, flags)
}

async function runDevCommand({ config }: CommandDeps, { operands, flags }: CommandArguments): Promise<number> {
  const { runDev } = await import('@scorpiox/dev/run-dev')
  return exitWithZero(
    runDev({
      words: operands,
      cwd: resolve(flags.cwd ?? '.'),
      port: flags.port,
      revision: flags.revision,
      watch: flags.watch ?? [],
      pageFolder: join(config.partsDir, 'dev-page'),
      node: getNodeProgram(),
    }),
  )
}

async function basicFindings({ config, createServer }: CommandDeps) {
  const { diagnoseBasics } = await import('./doctor/doctor.js')
  const { toolRegistry, disabledTools } = createServer()
  return diagnoseBasics({ config, runtime: describeRuntime(), tools: toolRegistry.names(), refused: disabledTools })
}

async function stateFinding({ settings }: Config) {
  const [{ diagnoseState }, { openDatabase }, { getDatabaseLocation }] = await Promise.all([
    import('./doctor/diagnose-environment.js'),
    import('@scorpiox/server/storage/open-database'),
    import('@scorpiox/server/storage/open-database'),
  ])
  return diagnoseState(() => getDatabaseLocation(settings), openDatabase)
}

async function browserFinding(config: Config) {
  const { diagnoseBrowser } = await import('./doctor/diagnose-environment.js')
  return diagnoseBrowser(config)
}

async function terminalFinding(config: Config) {
  const { diagnoseTerminals } = await import('./doctor/diagnose-environment.js')
  return diagnoseTerminals(config)
}

async function passwordFinding(config: Config) {
  const { diagnosePasswords } = await import('./doctor/diagnose-environment.js')
  return diagnosePasswords(config)
}

async function scriptFindings({ config, log }: CommandDeps) {
  if (config.settings.SCRIPT_TOOLS === '') return []
  const { diagnoseScripts } = await import('./doctor/diagnose-scripts.js')
  return diagnoseScripts(config, log)
}

async function verifySandbox(config: Config) {
  const [{ openSandbox }, { resolveSandboxLevel }, { createSandboxPolicy }] = await Promise.all([
    import('@scorpiox/server/sandbox/sandbox'),
    import('@scorpiox/server/sandbox/sandbox-level'),
    import('@scorpiox/server/sandbox/sandbox-policy'),
  ])
  const level = resolveSandboxLevel(config.settings.SANDBOX, true)
  const sandbox = await openSandbox(createSandboxPolicy(config, level === 'off' ? [] : [level]))
  await sandbox.close()
  return sandbox.report
}

async function exitWithZero(work: Promise<void>): Promise<number> {
  await work
  return 0
}
