// Declares the services behind the tools: how each is opened and in which order they close. A service is opened by the
// first call that needs it. What every call uses (pending messages, recent calls) exists from the start and loads
// nothing.

import type { Config } from './config/load.js'
import { scriptFolderOf } from './config/script-folder.js'
import { Failure } from './lib/failure.js'
import { stackOf, type Log } from './platform/log.js'
import type { WayOut } from './platform/way-out/way-out.js'
import type { Desk } from './services/board/desk.js'
import { createRecentCalls } from './services/board/recent-calls.js'
import type { Boards } from './services/board/shared-boards.js'
import type { Callbacks } from './services/callbacks/callbacks.js'
import { lateCallbacks, type LateCallbacks } from './services/callbacks/late-callbacks.js'
import type { Documents } from './services/documents/documents.js'
import type { Images } from './services/images/images.js'
import type { Who } from './services/who.js'
import { createNotices, type Notices } from './services/notices.js'
import { together, type Observer } from './services/observer.js'
import type { Plans } from './services/plans/plans.js'
import type { Questions } from './services/questions/questions.js'
import type { Search } from './services/search/search.js'
import { createServices, type Openers, type Services } from './services/services.js'
import type { Confinement } from './services/shell/confinement.js'
import type { Shell } from './services/shell/shell.js'
import type { Skills } from './services/skills/skills.js'
import { lazyState } from './services/state.js'
import type { Tasks } from './services/tasks/tasks.js'
import { lateScripts, type LateScripts } from './tools/late-scripts.js'
import { lateSkills, type LateSkills } from './tools/late-skills.js'
import type { ScriptOffers } from './tools/script-offers.js'
import { openSkillOffers } from './tools/skill-offers.js'

/** The services, by the name that tools request them by. */
interface ServiceMap {
  readonly desk: Desk
  readonly shell: Shell
  readonly plans: Plans
  readonly tasks: Tasks
  readonly questions: Questions
  readonly callbacks: Callbacks
  readonly skills: Skills
  readonly wayOut: WayOut
  readonly documents: Documents
  readonly images: Images
  readonly search: Search
}

/** What a server is created from. */
export interface CreateServerDeps {
  readonly config: Config
  readonly log: Log
  readonly confinement: () => Promise<Confinement>
  readonly transport: 'stdio' | 'http'
}

export interface Surroundings extends CreateServerDeps {
  /** All tool names, and for each disabled tool the reason. */
  readonly tools: readonly string[]
  readonly refusals: ReadonlyMap<string, string>
}

export interface Household {
  readonly services: Services
  readonly notices: Notices
  readonly skills: LateSkills
  /** Undefined if no script folder is configured. */
  readonly scripts: LateScripts | undefined
  /** Also supplies the pending messages that are added to results. */
  readonly callbacks: LateCallbacks
  readonly observer: Observer
  /** Opens the console for users of this server. */
  readonly openBoards: () => Promise<Boards>
}

const COMMAND_TOOL_NAMES = ['Bash', 'BackgroundBash']

export function createHousehold({ config, log, confinement, transport, tools, refusals }: Surroundings): Household {
  const notices = createNotices()
  const database = lazyState(config)
  const recentCalls = createRecentCalls()
  const skills = lateSkills(() => openSkillOffers(config, notices, log))
  const callbacks = lateCallbacks({
    mayWait: async (user) => (await import('./services/callbacks/waiting-marks.js')).mayWait(config, user),
    open: async () => services.open(['callbacks']),
    hasMany: transport === 'http',
    onError: (error) => log.warn(`callbacks: ${error instanceof Failure ? error.message : stackOf(error)}`),
  })
  let shell: Shell | undefined
  let desk: Desk | undefined
  const getOpenJobs = () => shell?.openJobs()
  const scriptFolder = scriptFolderOf(config)
  const scripts = scriptFolder === undefined ? undefined : lateScripts(() => openScriptOffers(scriptFolder))
  const allTools = (): readonly string[] => [...tools, ...(scripts?.names() ?? [])]
  // Every other tool is a script, which runs as a command does.
  const isCommandTool = (tool: string): boolean => COMMAND_TOOL_NAMES.includes(tool) || !tools.includes(tool)
  const runsCommands = COMMAND_TOOL_NAMES.some((name) => !refusals.has(name))

  const factories: Openers<ServiceMap> = {
    async desk() {
      const { openDesk } = await import('./services/board/open-desk.js')
      const viewDeps = {
        notices,
        state: database,
        calls: recentCalls,
        jobs: getOpenJobs,
        refusals,
        tools: allTools,
        runsCommands: isCommandTool,
      }
      const search = async () => (await import('./services/search/standing.js')).standingOf(config.settings)
      const toolStatuses = new Map([['WebSearch', search]])
      return (desk = await openDesk({ config, log, confinement, transport, standings: toolStatuses, ...viewDeps }))
    },
    async shell() {
      const { openShell } = await import('./services/shell/open-shell.js')
      return (shell = openShell({ config, notices, log, confinement: await confinement(), state: database }))
    },
    async plans() {
      const { openPlans } = await import('./services/plans/open-plans.js')
      const { level } = await confinement()
      return openPlans({ config, notices, state: database, level })
    },
    async tasks() {
      const { openTasks } = await import('./services/tasks/open-tasks.js')
      return openTasks(config, notices, database)
    },
    async questions(_, getService) {
      const { openQuestions } = await import('./services/questions/open-questions.js')
      const attend = async (caller: Who): Promise<void> => (await getService('callbacks')).attend(caller)
      return openQuestions({ config, state: database, watchers: await getService('desk'), attend })
    },
    async callbacks(_, getService) {
      const { openCallbacks } = await import('./services/callbacks/open-callbacks.js')
      const { lateAnswers } = await import('./services/questions/late-answers.js')
      const openJobs = async () => (await getService('shell')).jobs()
      return openCallbacks({ config, notices, log, state: database, jobs: openJobs, late: callbacks, lateAnswers })
    },
    async skills(_, getService) {
      const { createSkills } = await import('./services/skills/skills.js')
      return createSkills(skills.open().index, () => (runsCommands ? getService('shell') : rejectScripts()))
    },
    async wayOut() {
      const { openWayOut } = await import('./services/open-way-out.js')
      return openWayOut(config, log)
    },
    async documents(_, getService) {
      const { openDocuments } = await import('./services/documents/open-documents.js')
      return openDocuments({ config, log, wayOut: await getService('wayOut') })
    },
    async images() {
      const { openImages } = await import('./services/images/open-images.js')
      const { level } = await confinement()
      // Clients that may not run commands over HTTP must not read images from the whole disk either.
      return openImages(config, level !== 'off' || (transport === 'http' && !runsCommands))
    },
    async search(_, getService) {
      const { openSearch } = await import('./services/search/open-search.js')
      return openSearch(config.settings, await getService('wayOut'))
    },
  }

  async function openScriptOffers(folder: string): Promise<ScriptOffers> {
    const { scriptOffers } = await import('./tools/script-offers.js')
    return scriptOffers({ folder, shell: openShellService, notices, log, house: tools })
  }

  async function openShellService(): Promise<Shell> {
    await services.open(['shell'])
    if (!shell) throw new Failure('The server is stopping.')
    return shell
  }

  const services: Services = closeBefore([callbacks, ...(scripts ? [scripts] : [])], createServices(factories, notices))
  return {
    services,
    notices,
    skills,
    scripts,
    callbacks,
    observer: together([recentCalls, callbacks]),
    async openBoards() {
      await services.open(['desk'])
      const { openBoards } = await import('./services/board/open-boards.js')
      return openBoards({ config, state: database, own: desk })
    },
  }
}

/** Closes `first` before the services: callbacks save their state, which needs the open database. */
function closeBefore(first: readonly { close(): unknown }[], services: Services): Services {
  return {
    ...services,
    async close() {
      try {
        await Promise.all(first.map((service) => service.close()))
      } finally {
        await services.close()
      }
    },
  }
}

/** Skills with scripts are refused if commands are disabled. */
function rejectScripts(): Promise<never> {
  return Promise.reject(
    new Failure('This skill runs a script, and commands are disabled (Bash and BackgroundBash are off).'),
  )
}
