// The services behind the tools, and the way to each: opened by the first call that needs it, closed at the end. What every
// call meets (mail, who is busy, recent calls) stands here from the start and loads nothing.

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

/** Each by the name that tools call it by. */
interface Rooms {
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

export interface Surroundings {
  readonly config: Config
  readonly log: Log
  readonly confinement: () => Promise<Confinement>
  readonly transport: 'stdio' | 'http'
  /** The names of all tools, and why some may not be called. */
  readonly tools: readonly string[]
  readonly refusals: ReadonlyMap<string, string>
}

export interface Household {
  readonly services: Services
  readonly notices: Notices
  readonly skills: LateSkills
  /** Undefined where no folder of scripts is named. */
  readonly scripts: LateScripts | undefined
  /** Also what every result brings along. */
  readonly callbacks: LateCallbacks
  readonly observer: Observer
  /** Where people look at what it does. */
  readonly openBoards: () => Promise<Boards>
}

const COMMAND_TOOLS = ['Bash', 'BackgroundBash']

export function createHousehold({ config, log, confinement, transport, tools, refusals }: Surroundings): Household {
  const notices = createNotices()
  const state = lazyState(config)
  const calls = createRecentCalls()
  const skills = lateSkills(() => openSkillOffers(config, notices, log))
  const callbacks = lateCallbacks({
    mayWait: async (user) => (await import('./services/callbacks/waiting-marks.js')).mayWait(config, user),
    open: async () => services.open(['callbacks']),
    hasMany: transport === 'http',
    onError: (error) => log.warn(`callbacks: ${error instanceof Failure ? error.message : stackOf(error)}`),
  })
  let shell: Shell | undefined
  let desk: Desk | undefined
  const jobs = () => shell?.openJobs()
  const scriptFolder = scriptFolderOf(config)
  const scripts = scriptFolder === undefined ? undefined : lateScripts(() => openScriptOffers(scriptFolder))
  const allTools = (): readonly string[] => [...tools, ...(scripts?.names() ?? [])]
  // Whatever is no tool of the house is a script, and runs as a command does.
  const isCommandTool = (tool: string): boolean => COMMAND_TOOLS.includes(tool) || !tools.includes(tool)
  const runsCommands = COMMAND_TOOLS.some((name) => !refusals.has(name))

  const openers: Openers<Rooms> = {
    async desk() {
      const { openDesk } = await import('./services/board/open-desk.js')
      const seen = { notices, state, calls, jobs, refusals, tools: allTools, runsCommands: isCommandTool }
      const search = async () => (await import('./services/search/standing.js')).standingOf(config.settings)
      const standings = new Map([['WebSearch', search]])
      return (desk = await openDesk({ config, log, confinement, transport, standings, ...seen }))
    },
    async shell() {
      const { openShell } = await import('./services/shell/open-shell.js')
      return (shell = openShell({ config, notices, log, confinement: await confinement(), state }))
    },
    async plans() {
      const { openPlans } = await import('./services/plans/open-plans.js')
      const { level } = await confinement()
      return openPlans({ config, notices, state, level })
    },
    async tasks() {
      const { openTasks } = await import('./services/tasks/open-tasks.js')
      return openTasks(config, notices, state)
    },
    async questions(_, others) {
      const { openQuestions } = await import('./services/questions/open-questions.js')
      const attend = async (who: Who): Promise<void> => (await others('callbacks')).attend(who)
      return openQuestions({ config, state, watchers: await others('desk'), attend })
    },
    async callbacks(_, others) {
      const { openCallbacks } = await import('./services/callbacks/open-callbacks.js')
      const { lateAnswers } = await import('./services/questions/late-answers.js')
      const openJobs = async () => (await others('shell')).jobs()
      return openCallbacks({ config, notices, log, state, jobs: openJobs, late: callbacks, lateAnswers })
    },
    async skills(_, others) {
      const { createSkills } = await import('./services/skills/skills.js')
      return createSkills(skills.open().index, () => (runsCommands ? others('shell') : refuseScripts()))
    },
    async wayOut() {
      const { openWayOut } = await import('./services/open-way-out.js')
      return openWayOut(config, log)
    },
    async documents(_, others) {
      const { openDocuments } = await import('./services/documents/open-documents.js')
      return openDocuments({ config, log, wayOut: await others('wayOut') })
    },
    async images() {
      const { openImages } = await import('./services/images/open-images.js')
      const { level } = await confinement()
      // Whoever may not run commands over HTTP is not to look at the whole disk either.
      return openImages(config, level !== 'off' || (transport === 'http' && !runsCommands))
    },
    async search(_, others) {
      const { openSearch } = await import('./services/search/open-search.js')
      return openSearch(config.settings, await others('wayOut'))
    },
  }

  async function openScriptOffers(folder: string): Promise<ScriptOffers> {
    const { scriptOffers } = await import('./tools/script-offers.js')
    return scriptOffers({ folder, shell: openedShell, notices, log, house: tools })
  }

  async function openedShell(): Promise<Shell> {
    await services.open(['shell'])
    if (!shell) throw new Failure('The server is stopping.')
    return shell
  }

  const services: Services = closingFirst([callbacks, ...(scripts ? [scripts] : [])], createServices(openers, notices))
  return {
    services,
    notices,
    skills,
    scripts,
    callbacks,
    observer: together([calls, callbacks]),
    async openBoards() {
      await services.open(['desk'])
      const { openBoards } = await import('./services/board/open-boards.js')
      return openBoards({ config, state, own: desk })
    },
  }
}

/** Callbacks have something to write down at the end, which they cannot once the state is closed. */
function closingFirst(first: readonly { close(): unknown }[], services: Services): Services {
  return {
    ...services,
    async close() {
      try {
        await Promise.all(first.map((each) => each.close()))
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
