// Wraps the membership of a machine for one workspace of WORKSPACE_ROOT. Machines own users, not directories: a user
// whose tokens name two tenants has two directories and one owner. So the project of a scope becomes the common folder
// in calls, and the directory of the workspace in events. Used by workspaces.ts. No I/O of its own.

import type { WorkspaceRoot } from '@scorpiox/server/config/workspace-root'
import type { Membership, MembershipEvent } from '@scorpiox/server/machines/membership'
import type { Scope } from '@scorpiox/server/storage/scoped-database'

/** `directory`: of the workspace; undefined for what all workspaces share, which gets no events. */
export function inWorkspaces(membership: Membership, root: WorkspaceRoot, directory = root.folder): Membership {
  const owned = ({ user }: Scope): Scope => ({ project: root.folder, user })
  const seen = ({ project, user }: Scope): Scope => ({ project: project === root.folder ? directory : project, user })
  return {
    database: membership.database,
    fence: (sql, scope) => membership.fence(sql, owned(scope)),
    name: membership.name,
    files: membership.files,
    get incarnation() {
      return membership.incarnation
    },
    get key() {
      return membership.key
    },
    get isDraining() {
      return membership.isDraining
    },
    get isDatabaseAway() {
      return membership.isDatabaseAway
    },
    isServing: () => membership.isServing(),
    ownedEpoch: (scope) => membership.ownedEpoch(owned(scope)),
    claim: (scope) => membership.claim(owned(scope)),
    forget: (scope) => membership.forget(owned(scope)),
    release: (scope, leavesFiles) => membership.release(owned(scope), leavesFiles),
    owned: () => membership.owned().map(seen),
    databaseTime: () => membership.databaseTime(),
    findLive: (incarnations) => membership.findLive(incarnations),
    onEvent(listener) {
      const stop = membership.onEvent((event) => listener(translate(event, seen)))
      // A workspace is opened after its user was claimed.
      for (const scope of membership.owned()) {
        const epoch = membership.ownedEpoch(scope)
        if (epoch !== undefined) listener({ kind: 'claimed', scope: seen(scope), epoch, previous: undefined })
      }
      return stop
    },
    drain: () => membership.drain(),
    hasSuccessor: () => membership.hasSuccessor(),
    beforeRelease: (listener) => membership.beforeRelease((scope) => listener(seen(scope))),
    close: () => membership.close(),
  }
}

function translate(event: MembershipEvent, seen: (scope: Scope) => Scope): MembershipEvent {
  if (event.kind === 'lost') return { ...event, scopes: event.scopes.map(seen) }
  return 'scope' in event ? { ...event, scope: seen(event.scope) } : event
}
