// Declares the services behind the tools: how each is opened and in which order they close. A service is opened, and
// its code loaded, by the first call that needs it. The log of calls exists from the start and loads nothing. Used by
// create-server.ts. No I/O before that.

import type { ServerFeed } from '@scorpiox/console/server-feed'
import type { UserConsoles } from '@scorpiox/console/user-consoles'
import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { type ChangeEvents, createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import type { ToolDefinition } from '@scorpiox/mcp/definitions/tool'
import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { formatErrorStack, type Log } from '@scorpiox/mcp/log'
import { type CallLog, createCallLog } from '@scorpiox/mcp/server/call-log'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import { createServiceTable, type ServiceFactories, type ServiceTable } from '@scorpiox/mcp/server/service-table'
import { loadOnce } from '@scorpiox/mcp/promises'
import type { Config } from '@scorpiox/server/config/load-config'
import { findProjectRoot, findStateDir, getScriptFolder } from '@scorpiox/server/config/paths'
import { loadViewFiles, type ViewFiles } from '@scorpiox/server/features/apps/index'
import {
  type CallbackService,
  createDeferredCallbacks,
  type DeferredCallbacks,
  loadCallbackService,
  loadPendingFlags,
} from '@scorpiox/server/features/callbacks/index'
import { type DocumentReader, loadDocumentReader } from '@scorpiox/server/features/documents/index'
import {
  type CallHistory,
  createDeferredCallRecorder,
  loadCallHistory,
  loadCallRecorder,
} from '@scorpiox/server/features/history/index'
import { type ImageReader, loadImageReader } from '@scorpiox/server/features/images/index'
import {
  loadApprovalAsker,
  loadPermissionService,
  type PermissionService,
} from '@scorpiox/server/features/permissions/index'
import {
  loadLateDecisions,
  loadPlanPolicy,
  loadPlanService,
  type PlanService,
} from '@scorpiox/server/features/plans/index'
import { loadLateAnswers, loadQuestionService, type QuestionService } from '@scorpiox/server/features/questions/index'
import {
  createDeferredScripts,
  type DeferredScripts,
  loadScriptTools,
  type ScriptTools,
} from '@scorpiox/server/features/scripts/index'
import { loadSearchHealth, loadSearchService, type SearchService } from '@scorpiox/server/features/search/index'
import { type AddressPage, loadSecrets } from '@scorpiox/server/features/secrets/index'
import { loadRunningJobs, loadShellService, type ShellService } from '@scorpiox/server/features/shell/index'
import {
  createDeferredSkills,
  type DeferredSkills,
  loadSkillService,
  openSkillRegistrations,
  type SkillService,
} from '@scorpiox/server/features/skills/index'
import { loadTaskService, type TaskService } from '@scorpiox/server/features/tasks/index'
import type { GuardedFetch } from '@scorpiox/server/guarded-fetch/guarded-fetch'
import { createLazyDatabase } from '@scorpiox/server/lazy-state'
import type { Membership } from '@scorpiox/server/machines/membership'
import type { PatternMatcher } from '@scorpiox/server/patterns/pattern-matcher'
import type { CommandSandbox } from '@scorpiox/server/sandbox/command-sandbox'
import { CONSOLE_SESSION } from '@scorpiox/server/sessions/console-session'
import { recordJobs } from './job-history.js'
import type { SharedServices } from './workspaces/shared-services.js'

/** The services, by the name that tools request them by. */
interface ServiceMap {
  readonly serverFeed: ServerFeed
  readonly shell: ShellService
  readonly permissions: PermissionService
  readonly plans: PlanService
  readonly tasks: TaskService
  readonly questions: QuestionService
  readonly callbacks: CallbackService
  readonly skills: SkillService
  readonly patterns: PatternMatcher
  readonly guardedFetch: GuardedFetch
  readonly documents: DocumentReader
  readonly images: ImageReader
  readonly search: SearchService
  readonly views: ViewFiles
}

/** What a server is created from. */
export interface CreateServerDeps {
  readonly config: Config
  readonly log: Log
  readonly commandSandbox: () => Promise<CommandSandbox>
  readonly transport: 'stdio' | 'http'
  /** Set if the server is one of several machines. */
  readonly membership?: Membership | undefined
  /** By default TOOLS; on Windows their descriptions may name PowerShell. */
  readonly definitions?: readonly ToolDefinition[] | undefined
  /** Disabled besides those that the settings disable; for each tool the reason. */
  readonly disabledTools?: ReadonlyMap<string, string> | undefined
  /** What the servers of several workspaces share; by default a server has its own. */
  readonly shared?: SharedServices | undefined
}

export interface AppServicesDeps extends CreateServerDeps {
  /** All tool names, and for each disabled tool the reason. */
  readonly tools: readonly string[]
  readonly disabledTools: ReadonlyMap<string, string>
}

export interface AppServices {
  readonly services: ServiceTable
  readonly changeEvents: ChangeEvents
  readonly skills: DeferredSkills
  /** Undefined if no script folder is configured. */
  readonly scripts: DeferredScripts | undefined
  /** Supplies the pending messages that are added to results, once it is opened. */
  readonly callbacks: DeferredCallbacks
  readonly callLog: CallLog
  /** The server that calls of the console run in. */
  readonly attachServer: (server: McpServer) => void
  /** Opens the console for users of this server. */
  readonly openConsoles: () => Promise<UserConsoles>
  /** Whether a job runs, or callbacks or messages wait. */
  readonly hasWork: () => Promise<boolean>
  /** Ends the background jobs of these users. */
  readonly endJobs: (users: readonly string[]) => Promise<void>
}

const COMMAND_TOOL_NAMES = ['Bash', 'BackgroundBash']

export function createAppServices({
  config,
  log,
  commandSandbox,
  transport,
  membership,
  tools,
  disabledTools,
  shared,
}: AppServicesDeps): AppServices {
  const changeEvents = createChangeEvents()
  const database = shared?.database ?? createLazyDatabase(config, membership)
  const callLog = createCallLog()
  // The collector is loaded with the first service: a server that has not worked has nothing to give back.
  const collectWhenIdle = loadOnce(async () => {
    const { noteCall } = await import('@scorpiox/server/process/collect-when-idle')
    callLog.subscribe(noteCall)
  })
  const skills = createDeferredSkills(() => openSkillRegistrations(config, changeEvents, log))
  const callbacks = createDeferredCallbacks({
    mayHavePending: async (user) => (await loadPendingFlags()).mayHavePending(config, user),
    open: async () => services.open(['callbacks']),
    callLog,
    hasManySessions: transport === 'http',
    onError: (error) => log.warn(`callbacks: ${error instanceof Failure ? error.message : formatErrorStack(error)}`),
  })
  const openSecrets = loadOnce(async () => {
    const { createDeferredSecrets } = await loadSecrets()
    const secrets = createDeferredSecrets({
      project: findProjectRoot(config.cwd),
      waitMs: config.settings.ASK_WAIT * 1000,
      addressPage: transport === 'stdio' ? 'local' : await findAddressPage(config.settings),
      onError: (error) => log.warn(`commands cannot ask for passwords: ${errorMessage(error)}`),
    })
    secretValues = secrets.values
    return secrets
  })
  let mcpServer: McpServer | undefined
  let serverId: string | undefined
  const getServerId = (): string => (serverId ??= crypto.randomUUID().replaceAll('-', '').slice(0, 16))
  let secretValues: ReadonlyMap<string, readonly Buffer[]> | undefined
  const enteredSecrets = (user: string): readonly Buffer[] => secretValues?.get(user) ?? []
  let ownHistory: CallHistory | undefined
  const openHistory =
    shared?.callHistory ??
    loadOnce(async () => (ownHistory = (await loadCallHistory()).createCallHistory(config.settings)))
  const recorder = createDeferredCallRecorder(
    callLog,
    loadOnce(async () => {
      const { openCallRecorder } = await loadCallRecorder()
      return openCallRecorder({ config, log, history: await openHistory(), server: getServerId(), enteredSecrets })
    }),
    (error) => log.warn(`calls cannot be recorded: ${errorMessage(error)}`),
  )
  let shell: ShellService | undefined
  let serverFeed: ServerFeed | undefined
  const getOpenJobs = () => shell?.jobsIfOpen()
  const scriptFolder = getScriptFolder(config)
  const scripts = scriptFolder === undefined ? undefined : createDeferredScripts(() => openScripts(scriptFolder))
  const allTools = (): readonly string[] => [...tools, ...(scripts?.names() ?? [])]
  // Every other tool is a script, which runs as a command does.
  const isCommandTool = (tool: string): boolean => COMMAND_TOOL_NAMES.includes(tool) || !tools.includes(tool)
  const runsCommands = COMMAND_TOOL_NAMES.some((name) => !disabledTools.has(name))

  const factories: ServiceFactories<ServiceMap> = {
    async serverFeed(_, getService) {
      const { openServerFeed } = await import('@scorpiox/console/open-server-feed')
      const secrets = await openSecrets()
      const viewDeps = {
        changeEvents,
        state: database,
        callLog,
        recorder,
        history: openHistory,
        enteredSecrets,
        mcpServer: () => mcpServer,
        id: getServerId(),
        jobs: getOpenJobs,
        authorizeCommand: async (command: string, user: string) =>
          (await getService('permissions')).authorizeForUser(command, user),
        secrets,
        disabledReasons: disabledTools,
        tools: allTools,
        runsCommands: isCommandTool,
      }
      const search = async () => (await loadSearchHealth()).readSearchHealth(config.settings)
      const toolStatuses = new Map([['WebSearch', search]])
      serverFeed = await openServerFeed({
        config,
        log,
        commandSandbox,
        transport,
        toolStatuses,
        // A workspace is shown to its users only.
        hasSocket: shared === undefined,
        ...viewDeps,
      })
      secrets.attachPresence(serverFeed)
      return serverFeed
    },
    async patterns() {
      if (shared) return shared.patterns()
      const { openPatternMatcher } = await import('@scorpiox/server/patterns/pattern-matcher')
      return openPatternMatcher(config)
    },
    async shell(_, getService) {
      void collectWhenIdle()
      const [{ openShellService }, { openPlanPolicy }, secrets] = await Promise.all([
        loadShellService(),
        loadPlanPolicy(),
        openSecrets(),
      ])
      const sandbox = openPlanPolicy(config, await commandSandbox(), database)
      return (shell = openShellService({
        config,
        changeEvents,
        log,
        sandbox,
        membership,
        secrets,
        patterns: () => getService('patterns'),
      }))
    },
    async permissions(_, getService) {
      const { createPermissionService } = await loadPermissionService()
      const askUser = loadOnce(async () =>
        (await loadApprovalAsker()).createApprovalAsker(() => getService('questions')),
      )
      return createPermissionService({ config, askUser: async (...question) => (await askUser())(...question) })
    },
    async plans(_, getService) {
      const { openPlanService } = await loadPlanService()
      const { level: sandboxLevel } = await commandSandbox()
      const listRunningJobIds = async (user: string) => (await loadRunningJobs()).listRunningJobIds(config, user)
      const channels = async () => (await getService('questions')).channels
      return openPlanService({
        config,
        changeEvents,
        state: database,
        sandboxLevel,
        listRunningJobIds,
        transport,
        channels,
      })
    },
    async tasks() {
      const { openTaskService } = await loadTaskService()
      return openTaskService(config, changeEvents, database)
    },
    async questions(_, getService) {
      const { openQuestionService } = await loadQuestionService()
      const claimLease = async (caller: Caller): Promise<void> => {
        if (caller.session !== CONSOLE_SESSION) await (await getService('callbacks')).claimLease(caller)
      }
      return openQuestionService({ config, state: database, presence: await getService('serverFeed'), claimLease })
    },
    async callbacks(_, getService) {
      const { openCallbackService } = await loadCallbackService()
      const [{ queueLateAnswers }, { queueLateDecisions }] = await Promise.all([loadLateAnswers(), loadLateDecisions()])
      const openJobs = async () => (await getService('shell')).jobs()
      return openCallbackService({
        config,
        changeEvents,
        log,
        state: database,
        jobs: openJobs,
        isBusy: callLog.isBusy,
        patterns: () => getService('patterns'),
        deferred: callbacks,
        membership,
        async queueLateAnswers(rows, sessions) {
          await queueLateAnswers(rows, sessions)
          await queueLateDecisions(rows, sessions)
        },
      })
    },
    async skills(_, getService) {
      const { createSkillService } = await loadSkillService()
      return createSkillService(skills.open().index, () => (runsCommands ? getService('shell') : rejectScripts()))
    },
    async guardedFetch() {
      if (shared) return shared.guardedFetch()
      const { openGuardedFetch } = await import('@scorpiox/server/guarded-fetch/guarded-fetch')
      return openGuardedFetch(config, log)
    },
    async documents(_, getService) {
      void collectWhenIdle()
      if (shared) return shared.documents()
      const { openDocumentReader } = await loadDocumentReader()
      return openDocumentReader({
        config,
        log,
        guardedFetch: await getService('guardedFetch'),
        patterns: () => getService('patterns'),
      })
    },
    async images() {
      void collectWhenIdle()
      const { openImageReader } = await loadImageReader()
      const { level } = await commandSandbox()
      // Clients that may not run commands over HTTP must not read images from the whole disk either.
      const isSandboxed = level !== 'off' || (transport === 'http' && !runsCommands)
      return openImageReader(config, isSandboxed, await shared?.imageWorkers())
    },
    async search(_, getService) {
      if (shared) return shared.search()
      const { openSearchService } = await loadSearchService()
      return openSearchService(config.settings, await getService('guardedFetch'))
    },
    async views() {
      const { openViewFiles } = await loadViewFiles()
      return openViewFiles({
        partsDir: config.partsDir,
        loadStyleMarks: async () => (await import('@scorpiox/console/style-marks')).createStyleMarks,
      })
    },
  }

  async function openScripts(directory: string): Promise<ScriptTools> {
    const { openScriptTools } = await loadScriptTools()
    const stateDir = findStateDir(config.settings)
    return openScriptTools({ directory, shell: requireShell, changeEvents, log, reservedNames: tools, stateDir })
  }

  async function requireShell(): Promise<ShellService> {
    await services.open(['shell'])
    if (!shell) throw new Failure('The server is stopping.')
    return shell
  }

  const jobHistory = recordJobs({
    config,
    log,
    changeEvents,
    server: getServerId,
    jobs: getOpenJobs,
    openHistory,
    enteredSecrets,
  })
  const recorderWithHistory = {
    async close() {
      await jobHistory?.close()
      await recorder.close()
      await ownHistory?.close()
    },
  }
  const services: ServiceTable = closeBefore(
    [callbacks, recorderWithHistory, ...(scripts ? [scripts] : [])],
    createServiceTable(factories, changeEvents),
  )
  return {
    services,
    changeEvents,
    skills,
    scripts,
    callbacks,
    callLog,
    attachServer: (server) => void (mcpServer = server),
    async openConsoles() {
      await services.open(['serverFeed'])
      const { openUserConsoles } = await import('@scorpiox/console/user-consoles')
      return openUserConsoles({ config, state: database, history: await openHistory(), localFeed: serverFeed })
    },
    hasWork: async () => callbacks.hasWork() || ((await (await getOpenJobs())?.hasRunning()) ?? false),
    async endJobs(users) {
      const jobs = await getOpenJobs()
      if (jobs) await Promise.all(users.map((user) => jobs.killAll(user)))
    },
  }
}

/** Closes `first` before the services: callbacks save their state, which needs the open database. */
function closeBefore(first: readonly { close(): unknown }[], services: ServiceTable): ServiceTable {
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

/** Over the network users enter passwords where they have logged in; on this machine on a page of it. */
async function findAddressPage({ PUBLIC_URL: publicUrl, HTTP_HOST: host }: Config['settings']): Promise<AddressPage> {
  if (publicUrl !== '') return { consoleUrl: new URL('/', publicUrl).href }
  const { isLoopback } = await import('@scorpiox/mcp/http/host-policy')
  return isLoopback(host) ? 'local' : 'none'
}

/** Skills with scripts are refused if commands are disabled. */
function rejectScripts(): Promise<never> {
  return Promise.reject(
    new Failure('This skill runs a script, and commands are disabled (Bash and BackgroundBash are off).'),
  )
}
