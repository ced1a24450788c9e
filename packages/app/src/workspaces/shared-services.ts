// The services that the servers of all workspaces of one process share: the database, and what fetches, decodes or
// searches in processes and threads of its own. Created by workspaces.ts; used by services.ts instead of services of
// its own. Each service is opened by the first call that needs it, and starts its processes then.

import type { Log } from '@scorpiox/mcp/log'
import { loadOnce } from '@scorpiox/mcp/promises'
import type { Config } from '@scorpiox/server/config/load-config'
import { type DocumentReader, loadDocumentReader } from '@scorpiox/server/features/documents/index'
import { type CallHistory, loadCallHistory } from '@scorpiox/server/features/history/index'
import { type ImageWorkerPool, loadImageReader } from '@scorpiox/server/features/images/index'
import { loadSearchService, type SearchService } from '@scorpiox/server/features/search/index'
import type { GuardedFetch } from '@scorpiox/server/guarded-fetch/guarded-fetch'
import { createLazyDatabase, type LazyStateDatabase, type MachineDatabase } from '@scorpiox/server/lazy-state'
import type { PatternMatcher } from '@scorpiox/server/patterns/pattern-matcher'

/** A server may close what it gets from here; that has no effect. */
export interface SharedServices {
  readonly database: LazyStateDatabase
  readonly callHistory: () => Promise<CallHistory>
  readonly patterns: () => Promise<PatternMatcher>
  readonly guardedFetch: () => Promise<GuardedFetch>
  readonly documents: () => Promise<DocumentReader>
  readonly imageWorkers: () => Promise<ImageWorkerPool>
  readonly search: () => Promise<SearchService>
}

/** One of several workspaces of an HTTP server. */
export interface HttpWorkspace {
  /** With the directory of the workspace. */
  readonly config: Config
  readonly shared: SharedServices
}

export interface OwnedSharedServices extends SharedServices {
  /** Closes all of them. */
  close(): Promise<void>
}

export function openSharedServices(config: Config, log: Log, machine?: MachineDatabase): OwnedSharedServices {
  const opened: { close(): unknown }[] = []
  const database = createLazyDatabase(config, machine)

  function share<T extends { close(): unknown }>(open: () => Promise<T>): () => Promise<T> {
    return loadOnce(async () => {
      const service = await open()
      opened.push(service)
      return keepOpen(service)
    })
  }

  const patterns = share(async () => {
    const { openPatternMatcher } = await import('@scorpiox/server/patterns/pattern-matcher')
    return openPatternMatcher(config)
  })
  const guardedFetch = share(async () => {
    const { openGuardedFetch } = await import('@scorpiox/server/guarded-fetch/guarded-fetch')
    return openGuardedFetch(config, log)
  })
  return {
    database: keepOpen(database),
    callHistory: share(async () => (await loadCallHistory()).createCallHistory(config.settings)),
    patterns,
    guardedFetch,
    documents: share(async () => {
      const { openDocumentReader } = await loadDocumentReader()
      return openDocumentReader({ config, log, guardedFetch: await guardedFetch(), patterns })
    }),
    imageWorkers: share(async () => (await loadImageReader()).openImageWorkers(config)),
    search: share(async () => (await loadSearchService()).openSearchService(config.settings, await guardedFetch())),
    async close() {
      await Promise.allSettled(opened.toReversed().map(async (service) => service.close()))
      await database.close()
    },
  }
}

function keepOpen<T extends { close(): unknown }>(service: T): T {
  return { ...service, close: () => Promise.resolve() }
}
