// Which servers can act: views dim what belongs to a server that has exited and disable actions that cannot work now.
// Provided by console-page, used by the views and ConfirmButton. Pure.

import { createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'

import type { ServerView } from '../view.js'

export interface Servers {
  /** False while the page has no connection: everything shown may be outdated, and no action works. */
  readonly isConnected: boolean
  /** The server has exited. What it shows stays for five minutes, and its jobs accept no actions. */
  readonly isGone: (server: string) => boolean
  /** Whether an action works now; of no particular server if `server` is missing. */
  readonly canAct: (server?: string) => boolean
}

const ServersContext = createContext<Servers>({ isConnected: true, isGone: () => false, canAct: () => true })

export const ServersProvider = ServersContext.Provider

export function useServers(): Servers {
  return useContext(ServersContext)
}

export function useServerStates(servers: readonly ServerView[], isConnected: boolean): Servers {
  return useMemo(() => {
    const gone = new Set(servers.filter((server) => server.isGone).map(({ id }) => id))
    const isGone = (server: string): boolean => gone.has(server)
    return { isConnected, isGone, canAct: (server) => isConnected && (server === undefined || !isGone(server)) }
  }, [servers, isConnected])
}
