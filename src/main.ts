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
import { lateCallbacks, type LateCallbacks } from './services/callbacks/late-callbacks.js'
import type { Callbacks } from './services/callbacks/callbacks.js'
import type { Who } from './services/jobs/book.js'
import type { Plans } from './services/plans/plans.js'
import type { Questions } from './services/questions/questions.js'
import type { Skills } from './services/skills/skills.js'
import type { Tasks } from './services/tasks/tasks.js'
import type { Confinement } from './services/shell/confinement.js'
import type { Shell } from './services/shell/shell.js'
import { createNotices } from './services/notices.js'
import { together } from './services/observer.js'
import { createServices, type Services } from './services/services.js'
import { lazyState } from './services/state.js'
import { RESOURCES, TEMPLATES, TOOLS } from './tools/index.js'
import { lateSkills } from './tools/late-skills.js'
import { openSkillOffers } from './tools/skill-offers.js'
import type { Tool } from './tools/tool.js'
import { localPeer } from './transport/local-peer.js'
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
      createServing(settled: Confinement) {
        const serving = assemble(config, log, lazily(config, settled), 'http')
        void serving.callbacks.adoptAll()
        return serving
      },
    }
    return runCommand(command, surroundings, given ?? { command, operands: [], flags: {} })
  }
  const confinement = lazily(config)
  const { server, callbacks } = assemble(config, log, confinement, 'stdio')
  const peer = localPeer()
  later(config, log, confinement, server, () => callbacks.arrive(peer))
  await serveStdio(server, config.settings.MAX_LINE_BYTES, peer)
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
  const callbacks = lateCallbacks({
    mayWait: async (user) => (await import('./services/callbacks/waiting-marks.js')).mayWait(config, user),
    open: async () => services.open(['callbacks']),
    hasMany: transport === 'http',
    onError: (error) => log.warn(`callbacks: ${error instanceof Failure ? error.message : stackOf(error)}`),
  })
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
  const services: Services = createServices<Household>(
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
      questions: async (_, others) => {
        const { openQuestions } = await import('./services/questions/open-questions.js')
        const attend = async (who: Who): Promise<void> => (await others('callbacks')).attend(who)
        return openQuestions({ config, state, watchers: await others('desk'), attend })
      },
      callbacks: async (_, others) => {
        const { openCallbacks } = await import('./services/callbacks/open-callbacks.js')
        const { lateAnswers } = await import('./services/questions/late-answers.js')
        const jobs = async () => (await others('shell')).jobs()
        return openCallbacks({ config, notices, log, state, jobs, late: callbacks, lateAnswers })
      },
      skills: async (_, others) => {
        const { createSkills } = await import('./services/skills/skills.js')
        return createSkills(skills.open().index, () => (runsCommands ? others('shell') : refuseScripts()))
      },
    },
    notices,
  )
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
    logging: true,
    channel: settings.CLAUDE_CHANNEL ? 'all' : 'asked',
    mail: callbacks,
    observer: together([calls, callbacks]),
    services: closingFirst(callbacks, services),
  })
  return {
    server,
    callbacks,
    async openBoards() {
      await server.services.open(['desk'])
      const { openBoards } = await import('./services/board/open-boards.js')
      return openBoards({ config, state, own: await openDesk() })
    },
  }
}

/** The services behind the tools. */
interface Household {
  readonly desk: Desk
  readonly shell: Shell
  readonly plans: Plans
  readonly tasks: Tasks
  readonly questions: Questions
  readonly callbacks: Callbacks
  readonly skills: Skills
}

interface Serving {
  readonly server: Server
  readonly callbacks: LateCallbacks
  /** Where people look at what it does. */
  openBoards(): Promise<Boards>
}

/** They have something to write down at the end, which they cannot once the state is closed. */
function closingFirst(callbacks: LateCallbacks, services: Services): Services {
  return {
    ...services,
    async close() {
      try {
        await callbacks.close()
      } finally {
        await services.close()
      }
    },
  }
}

/** Who switched off commands did not mean those that come with a project. */
function refuseScripts(): Promise<never> {
  return Promise.reject(
    new Failure('This skill is a script, and nothing is run here: Bash and BackgroundBash are switched off.'),
  )
}

/** Clients have been answered by then. */
function later(
  config: Config,
  log: Log,
  confinement: () => Promise<Confinement>,
  server: Server,
  arrive: () => Promise<void>,
): void {
  const work = async (): Promise<void> => {
    await Promise.resolve(server.services.open(['desk'])).catch((error: unknown) => server.logError(error))
    await loadCompile()
    void arrive()
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
