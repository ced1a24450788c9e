// Creates the MCP server: the enabled tools, resources and prompts, over the services of the program.

import { join } from 'node:path'

import type { Config } from './config/load.js'
import { refusalsOf } from './config/refusals.js'
import { stateDirOf } from './config/state-dir.js'
import { createHousehold, type CreateServerDeps } from './household.js'
import { VERSION } from './lib/version.js'
import { stackOf } from './platform/log.js'
import { createServer, type Server } from './protocol/server.js'
import type { Boards } from './services/board/shared-boards.js'
import type { LateCallbacks } from './services/callbacks/late-callbacks.js'
import type { Confinement } from './services/shell/confinement.js'
import { RESOURCES, TEMPLATES, TOOLS } from './tools/index.js'
import { instructionsFor } from './tools/instructions.js'
import type { Tool } from './tools/tool.js'

export interface Serving {
  readonly server: Server
  readonly callbacks: LateCallbacks
  readonly openBoards: () => Promise<Boards>
}

export function assemble(deps: CreateServerDeps): Serving {
  const { config, log } = deps
  const { settings } = config
  const tools = TOOLS.map(({ name }) => name)
  const refusals = refusalsOf(config, tools)
  const { services, notices, skills, scripts, callbacks, observer, openBoards } = createHousehold({
    ...deps,
    tools,
    refusals,
  })
  const isEnabled = ({ name }: Tool): boolean => !refusals.has(name)
  const definitions = {
    tools: TOOLS.filter(isEnabled),
    resources: RESOURCES.flatMap(({ of, offer }) => (isEnabled(of) ? [offer] : [])),
    templates: TEMPLATES.flatMap(({ of, offer }) => (isEnabled(of) ? [offer] : [])),
  }
  const withSkills = refusals.has('InvokeSkill') ? definitions : skills.among(definitions)
  const server = createServer({
    name: 'scorpiox-code',
    version: VERSION,
    instructions: instructionsFor(definitions.tools.map(({ name }) => name)),
    newlineAfterText: true,
    model: settings.MODEL,
    notices,
    tickets: async () => {
      const { openTicketFiles } = await import('./store/ticket-files.js')
      return openTicketFiles(join(stateDirOf(settings), 'tickets'))
    },
    ...(scripts ? scripts.among(withSkills) : withSkills),
    refusals,
    logError: (error) => log.error(stackOf(error)),
    logging: true,
    channel: settings.CLAUDE_CHANNEL ? 'all' : 'asked',
    mail: callbacks,
    observer,
    services,
  })
  return { server, callbacks, openBoards }
}

/** Opens the command sandbox on first use: a server that runs no commands does not need it. */
export function lazily(config: Config, opened?: Confinement): () => Promise<Confinement> {
  let opening = opened && Promise.resolve(opened)
  return () => (opening ??= import('./services/shell/confinement.js').then((module) => module.confinementOf(config)))
}
