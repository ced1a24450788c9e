// Script tools among what else a server offers, without looking for any before a list is asked for.

import type { ScriptOffers } from './script-offers.js'
import type { Tool } from './tool.js'

export interface LateScripts {
  /** The same offers with the tools among them; nothing to wait for where no script must be asked. */
  among<O extends Offers>(others: O): O & Required<Pick<Offers, 'prepare'>> & { tools(): readonly Tool[] }
  /** Of those that are known by now. */
  names(): readonly string[]
  close(): void
}

interface Offers {
  readonly tools: readonly Tool[] | (() => readonly Tool[])
  readonly prepare?: () => Promise<void> | undefined
}

export function lateScripts(open: () => Promise<ScriptOffers>): LateScripts {
  let opening: Promise<ScriptOffers> | undefined
  let opened: ScriptOffers | undefined
  let isClosed = false

  function refresh(): Promise<void> | undefined {
    if (isClosed) return undefined
    if (opened) return opened.index.refresh()
    opening ??= open().then((now) => (opened = now))
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
        const waits = [others.prepare?.(), refresh()].filter((wait) => wait !== undefined)
        return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
      },
    }),
    names: () => opened?.index.scripts.map(({ name }) => name) ?? [],
    close() {
      isClosed = true
      opened?.index.close()
    },
  }
}
