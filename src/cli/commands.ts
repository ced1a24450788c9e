// What a person can type, each command loaded when it is typed. A command prints and says its exit code.

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
  /** The same for callers over HTTP. */
  readonly createServing: (confinement: Confinement) => Serving
  readonly log: Log
}

const KEEP_ALIVE_MS = 60_000

type Command = (surroundings: Surroundings, given: Arguments) => Promise<number>

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['greet', greet],
  ['help', help],
  ['install', install],
  ['uninstall', uninstall],
  ['serve', serve],
  ['tools', tools],
  ['call', call],
  ['config', config],
  ['doctor', doctor],
  ['search', search],
  ['skills', skills],
  ['token', token],
  ['state', state],
  ['check', check],
  ['ui', ui],
  ['inbox', inbox],
])

export async function runCommand(name: string, surroundings: Surroundings, given: Arguments): Promise<number> {
  const { flags } = given
  if (flags.version) return said(print(`${VERSION}\n`))
  const command = COMMANDS.get(name)
  if (!command) throw await unknownCommand(name)
  if (flags.help)
    return help(surroundings, given.command === 'help' ? given : { ...given, operands: [given.command ?? 'help'] })
  return keepingProcessAlive(() => command(surroundings, given))
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

async function help(_: Surroundings, { operands: [command = 'help'] }: Arguments): Promise<number> {
  const { helpFor, helpOverview } = await import('./help.js')
  const columns = outputColumns()
  if (command === 'help') return said(print(helpOverview(columns)))
  const text = helpFor(command, columns)
  if (text === undefined) throw await unknownCommand(command)
  return said(print(text))
}

async function unknownCommand(name: string): Promise<UsageError> {
  const { didYouMean } = await import('./did-you-mean.js')
  const known = [...COMMANDS.keys()].filter((command) => command !== 'greet')
  return new UsageError(`unknown command: ${name}. ${didYouMean(name, known)}scorpiox-code --help lists the commands`)
}

async function greet(surroundings: Surroundings): Promise<number> {
  const { greeting } = await import('./greet.js')
  const name = typedName(surroundings.config.childEnv.PATH)
  return said(print(greeting(launch(), await findings(surroundings), name, outputColumns())))
}

async function install({ config: given }: Surroundings, typed: Arguments): Promise<number> {
  const { installFromTerminal } = await import('./install/install.js')
  return installFromTerminal(given, typed)
}

async function uninstall({ config: given }: Surroundings, typed: Arguments): Promise<number> {
  const { uninstallFromTerminal } = await import('./install/uninstall.js')
  return uninstallFromTerminal(given, typed)
}

async function serve({ config: given, createServing, log }: Surroundings, { flags }: Arguments): Promise<number> {
  const { serveHttp } = await import('./serve-http.js')
  return said(serveHttp(createServing, given, flags, log))
}

async function tools({ createServer }: Surroundings, { flags }: Arguments): Promise<number> {
  const { toolsReport, toolsJson } = await import('./tools.js')
  const server = createServer()
  try {
    await server.prepare()
    const { catalogue } = server
    return await said(flags.json ? print(toolsJson(catalogue)) : printText(toolsReport(catalogue)))
  } finally {
    await server.close()
  }
}

async function call({ config: given, createServer }: Surroundings, { operands, flags }: Arguments): Promise<number> {
  const [{ callFromTerminal }, { jobAfterCall }, { linkInMemory }, { connectOver }] = await Promise.all([
    import('./call.js'),
    import('./job-after-call.js'),
    import('../transport/memory.js'),
    import('../transport/memory-client.js'),
  ])
  const client = await connectOver(linkInMemory(createServer()))
  let startedJob: number | undefined
  try {
    const called = callFromTerminal(client, operands, flags.json ?? false)
    const outcome = await Promise.race([called, nextSignal()])
    if (typeof outcome === 'number') return outcome
    await print(outcome.text)
    startedJob = outcome.startedJob
    return outcome.exitCode
  } finally {
    await client.close()
    // On stderr, so that stdout holds the result alone.
    if (startedJob !== undefined) await complainText(jobAfterCall(startedJob, given, typedName(given.childEnv.PATH)))
  }
}

async function config({ config: given }: Surroundings, { operands, flags }: Arguments): Promise<number> {
  const { settingsReport, settingsJson } = await import('./settings.js')
  const text = flags.json ? settingsJson(given, operands) : settingsReport(given, operands, outputColumns())
  return said(print(text))
}

async function doctor(surroundings: Surroundings, { flags }: Arguments): Promise<number> {
  const [{ asTyped, report }, { examineInstallation }, { examineImages }, { examineSandbox }, { examineSearch }] =
    await Promise.all([
      import('./doctor.js'),
      import('./examine-installation.js'),
      import('./examine-images.js'),
      import('./examine-sandbox.js'),
      import('./examine-search.js'),
    ])
  const { settings } = surroundings.config
  const examined = [
    ...(await findings(surroundings)),
    ...(await examineInstallation(surroundings.config)),
    await stateFinding(surroundings.config),
    await examineImages(),
    ...(await examineSandbox(settings, () => tryOutSandbox(surroundings.config))),
    await browserFinding(surroundings.config),
    examineSearch(settings),
    ...(await scriptFindings(surroundings)),
  ]
  const name = typedName(surroundings.config.childEnv.PATH)
  const found = examined.map((finding) => asTyped(finding, name))
  await (flags.json ? print(`${JSON.stringify(found, null, 2)}\n`) : printText(report(found)))
  return found.every((finding) => finding.ok) ? 0 : 1
}

/** The same as a client would get; with `--doctor`, how each engine does. */
async function search(surroundings: Surroundings, given: Arguments): Promise<number> {
  if (given.flags.doctor) return examineEachEngine(surroundings, given)
  const query = given.operands.join(' ')
  if (query.trim() === '') throw new UsageError('search needs a query, e.g. scorpiox-code search "node streams"')
  return call(surroundings, { ...given, operands: ['WebSearch', JSON.stringify({ query })] })
}

async function examineEachEngine({ config: given, log }: Surroundings, { flags }: Arguments) {
  const [{ examineEngines }, { openSearch }, { openWayOut }, { readRoster }, { ENGINES }] = await Promise.all([
    import('./search.js'),
    import('../services/search/open-search.js'),
    import('../services/open-way-out.js'),
    import('../services/search/line-up.js'),
    import('../services/search/engines.js'),
  ])
  const wayOut = openWayOut(given, log)
  const opened = openSearch(given.settings, wayOut)
  const stop = new AbortController()
  try {
    const parts = { search: opened, roster: readRoster(given.settings), engines: ENGINES }
    const outcome = await Promise.race([examineEngines(parts, stop.signal), nextSignal()])
    if (typeof outcome === 'number') return outcome
    await print(flags.json ? `${JSON.stringify(outcome.json, null, 2)}\n` : outcome.table)
    return outcome.works ? 0 : 1
  } finally {
    stop.abort()
    await opened.close()
    await wayOut.close()
  }
}

async function skills(surroundings: Surroundings, { flags }: Arguments): Promise<number> {
  const { examineSkills, skillsReport } = await import('./skills.js')
  const folders = await examineSkills(surroundings.config)
  return said(flags.json ? print(`${JSON.stringify(folders, null, 2)}\n`) : printText(skillsReport(folders)))
}

async function token({ config: { settings } }: Surroundings, given: Arguments): Promise<number> {
  const [{ tokenReport }, { openTokenFile }] = await Promise.all([
    import('./token.js'),
    import('../store/token-file.js'),
  ])
  const tokens = openTokenFile(join(stateDirOf(settings), 'tokens.json'))
  const text = tokenReport(tokens, given, osUser())
  return said(given.flags.json ? print(text) : printText(text))
}

async function state({ config: { settings } }: Surroundings, given: Arguments): Promise<number> {
  const [{ stateReport }, { statePlaceOf }] = await Promise.all([
    import('./state.js'),
    import('../config/state-place.js'),
  ])
  return said(print(await stateReport(statePlaceOf(settings), given)))
}

async function check(_: Surroundings, { operands, flags }: Arguments): Promise<number> {
  const { checkFromTerminal } = await import('./check.js')
  const outcome = await Promise.race([checkFromTerminal(operands, flags), nextSignal()])
  if (typeof outcome === 'number') return outcome
  await (flags.json ? print(outcome.text) : printText(outcome.text))
  return outcome.exitCode
}

async function ui({ config: given, log, createServer }: Surroundings, { flags }: Arguments): Promise<number> {
  const { serveUi } = await import('./ui.js')
  return said(serveUi(given, flags, log, createServer()))
}

async function inbox({ config: given }: Surroundings, { flags }: Arguments): Promise<number> {
  const { inboxFromTerminal } = await import('./inbox.js')
  return inboxFromTerminal(given, flags)
}

async function findings({ config: settings, createServer }: Surroundings) {
  const { examine } = await import('./doctor.js')
  const { catalogue, refusals } = createServer()
  return examine({ config: settings, runtime: runtime(), tools: catalogue.names(), refused: refusals })
}

async function stateFinding({ settings }: Config) {
  const [{ examineState }, { openDatabase }, { statePlaceOf }] = await Promise.all([
    import('./examine-state.js'),
    import('../store/state/open-database.js'),
    import('../config/state-place.js'),
  ])
  return examineState(() => statePlaceOf(settings), openDatabase)
}

async function browserFinding(given: Config) {
  const { examineBrowser } = await import('./examine-browser.js')
  return examineBrowser(given)
}

async function scriptFindings({ config: given, log }: Surroundings) {
  if (given.settings.SCRIPT_TOOLS === '') return []
  const { examineScripts } = await import('./examine-scripts.js')
  return examineScripts(given, log)
}

async function tryOutSandbox(given: Config) {
  const [{ openSandbox }, { sandboxLevel }, { sandboxTerms }] = await Promise.all([
    import('../platform/sandbox/sandbox.js'),
    import('../config/sandbox-level.js'),
    import('../config/sandbox-terms.js'),
  ])
  const level = sandboxLevel(given.settings.SANDBOX, true)
  const sandbox = await openSandbox(sandboxTerms(given, level === 'off' ? [] : [level]))
  await sandbox.close()
  return sandbox.report
}

async function said(done: Promise<void>): Promise<number> {
  await done
  return 0
}
