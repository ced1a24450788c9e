// The server, put together: the tools that are switched on, over the services of a household.

import { join } from 'node:path'

import type { Config } from './config/load.js'
import { refusalsOf } from './config/refusals.js'
import { stateDirOf } from './config/state-dir.js'
import { createHousehold, type Household, type Surroundings } from './household.js'
import { VERSION } from './lib/version.js'
import { stackOf } from './platform/log.js'
import { createServer, type Server } from './protocol/server.js'
import type { Confinement } from './services/shell/confinement.js'
import { RESOURCES, TEMPLATES, TOOLS } from './tools/index.js'
import { instructionsFor } from './tools/instructions.js'
import type { Tool } from './tools/tool.js'

export interface Serving extends Pick<Household, 'callbacks' | 'openBoards'> {
  readonly server: Server
}

export function assemble(given: Omit<Surroundings, 'tools' | 'refusals'>): Serving {
  const { config, log } = given
  const { settings } = config
  const tools = TOOLS.map(({ name }) => name)
  const refusals = refusalsOf(config, tools)
  const { services, notices, skills, scripts, callbacks, observer, openBoards } = createHousehold({
    ...given,
    tools,
    refusals,
  })
  const isOffered = ({ name }: Tool): boolean => !refusals.has(name)
  const offers = {
    tools: TOOLS.filter(isOffered),
    resources: RESOURCES.flatMap(({ of, offer }) => (isOffered(of) ? [offer] : [])),
    templates: TEMPLATES.flatMap(({ of, offer }) => (isOffered(of) ? [offer] : [])),
  }
  const offered = refusals.has('InvokeSkill') ? offers : skills.among(offers)
  const server = createServer({
    name: 'scorpiox-code',
    version: VERSION,
    instructions: instructionsFor(offers.tools.map(({ name }) => name)),
    newlineAfterText: true,
    model: settings.MODEL,
    notices,
    tickets: async () => {
      const { openTicketFiles } = await import('./store/ticket-files.js')
      return openTicketFiles(join(stateDirOf(settings), 'tickets'))
    },
    ...(scripts ? scripts.among(offered) : offered),
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

/** Looked at when it is needed: who runs no command need not know. */
export function lazily(config: Config, given?: Confinement): () => Promise<Confinement> {
  let found = given && Promise.resolve(given)
  return () => (found ??= import('./services/shell/confinement.js').then((module) => module.confinementOf(config)))
}
