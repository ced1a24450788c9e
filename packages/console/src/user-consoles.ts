// The consoles of a process, one per user, shared by all windows of that user. Used by the HTTP server, `ui` and
// `inbox`. Opens each on first use; no other I/O.

import type { Config } from '@scorpiox/server/config/load-config'
import { findProjectRoot, getStateDir } from '@scorpiox/server/config/paths'
import type { CallHistory } from '@scorpiox/server/features/history/index'
import { createCallHistory } from '@scorpiox/server/features/history/lazy'
import type { LazyStateDatabase } from '@scorpiox/server/lazy-state'
import { consoleSocketFolder } from './console-socket-registry.js'
import type { ServerFeed } from './server-feed.js'
import { createUserConsole, type UserConsole, type UserConsoleDeps } from './user-console.js'

export interface UserConsoles {
  /** `isLocal`: the user of this machine, with access to its other servers too. */
  forUser(user: string, isLocal: boolean): UserConsole
  close(): Promise<void>
}

function createUserConsoles({ socketDirectory, ...settings }: Omit<UserConsoleDeps, 'user' | 'onIdle'>): UserConsoles {
  const consoles = new Map<string, UserConsole>()
  return {
    forUser(user, isLocal) {
      const key = JSON.stringify([user, isLocal])
      const known = consoles.get(key)
      if (known) return known
      const onIdle = (): void => void consoles.delete(key)
      const userConsole = createUserConsole({
        ...settings,
        user,
        socketDirectory: isLocal ? socketDirectory : undefined,
        onIdle,
      })
      consoles.set(key, userConsole)
      return userConsole
    },
    async close() {
      await Promise.all(Array.from(consoles.values(), (userConsole) => userConsole.close()))
      await settings.history.close()
      await settings.state.close()
    },
  }
}

export interface OpenUserConsolesDeps {
  readonly config: Config
  readonly state: LazyStateDatabase
  /** Undefined if this process serves no clients. */
  readonly localFeed: ServerFeed | undefined
  /** Of the server; by default the consoles open their own. */
  readonly history?: CallHistory
}

export function openUserConsoles({ config, state, localFeed, history }: OpenUserConsolesDeps): UserConsoles {
  const { settings, cwd } = config
  return createUserConsoles({
    localFeed,
    state,
    socketDirectory: consoleSocketFolder(getStateDir(settings)),
    project: findProjectRoot(cwd),
    history: history ? { ...history, close: () => Promise.resolve() } : createCallHistory(settings),
  })
}
