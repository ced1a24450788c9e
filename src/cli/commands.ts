// The table of commands. Each command is imported when it is used, prints its output and returns the exit code.

import { join } from 'node:path'

import type { Config } from '../config/load.js'
import { stateDirOf } from '../config/state-dir.js'
import { VERSION } from '../lib/version.js'
import type { Log } from '../platform/log.js'
import type { Server } from '../protocol/server.js'
import type { Confinement } from '../services/shell/confinement.js'
import { osUser } from '../platform/user.js'
import type { Arguments } from './args.js'
import type { Serving } from './serve-http.js'
import { launch, runtime, typedName } from './self.js'
import { complainText, nextSignal, outputColumns, print, printText } from './terminal.js'
import { UsageError } from './usage-error.js'

export interface Surroundings {
  readonly config: Config
  readonly createServer: (confinement?: Confinement) => Server
  /** Creates the server for callers over HTTP. */
  readonly createServing: (confinement: Confinement) => Serving
  readonly log: Log
}

const KEEP_ALIVE_MS = 60_000

type Command = (deps: Surroundings, input: Arguments) => Promise<number>

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['greet', runGreet],
  ['help', runHelp],
  ['install', runInstall],
  ['uninstall', runUninstall],
  ['serve', runServe],
  ['tools', runTools],
  ['call', runCall],
  ['config', runConfig],
  ['doctor', runDoctor],
  ['search', runSearch],
  ['skills', runSkills],
  ['token', runToken],
  ['state', runState],
  ['check', runCheck],
  ['ui', runUi],
  ['inbox', runInbox],
])

export async function runCommand(name: string, deps: Surroundings, input: Arguments): Promise<number> {
  const { flags } = input
  if (flags.version) return exitWithZero(print(`${VERSION}\n`))
  const command = COMMANDS.get(name)
  if (!command) throw await unknownCommand(name)
  if (flags.help)
    return runHelp(deps, input.command === 'help' ? input : { ...input, operands: [input.command ?? 'help'] })
  return keepingProcessAlive(() => command(deps, input))
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

async function runHelp(_: Surroundings, { operands: [command = 'help'] }: Arguments): Promise<number> {
  const { helpFor, helpOverview } = await import('./help.js')
  const columns = outputColumns()
  if (command === 'help') return exitWithZero(print(helpOverview(columns)))
  const text = helpFor(command, columns)
  if (text === undefined) throw await unknownCommand(command)
  return exitWithZero(print(text))
}

async function unknownCommand(name: string): Promise<UsageError> {
  const { didYouMean } = await import('./did-you-mean.js')
  const known = [...COMMANDS.keys()].filter((command) => command !== 'greet')
  return new UsageError(`unknown command: ${name}. ${didYouMean(name, known)}scorpiox-code --help lists the commands`)
}

async function runGreet(deps: Surroundings): Promise<number> {
  const { greeting } = await import('./greet.js')
  const name = typedName(deps.config.childEnv.PATH)
  return exitWithZero(print(greeting(launch(), await basicFindings(deps), name, outputColumns())))
}

async function runInstall({ config }: Surroundings, args: Arguments): Promise<number> {
  const { installFromTerminal } = await import('./install/install.js')
  return installFromTerminal(config, args)
}

async function runUninstall({ config }: Surroundings, args: Arguments): Promise<number> {
  const { uninstallFromTerminal } = await import('./install/uninstall.js')
  return uninstallFromTerminal(config, args)
}

async function runServe({ config, createServing, log }: Surroundings, { flags }: Arguments): Promise<number> {
  const { serveHttp } = await import('./serve-http.js')
  return exitWithZero(serveHttp(createServing, config, flags, log))
}

async function runTools({ createServer }: Surroundings, { flags }: Arguments): Promise<number> {
  const { toolsReport, toolsJson } = await import('./tools.js')
  const server = createServer()
  try {
    await server.prepare()
    const { catalogue } = server
    return await exitWithZero(flags.json ? print(toolsJson(catalogue)) : printText(toolsReport(catalogue)))
  } finally {
    await server.close()
  }
}

async function runCall({ config, createServer }: Surroundings, { operands, flags }: Arguments): Promise<number> {
  const [{ callFromTerminal }, { jobAfterCall }, { linkInMemory }, { connectOver }] = await Promise.all([
    import('./call.js'),
    import('./job-after-call.js'),
    import('../transport/memory.js'),
    import('../transport/memory-client.js'),
  ])
  const client = await connectOver(linkInMemory(createServer()))
  let startedJob: number | undefined
  try {
    const callResult = callFromTerminal(client, operands, flags.json ?? false)
    const result = await Promise.race([callResult, nextSignal()])
    if (typeof result === 'number') return result
    await print(result.text)
    startedJob = result.startedJob
    return result.exitCode
  } finally {
    await client.close()
    // On stderr, so that stdout contains only the result.
    if (startedJob !== undefined) await complainText(jobAfterCall(startedJob, config, typedName(config.childEnv.PATH)))
  }
}

async function runConfig({ config }: Surroundings, { operands, flags }: Arguments): Promise<number> {
  const { settingsReport, settingsJson } = await import('./settings.js')
  const text = flags.json ? settingsJson(config, operands) : settingsReport(config, operands, outputColumns())
  return exitWithZero(print(text))
}

async function runDoctor(deps: Surroundings, { flags }: Arguments): Promise<number> {
  const [{ asTyped, report }, { examineInstallation }, { examineImages }, { examineSandbox }, { examineSearch }] =
    await Promise.all([
      import('./doctor.js'),
      import('./examine-installation.js'),
      import('./examine-images.js'),
      import('./examine-sandbox.js'),
      import('./examine-search.js'),
    ])
  const { settings } = deps.config
  const allFindings = [
    ...(await basicFindings(deps)),
    ...(await examineInstallation(deps.config)),
    await stateFinding(deps.config),
    await examineImages(),
    ...(await examineSandbox(settings, () => verifySandbox(deps.config))),
    await browserFinding(deps.config),
    examineSearch(settings),
    ...(await scriptFindings(deps)),
  ]
  const name = typedName(deps.config.childEnv.PATH)
  const shownFindings = allFindings.map((finding) => asTyped(finding, name))
  await (flags.json ? print(`${JSON.stringify(shownFindings, null, 2)}\n`) : printText(report(shownFindings)))
  return shownFindings.every((finding) => finding.ok) ? 0 : 1
}

/** Calls WebSearch; with `--doctor`, tests each search engine instead. */
async function runSearch(deps: Surroundings, input: Arguments): Promise<number> {
  if (input.flags.doctor) return testSearchEngines(deps, input)
  const query = input.operands.join(' ')
  if (query.trim() === '') throw new UsageError('no query given; example: scorpiox-code search "node streams"')
  return runCall(deps, { ...input, operands: ['WebSearch', JSON.stringify({ query })] })
}

async function testSearchEngines({ config, log }: Surroundings, { flags }: Arguments) {
  const [{ examineEngines }, { openSearch }, { openWayOut }, { readRoster }, { ENGINES }] = await Promise.all([
    import('./search.js'),
    import('../services/search/open-search.js'),
    import('../services/open-way-out.js'),
    import('../services/search/line-up.js'),
    import('../services/search/engines.js'),
  ])
  const guardedFetch = openWayOut(config, log)
  const searchService = openSearch(config.settings, guardedFetch)
  const stop = new AbortController()
  try {
    const searchParts = { search: searchService, roster: readRoster(config.settings), engines: ENGINES }
    const result = await Promise.race([examineEngines(searchParts, stop.signal), nextSignal()])
    if (typeof result === 'number') return result
    await print(flags.json ? `${JSON.stringify(result.json, null, 2)}\n` : result.table)
    return result.works ? 0 : 1
  } finally {
    stop.abort()
    await searchService.close()
    await guardedFetch.close()
  }
}

async function runSkills(deps: Surroundings, { flags }: Arguments): Promise<number> {
  const { examineSkills, skillsReport } = await import('./skills.js')
  const folders = await examineSkills(deps.config)
  return exitWithZero(flags.json ? print(`${JSON.stringify(folders, null, 2)}\n`) : printText(skillsReport(folders)))
}

async function runToken({ config: { settings } }: Surroundings, input: Arguments): Promise<number> {
  const [{ tokenReport }, { openTokenFile }] = await Promise.all([
    import('./token.js'),
    import('../store/token-file.js'),
  ])
  const tokens = openTokenFile(join(stateDirOf(settings), 'tokens.json'))
  const text = tokenReport(tokens, input, osUser())
  return exitWithZero(input.flags.json ? print(text) : printText(text))
}

async function runState({ config: { settings } }: Surroundings, input: Arguments): Promise<number> {
  const [{ stateReport }, { statePlaceOf }] = await Promise.all([
    import('./state.js'),
    import('../config/state-place.js'),
  ])
  return exitWithZero(print(await stateReport(statePlaceOf(settings), input)))
}

async function runCheck(_: Surroundings, { operands, flags }: Arguments): Promise<number> {
  const { checkFromTerminal } = await import('./check.js')
  const result = await Promise.race([checkFromTerminal(operands, flags), nextSignal()])
  if (typeof result === 'number') return result
  await (flags.json ? print(result.text) : printText(result.text))
  return result.exitCode
}

async function runUi({ config, log, createServer }: Surroundings, { flags }: Arguments): Promise<number> {
  const { serveUi } = await import('./ui.js')
  return exitWithZero(serveUi(config, flags, log, createServer()))
}

async function runInbox({ config }: Surroundings, { flags }: Arguments): Promise<number> {
  const { inboxFromTerminal } = await import('./inbox.js')
  return inboxFromTerminal(config, flags)
}

async function basicFindings({ config, createServer }: Surroundings) {
  const { examine } = await import('./doctor.js')
  const { catalogue, refusals } = createServer()
  return examine({ config, runtime: runtime(), tools: catalogue.names(), refused: refusals })
}

async function stateFinding({ settings }: Config) {
  const [{ examineState }, { openDatabase }, { statePlaceOf }] = await Promise.all([
    import('./examine-state.js'),
    import('../store/state/open-database.js'),
    import('../config/state-place.js'),
  ])
  return examineState(() => statePlaceOf(settings), openDatabase)
}

async function browserFinding(config: Config) {
  const { examineBrowser } = await import('./examine-browser.js')
  return examineBrowser(config)
}

async function scriptFindings({ config, log }: Surroundings) {
  if (config.settings.SCRIPT_TOOLS === '') return []
  const { examineScripts } = await import('./examine-scripts.js')
  return examineScripts(config, log)
}

async function verifySandbox(config: Config) {
  const [{ openSandbox }, { sandboxLevel }, { sandboxTerms }] = await Promise.all([
    import('../platform/sandbox/sandbox.js'),
    import('../config/sandbox-level.js'),
    import('../config/sandbox-terms.js'),
  ])
  const level = sandboxLevel(config.settings.SANDBOX, true)
  const sandbox = await openSandbox(sandboxTerms(config, level === 'off' ? [] : [level]))
  await sandbox.close()
  return sandbox.report
}

async function exitWithZero(work: Promise<void>): Promise<number> {
  await work
  return 0
}
