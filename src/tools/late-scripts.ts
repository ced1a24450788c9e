// Adds script tools to a server's tool list. The script index is opened by the first list request.

import type { ScriptOffers } from './script-offers.js'
import type { Tool } from './tool.js'

export interface LateScripts {
  /** The same registrations with the script tools added. `refreshLists` returns undefined if no script must be run. */
  among<O extends Offers>(others: O): O & AllOffers
  /** Names of the script tools found so far. */
  names(): readonly string[]
  close(): void
}

interface Offers {
  readonly tools: readonly Tool[] | (() => readonly Tool[])
  readonly prepare?: () => Promise<void> | undefined
}

interface AllOffers {
  tools(): readonly Tool[]
  prepare(): Promise<void> | undefined
}

export function lateScripts(open: () => Promise<ScriptOffers>): LateScripts {
  let opening: Promise<ScriptOffers> | undefined
  let opened: ScriptOffers | undefined
  let isClosed = false

  function refresh(): Promise<void> | undefined {
    if (isClosed) return undefined
    if (opened) return opened.index.refresh()
    opening ??= open().then((scripts) => (opened = scripts))
    return opening.then(({ index }) => (isClosed ? undefined : index.refresh()))
  }

  return {
    among: (others) => ({
      ...others,
      tools() {
        const { tools } = others
        return [...(typeof tools === 'function' ? tools() : tools), ...(opened?.tools() ?? [])]
      },
      prepare() {
        const pending = [others.prepare?.(), refresh()].filter((promise) => promise !== undefined)
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
