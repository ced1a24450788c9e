// Opens the script index and makes a tool of each script that described itself.

import type { Log } from '../platform/log.js'
import { openScripts, type ScriptSources } from '../services/scripts/open-scripts.js'
import type { ScriptIndex } from '../services/scripts/script-index.js'
import { scriptTool } from './script-tool.js'
import type { Tool } from './tool.js'

export interface ScriptOffers {
  readonly index: ScriptIndex
  tools(): readonly Tool[]
}

export function scriptOffers({ log, ...deps }: ScriptSources & { readonly log: Log }): ScriptOffers {
  const index = openScripts({ ...deps, complain: (message) => log.warn(message) })
  return { index, tools: () => index.scripts.map(scriptTool) }
}
