// Script tools among what else a server offers, without looking for any before a list is asked for.

import type { ScriptIndex } from '../services/scripts/script-index.js'
import type { Tool } from './tool.js'

export interface LateScripts {
  /** The same offers with the tools among them; nothing to wait for where no script must be asked. */
  among<O extends Offers>(others: O): O & Required<Pick<Offers, 'prepare'>> & { tools(): readonly Tool[] }
  close(): void
}

interface Offers {
  readonly tools: readonly Tool[] | (() => readonly Tool[])
  readonly prepare?: () => Promise<void> | undefined
}

interface Opened {
  readonly index: ScriptIndex
  readonly toolOf: (script: ScriptIndex['scripts'][number]) => Tool
}

export function lateScripts(open: () => Promise<Opened>): LateScripts {
  let opening: Promise<Opened> | undefined
  let opened: Opened | undefined
  let isClosed = false

  function refresh(): Promise<void> | undefined {
    if (isClosed) return undefined
    if (opened) return opened.index.refresh()
    opening ??= open().then((now) => (opened = now))
    return opening.then(({ index }) => index.refresh())
  }

  return {
    among: (others) => ({
      ...others,
      tools() {
        const { tools } = others
        const scripts = opened ? opened.index.scripts.map(opened.toolOf) : []
        return [...(typeof tools === 'function' ? tools() : tools), ...scripts]
      },
      prepare() {
        const waits = [others.prepare?.(), refresh()].filter((wait) => wait !== undefined)
        return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
      },
    }),
    close() {
      isClosed = true
      opened?.index.close()
    },
  }
}
