#!/usr/bin/env node
// The composition root: config → services → tools → server → transport. It builds; the rooms below decide.
// Only what `initialize` and `tools/list` need is loaded at start; every command and service is imported on first use.

import { join } from 'node:path'

import { loadConfig, type Config } from './config/load.js'
import { refusalsOf } from './config/refusals.js'
import { stateDirOf } from './config/state-dir.js'
import { Failure } from './lib/failure.js'
import { VERSION } from './lib/version.js'
import { createLog, stackOf, type Log } from './platform/log.js'
import { loadCompile } from './protocol/schema-check.js'
import { createServer, type Server } from './protocol/server.js'
import type { Desk } from './services/board/desk.js'
import { createRecentCalls } from './services/board/recent-calls.js'
import type { Boards } from './services/board/shared-boards.js'
import type { Confinement } from './services/shell/confinement.js'
import type { Shell } from './services/shell/shell.js'
import { createNotices } from './services/notices.js'
import { createServices } from './services/services.js'
import { lazyState } from './services/state.js'
import { RESOURCES, TEMPLATES, TOOLS } from './tools/index.js'
import { lateSkills } from './tools/late-skills.js'
import { openSkillOffers } from './tools/skill-offers.js'
import type { Tool } from './tools/tool.js'
import { serveStdio } from './transport/stdio.js'

const PROGRAM_DIR = import.meta.dirname
const LATER_MS = 300

async function main(argv: readonly string[]): Promise<number> {
  const given = argv.length === 0 ? undefined : (await import('./cli/args.js')).readArguments(argv)
  const config = loadConfig({ programDir: PROGRAM_DIR, cwdFlag: given?.flags.cwd, overrides: given?.flags.env })
  const log = createLog('scorpiox-code', config.settings.LOG_LEVEL)
  for (const warning of config.warnings) log.warn(warning)
  const { http, help, version } = given?.flags ?? {}
  const command = given?.command ?? (process.stdin.isTTY && !http ? 'greet' : 'serve')
  if (command !== 'serve' || http || help || version) {
    const { runCommand } = await import('./cli/commands.js')
    const surroundings = {
      config,
      log,
      createServer: (settled?: Confinement) => assemble(config, log, lazily(config, settled), 'stdio').server,
      createServing: (settled: Confinement) => assemble(config, log, lazily(config, settled), 'http'),
    }
    return runCommand(command, surroundings, given ?? { command, operands: [], flags: {} })
  }
  const confinement = lazily(config)
  const { server } = assemble(config, log, confinement, 'stdio')
  later(config, log, confinement, server)
  await serveStdio(server, config.settings.MAX_LINE_BYTES)
  return 0
}

/** The server with the tools that are switched on, each service behind a door that opens on first use. */
function assemble(
  config: Config,
  log: Log,
  confinement: () => Promise<Confinement>,
  transport: 'stdio' | 'http',
): Serving {
  const { settings } = config
  const refusals = refusalsOf(
    config,
    TOOLS.map(({ name }) => name),
  )
  const notices = createNotices()
  const state = lazyState(config)
  const isOffered = ({ name }: Tool): boolean => !refusals.has(name)
  const offers = {
    tools: TOOLS.filter(isOffered),
    resources: RESOURCES.flatMap(({ of, offer }) => (isOffered(of) ? [offer] : [])),
    templates: TEMPLATES.flatMap(({ of, offer }) => (isOffered(of) ? [offer] : [])),
  }
  const runsCommands = !refusals.has('Bash') || !refusals.has('BackgroundBash')
  const skills = lateSkills(() => openSkillOffers(config, notices, log))
  const calls = createRecentCalls()
  let shell: Shell | undefined
  let desk: Promise<Desk> | undefined
  const openDesk = (): Promise<Desk> =>
    (desk ??= import('./services/board/open-desk.js').then((module) =>
      module.openDesk({
        config,
        log,
        notices,
        state,
        calls,
        transport,
        refusals,
        confinement,
        jobs: () => shell?.openJobs(),
        tools: TOOLS.map(({ name }) => name),
        runCommands: new Set(['Bash', 'BackgroundBash']),
      }),
    ))
  const server = createServer({
    name: 'scorpiox-code',
    version: VERSION,
    model: settings.MODEL,
    notices,
    tickets: async () => {
      const { openTicketFiles } = await import('./store/ticket-files.js')
      return openTicketFiles(join(stateDirOf(settings), 'tickets'))
    },
    ...(refusals.has('InvokeSkill') ? offers : skills.among(offers)),
    refusals,
    logError: (error) => log.error(stackOf(error)),
    observer: calls,
    services: createServices(
      {
        desk: openDesk,
        shell: async () => {
          const { openShell } = await import('./services/shell/open-shell.js')
          return (shell = openShell({ config, notices, log, confinement: await confinement(), state }))
        },
        plans: async () => {
          const { openPlans } = await import('./services/plans/open-plans.js')
          const { level } = await confinement()
          return openPlans({ config, notices, state, level })
        },
        tasks: async () => {
          const { openTasks } = await import('./services/tasks/open-tasks.js')
          return openTasks(config, notices, state)
        },
        questions: async () => {
          const { openQuestions } = await import('./services/questions/open-questions.js')
          return openQuestions({ config, state, watchers: await openDesk(), attend: async () => {} })
        },
        skills: async (_, others) => {
          const { createSkills } = await import('./services/skills/skills.js')
          return createSkills(skills.open().index, () => (runsCommands ? others('shell') : refuseScripts()))
        },
      },
      notices,
    ),
  })
  return {
    server,
    async openBoards() {
      await server.services.open(['desk'])
      const { openBoards } = await import('./services/board/open-boards.js')
      return openBoards({ config, state, own: await openDesk() })
    },
  }
}

interface Serving {
  readonly server: Server
  /** Where people look at what it does. */
  openBoards(): Promise<Boards>
}

/** Who switched off commands did not mean those that come with a project. */
function refuseScripts(): Promise<never> {
  return Promise.reject(
    new Failure('This skill is a script, and nothing is run here: Bash and BackgroundBash are switched off.'),
  )
}

/** Clients have been answered by then. */
function later(config: Config, log: Log, confinement: () => Promise<Confinement>, server: Server): void {
  const work = async (): Promise<void> => {
    await Promise.resolve(server.services.open(['desk'])).catch((error: unknown) => {
      // Stopping already.
      if (!(error instanceof Failure)) server.logError(error)
    })
    await loadCompile()
    const { afterStart } = await import('./services/shell/after-start.js')
    await afterStart(config, log, await confinement())
  }
  setTimeout(() => void work(), LATER_MS).unref()
}

/** Looked at when it is needed: who runs no command need not know. */
function lazily(config: Config, given?: Confinement): () => Promise<Confinement> {
  let found = given && Promise.resolve(given)
  return () => (found ??= import('./services/shell/confinement.js').then((module) => module.confinementOf(config)))
}

async function fail(error: unknown): Promise<never> {
  const { complain } = await import('./cli/terminal.js')
  await complain(`scorpiox-code: ${error instanceof Failure ? error.message : stackOf(error)}\n`)
  process.exit(error instanceof Failure && 'exitCode' in error ? Number(error.exitCode) : 1)
}

main(process.argv.slice(2)).then((exitCode) => process.exit(exitCode), fail)
