// How to put one program into the sandbox: made anew for each, because the files it protects come and go. Cheap enough
// for that, about a fifth of a millisecond.

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
  /** When no cage is in use any more: takes away what was put into the project to protect it. */
  close(): Promise<void>
}

export interface CageTerms extends ViewTerms {
  /** Folders commands may write to besides the project. */
  readonly writable: readonly string[]
  /** Files and folders that this server obeys, wherever they lie, also those that do not exist yet. */
  readonly obeyed?: readonly string[] | undefined
  /** Whatever the level, nothing may be written to but what a cage is granted: not the project, nor the folders above. */
  readonly isSealed?: boolean | undefined
}

interface Materials {
  /** bwrap, and what may have to stand before it. */
  readonly bwrap: readonly string[]
  readonly bash: string
  readonly workshop: Workshop
  readonly limits: Limits
}

/** Every sandbox has these; `strict` has a network of its own besides. */
const ISOLATION = [
  '--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup',
  '--cap-drop ALL --die-with-parent --seccomp 9',
  // The folder it names may be one of the host's, which is not there.
  '--setenv TMPDIR /tmp',
].flatMap((flags) => flags.split(' '))

export function createCages(terms: CageTerms, { bwrap, bash, workshop, limits }: Materials): Cages {
  const { project, home } = terms
  const guard = createGuard()
  const holds = createHolds()
  const obeyed = inRealFolders(terms.obeyed ?? []).filter((path) => !terms.fixed.some((whole) => isWithin(path, whole)))
  const viewOf = createViews(terms, workshop.emptyFile)
  const closing = inheritedDescriptors().map((descriptor) => `exec ${descriptor}<&-; `)

  function lookAround(level: CageLevel, writable: readonly string[]): Look {
    const { isHeld } = holds
    const around = writable.some((root) => isWithin(project, root)) ? [project] : []
    // What is granted where all else is sealed is nobody's project, and a link planted there would stop all work.
    const roots = terms.isSealed ? [] : new Set([...around, ...writable])
    const theirs = [...roots].flatMap((root) => guard.protect(root, { isProject: root === project, isHeld }))
    const within = obeyed.filter((path) => [...roots].some((root) => isWithin(path, root)) && isHeld(path))
    const fixed = [...theirs, ...guard.hold(within)]
    const view = viewOf(level, writable, fixed)
    const plan = planMounts(view, isHeld)
    const flags = mountFlags(plan, view)
    return { plan, flags, fingerprint: `${flags.join('\0')}\0${identities(plan)}` }
  }

  function cage(level: CageLevel, { writable: given = [] }: Grants = {}): Cage {
    const own = level === 'read-only' ? [] : [project]
    const usual = terms.isSealed ? [] : [...own, ...terms.writable]
    const writable = [...usual, ...given.map((path) => writableRoot(path, home))]
    const { plan, fingerprint, flags } = lookAround(level, writable)
    const allotment = limits.allot()
    let leave = holds.add(writable, plan)
    const apart = level === 'strict' ? ['--unshare-net', ...(hasHome(home) ? ['--dir', home] : [])] : []
    return {
      argv: [...bwrap, ...ISOLATION, ...apart, ...flags, '--'],
      filter: workshop.filter,
      limits: allotment.entrances,
      bash,
      prelude: [...closing, allotment.ulimits].join(''),
      isCurrent() {
        // It has run nothing yet, so it is no danger to what would be mounted now.
        leave()
        try {
          return lookAround(level, writable).fingerprint === fingerprint
        } catch {
          return false
        } finally {
          leave = holds.add(writable, plan)
        }
      },
      release() {
        leave()
        allotment.release()
      },
    }
  }

  return {
    cage,
    async close() {
      limits.close()
      await guard.close()
    },
  }
}

interface Look {
  readonly plan: Plan
  readonly flags: readonly string[]
  /** Differs when another cage would be made. */
  readonly fingerprint: string
}

/** A file that is replaced on the host takes what was mounted on it along, and shows itself in every cage. */
function identities(plan: Plan): string {
  const guarded = [...plan].filter(([, mount]) => mount !== 'write' && mount !== 'scratch')
  return guarded.map(([path]) => statSync(path, { throwIfNoEntry: false })?.ino).join(' ')
}
