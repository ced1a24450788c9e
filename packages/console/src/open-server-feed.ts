// Creates the feed and the socket of this server, from its services; opened by the service table of the program
// (app/services.ts). Without a socket, consoles of other processes do not see this server; everything else works.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import type { CallLog } from '@scorpiox/mcp/server/call-log'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import type { Config } from '@scorpiox/server/config/load-config'
import { findProjectRoot, getStateDir } from '@scorpiox/server/config/paths'
import type { CallHistory, DeferredCallRecorder } from '@scorpiox/server/features/history/index'
import { createCallSource, type EnteredSecrets } from '@scorpiox/server/features/history/lazy'
import type { DeferredSecrets } from '@scorpiox/server/features/secrets/index'
import type { JobService } from '@scorpiox/server/features/shell/index'
import type { LazyStateDatabase } from '@scorpiox/server/lazy-state'
import type { CommandSandbox } from '@scorpiox/server/sandbox/command-sandbox'
import { VERSION } from '@scorpiox/server/config/version'
import { consoleSocketFolder } from './console-socket-registry.js'
import { type ConsoleSocket, openConsoleSocket } from './console-socket.js'
import { createFeedCalls } from './feed-calls.js'
import { createServerFeed, type ServerFeed } from './server-feed.js'
import type { ToolView } from './view.js'

export interface OpenServerFeedDeps {
  readonly config: Config
  readonly log: Log
  readonly changeEvents: ChangeEvents
  readonly state: LazyStateDatabase
  readonly callLog: CallLog
  /** Id of this server. */
  readonly id: string
  readonly recorder: DeferredCallRecorder
  readonly history: () => Promise<CallHistory>
  readonly enteredSecrets: EnteredSecrets
  /** Undefined while the server is created. */
  readonly mcpServer: () => McpServer | undefined
  readonly transport: 'stdio' | 'http'
  /** Whether consoles of other processes see this server. */
  readonly hasSocket: boolean
  readonly jobs: () => Promise<JobService> | undefined
  /** Rejects if a permission rule denies a command that the user starts. */
  readonly authorizeCommand: (command: string, user: string) => Promise<void>
  readonly secrets: DeferredSecrets
  readonly commandSandbox: () => Promise<CommandSandbox>
  readonly tools: () => readonly string[]
  /** Whether the tool runs commands and therefore fails without a working sandbox. */
  readonly runsCommands: (tool: string) => boolean
  readonly disabledReasons: ReadonlyMap<string, string>
  /** State of a tool by name, for tools that report one. */
  readonly toolStatuses: ReadonlyMap<string, () => Promise<Omit<ToolView, 'name'>>>
}

/** A console finds the socket of a server, and connects to it, within this time. */
const CONSOLE_CONNECT_MS = 1500

export async function openServerFeed(deps: OpenServerFeedDeps): Promise<ServerFeed> {
  const { config, id, log, state } = deps
  const project = findProjectRoot(config.cwd)
  const startedAt = Math.round(Date.now() - process.uptime() * 1000)
  const { changeEvents, callLog, jobs, secrets, transport } = deps
  const readServerView = async () => ({
    id,
    pid: process.pid,
    transport,
    project,
    startedAt,
    version: VERSION,
    tools: await toolViews(deps),
  })
  const sourceFor = createCallSource({ config, server: id, enteredSecrets: deps.enteredSecrets })
  const { recorder, history, mcpServer } = deps
  const callsFor = createFeedCalls({ callLog, recorder, history, mcpServer, sourceFor })
  const authorizeJob = async (command: string, user: string): Promise<void> => {
    const disabled = deps.disabledReasons.get('BackgroundBash')
    if (disabled !== undefined) throw new Failure(`The command was not started: ${disabled}.`)
    await deps.authorizeCommand(command, user)
  }
  const feedDeps = { id, project, callsFor, readServerView, callLog, jobs, authorizeJob, changeEvents, state, secrets }
  const feed = createServerFeed(feedDeps)
  const socket = deps.hasSocket ? await openSocket(feed, config, log) : undefined
  return {
    ...feed,
    connectsUntil: socket ? performance.now() + CONSOLE_CONNECT_MS : 0,
    async close() {
      await feed.close()
      await socket?.close()
    },
  }
}

async function openSocket(feed: ServerFeed, { settings }: Config, log: Log): Promise<ConsoleSocket | undefined> {
  try {
    return await openConsoleSocket(feed, consoleSocketFolder(getStateDir(settings)))
  } catch (error) {
    log.warn(`the console cannot see this server: ${errorMessage(error)}`)
    return undefined
  }
}

async function toolViews({
  tools,
  disabledReasons,
  runsCommands,
  commandSandbox,
  toolStatuses,
}: OpenServerFeedDeps): Promise<readonly ToolView[]> {
  const problem = await sandboxProblem(commandSandbox)
  const view = async (name: string): Promise<ToolView> => {
    const note = disabledReasons.get(name) ?? (runsCommands(name) ? problem : undefined)
    const toolState = note === undefined ? await toolStatuses.get(name)?.() : undefined
    return { name, works: note === undefined, note: note ?? null, ...toolState }
  }
  return Promise.all(tools().map(view))
}

/** The sandbox is verified once, by the first caller. */
async function sandboxProblem(confinement: () => Promise<CommandSandbox>): Promise<string | undefined> {
  try {
    await (await confinement()).verify()
    return undefined
  } catch (error) {
    return error instanceof Failure ? error.message : String(error)
  }
}
