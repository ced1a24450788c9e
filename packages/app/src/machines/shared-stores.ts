// What the HTTP server of a machine stores in the database that all machines share: the tokens of callers and what
// legacy sessions have negotiated. Loaded by serve-http.ts when the server joins. Polls the database for revoked tokens
// and deletes expired rows on timers until it is closed.

import type { HttpSessionStore } from '@scorpiox/mcp/http/session-store'
import type { Membership } from '@scorpiox/server/machines/membership'
import { startSharedCleanup } from '@scorpiox/server/machines/shared-cleanup'
import { openSharedSessions } from '@scorpiox/server/machines/shared-sessions'
import { openSharedTokens, type SharedTokens } from '../http/token-database.js'

export interface SharedStores {
  readonly tokens: SharedTokens
  readonly sessionStore: HttpSessionStore
  close(): void
}

export function openSharedStores(membership: Membership, project: string): SharedStores {
  const tokens = openSharedTokens(membership.database)
  const stopCleanup = startSharedCleanup(membership.database)
  return {
    tokens,
    sessionStore: openSharedSessions(membership, project),
    close() {
      tokens.close()
      stopCleanup()
    },
  }
}
