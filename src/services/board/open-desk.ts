// Creates the feed and the socket of this server. Without a socket, consoles of other processes do not see this server;
// everything else works.

import { randomBytes } from 'node:crypto'

import type { Config } from '../../config/load.js'
import { stateDirOf } from '../../config/state-dir.js'
import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { VERSION } from '../../lib/version.js'
import type { Log } from '../../platform/log.js'
import { projectOf } from '../../platform/project.js'
import { desksIn } from '../../store/desk-entries.js'
import type { Jobs } from '../jobs/jobs.js'
import type { Notices } from '../notices.js'
import type { LazyState } from '../state.js'
import type { Confinement } from '../shell/confinement.js'
import { createDesk, type Desk } from './desk.js'
import { openDeskSocket, type DeskSocket } from './desk-socket.js'
import type { RecentCalls } from './recent-calls.js'
import type { ToolView } from './view.js'

export interface DeskSurroundings {
  readonly config: Config
  readonly log: Log
  readonly notices: Notices
  readonly state: LazyState
  readonly calls: RecentCalls
  readonly transport: 'stdio' | 'http'
  readonly jobs: () => Promise<Jobs> | undefined
  readonly confinement: () => Promise<Confinement>
  readonly tools: () => readonly string[]
  /** Whether the tool runs commands and therefore fails without a working sandbox. */
  readonly runsCommands: (tool: string) => boolean
  readonly refusals: ReadonlyMap<string, string>
  /** State of a tool by name, for tools that report one. */
  readonly standings: ReadonlyMap<string, () => Promise<Omit<ToolView, 'name'>>>
}

export async function openDesk(deps: DeskSurroundings): Promise<Desk> {
  const { config, log, state } = deps
  const id = randomBytes(8).toString('hex')
  const project = projectOf(config.cwd)
  const startedAt = Math.round(performance.timeOrigin)
  const { notices, calls, jobs, transport } = deps
  const server = async () => ({
    id,
    pid: process.pid,
    transport,
    project,
    startedAt,
    version: VERSION,
    tools: await toolViews(deps),
  })
  const feed = createDesk({ id, project, server, calls, jobs, notices, state })
  const socket = await openSocket(feed, config, log)
  return {
    ...feed,
    async close() {
      await feed.close()
      await socket?.close()
    },
  }
}

async function openSocket(feed: Desk, { settings }: Config, log: Log): Promise<DeskSocket | undefined> {
  try {
    return await openDeskSocket(feed, desksIn(stateDirOf(settings)))
  } catch (error) {
    log.warn(`the console cannot see this server: ${reasonOf(error)}`)
    return undefined
  }
}

async function toolViews({
  tools,
  refusals,
  runsCommands,
  confinement,
  standings,
}: DeskSurroundings): Promise<readonly ToolView[]> {
  const problem = await sandboxProblem(confinement)
  const view = async (name: string): Promise<ToolView> => {
    const note = refusals.get(name) ?? (runsCommands(name) ? problem : undefined)
    const toolState = note === undefined ? await standings.get(name)?.() : undefined
    return { name, works: note === undefined, note: note ?? null, ...toolState }
  }
  return Promise.all(tools().map(view))
}

/** The sandbox is verified once, by the first caller. */
async function sandboxProblem(confinement: () => Promise<Confinement>): Promise<string | undefined> {
  try {
    await (await confinement()).ready()
    return undefined
  } catch (error) {
    return error instanceof Failure ? error.message : String(error)
  }
}
