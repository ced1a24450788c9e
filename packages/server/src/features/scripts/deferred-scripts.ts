// Adds script tools to a server's tool list. The script index is opened by the first list request, so that nothing else of
// the feature is loaded at the start. Created by services.ts of the app if SCRIPT_TOOLS is set. No I/O of its own.

import type { ToolDefinition } from '@scorpiox/mcp/definitions/tool'
import { loadOnce } from '@scorpiox/mcp/promises'
import type { ScriptTools } from './script-tools.js'

export interface DeferredScripts {
  /** The same registrations with the script tools added. `refreshLists` returns undefined if no script must be run. */
  addTo<O extends ToolRegistrations>(others: O): O & AddedToolRegistrations
  /** Names of the script tools found so far. */
  names(): readonly string[]
  close(): void
}

interface ToolRegistrations {
  readonly tools: readonly ToolDefinition[] | (() => readonly ToolDefinition[])
  readonly refreshLists?: () => Promise<void> | undefined
}

interface AddedToolRegistrations {
  tools(): readonly ToolDefinition[]
  refreshLists(): Promise<void> | undefined
}

export function createDeferredScripts(open: () => Promise<ScriptTools>): DeferredScripts {
  let opened: ScriptTools | undefined
  let isClosed = false
  const openOnce = loadOnce(async () => (opened = await open()))

  function refresh(): Promise<void> | undefined {
    if (isClosed) return undefined
    if (opened) return opened.index.refresh()
    return openOnce().then(({ index }) => (isClosed ? undefined : index.refresh()))
  }

  return {
    addTo: (others) => ({
      ...others,
      tools() {
        const { tools } = others
        return [...(typeof tools === 'function' ? tools() : tools), ...(opened?.tools() ?? [])]
      },
      refreshLists() {
        const pending = [others.refreshLists?.(), refresh()].filter((promise) => promise !== undefined)
        return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined)
      },
    }),
    names: () => opened?.index.scripts.map(({ name }) => name) ?? [],
    close() {
      isClosed = true
      opened?.index.close()
    },
  }
}
