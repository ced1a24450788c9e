// Builds a sandboxed command. It is built anew for each start, because the files it protects come and go; that takes
// about 0.2 ms.

import { statSync } from 'node:fs'

import { isWithin } from '../../lib/is-within.js'
import type { Cage } from '../sandboxed-command.js'
import { createHolds } from './holds.js'
import { inheritedDescriptors } from './inherited.js'
import type { CageLevel } from './level.js'
import type { Limits } from './limits.js'
import { mountFlags, planMounts, type Plan } from './mounts.js'
import { inRealFolders, writableRoot } from './places.js'
import { createGuard } from './protected.js'
import { createViews, hasHome, type ViewTerms } from './views.js'
import type { Workshop } from './workshop.js'

export interface Grants {
  readonly writable?: readonly string[]
}

export interface Cages {
  cage(level: CageLevel, grants?: Grants): Cage
  /** To be called when no sandboxed command is running any more: removes the placeholders from the project. */
  close(): Promise<void>
}

export interface CageTerms extends ViewTerms {
  /** Folders that commands may write to besides the project. */
  readonly writable: readonly string[]
  /** Files and folders that control this server, wherever they are, also those that do not exist yet. */
  readonly obeyed?: readonly string[] | undefined
  /** At any level, only the write grants of a command are writable: neither the project nor the folders above. */
  readonly isSealed?: boolean | undefined
}

interface SandboxedCommandDeps {
  /** bwrap, and what may precede it. */
  readonly bwrap: readonly string[]
  readonly bash: string
  readonly workshop: Workshop
  readonly limits: Limits
}

/** Part of every sandbox; `strict` has a network namespace besides. */
const ISOLATION_FLAGS = [
  '--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup',
  '--cap-drop ALL --die-with-parent --seccomp 9',
  // The inherited TMPDIR may be a folder of the host that is not mounted.
  '--setenv TMPDIR /tmp',
].flatMap((flags) => flags.split(' '))

export function createCages(policy: CageTerms, { bwrap, bash, workshop: files, limits }: SandboxedCommandDeps): Cages {
  const { project, home } = policy
  const protectedPaths = createGuard()
  const activeMounts = createHolds()
  const controlFiles = inRealFolders(policy.obeyed ?? []).filter(
    (path) => !policy.fixed.some((readOnlyPath) => isWithin(path, readOnlyPath)),
  )
  const viewOf = createViews(policy, files.emptyFile)
  const closeInherited = inheritedDescriptors().map((descriptor) => `exec ${descriptor}<&-; `)

  function planView(level: CageLevel, writable: readonly string[]): PlannedView {
    const { isHeld: isMountedInAll } = activeMounts
    const projectRoots = writable.some((root) => isWithin(project, root)) ? [project] : []
    // Where only grants are writable, they are not a project, and a symbolic link created there would fail every command.
    const protectedRoots = policy.isSealed ? [] : new Set([...projectRoots, ...writable])
    const protectedInRoots = [...protectedRoots].flatMap((root) =>
      protectedPaths.protect(root, { isProject: root === project, isHeld: isMountedInAll }),
    )
    const controlFilesInRoots = controlFiles.filter(
      (path) => [...protectedRoots].some((root) => isWithin(path, root)) && isMountedInAll(path),
    )
    const readOnly = [...protectedInRoots, ...protectedPaths.hold(controlFilesInRoots)]
    const view = viewOf(level, writable, readOnly)
    const plan = planMounts(view, isMountedInAll)
    const flags = mountFlags(plan, view)
    return { plan, flags, fingerprint: `${flags.join('\0')}\0${formatInodes(plan)}` }
  }

  function create(level: CageLevel, { writable: granted = [] }: Grants = {}): Cage {
    const projectRoot = level === 'read-only' ? [] : [project]
    const defaultRoots = policy.isSealed ? [] : [...projectRoot, ...policy.writable]
    const writable = [...defaultRoots, ...granted.map((path) => writableRoot(path, home))]
    const { plan, fingerprint, flags } = planView(level, writable)
    const allocation = limits.allot()
    let removeMounts = activeMounts.add(writable, plan)
    const strictFlags = level === 'strict' ? ['--unshare-net', ...(hasHome(home) ? ['--dir', home] : [])] : []
    return {
      argv: [...bwrap, ...ISOLATION_FLAGS, ...strictFlags, ...flags, '--'],
      filter: files.filter,
      limits: allocation.entrances,
      bash,
      prelude: [...closeInherited, allocation.ulimits].join(''),
      isCurrent() {
        // This command has not run anything yet, so it cannot change what would be mounted now.
        removeMounts()
        try {
          return planView(level, writable).fingerprint === fingerprint
        } catch {
          return false
        } finally {
          removeMounts = activeMounts.add(writable, plan)
        }
      },
      release() {
        removeMounts()
        allocation.release()
      },
    }
  }

  return {
    cage: create,
    async close() {
      limits.close()
      await protectedPaths.close()
    },
  }
}

interface PlannedView {
  readonly plan: Plan
  readonly flags: readonly string[]
  /** Changes if another mount plan would be made. */
  readonly fingerprint: string
}

/** If a file is replaced on the host, its bind mount disappears and the new file becomes visible in every sandbox. */
function formatInodes(plan: Plan): string {
  const mounted = [...plan].filter(([, mount]) => mount !== 'write' && mount !== 'private tmp')
  return mounted.map(([path]) => statSync(path, { throwIfNoEntry: false })?.ino).join(' ')
}
