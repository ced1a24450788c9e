// What each level sees: which files are shown, hidden, writable and fixed. Where there is a doubt, hidden wins.

import { Failure } from '../../lib/failure.js'
import type { CageLevel } from './level.js'
import type { Place, View } from './mounts.js'
import { existing, hiddenPlaces, isWorthHiding, readablePlaces, systemParts } from './places.js'

/** All absolute. */
export interface ViewTerms {
  /** The folder worked in: commands may write to it at `workspace` and `strict`. */
  readonly project: string
  /** Empty where the user has none. */
  readonly home: string
  /** Files and folders no command may read, also those that do not exist yet. */
  readonly hidden: readonly string[]
  /** Files and folders that may be read at `strict` besides the project and the system. */
  readonly readable: readonly string[]
  /** What no command may change even in the project, such as the code of this server. */
  readonly fixed: readonly string[]
  /** Folders with what commands run: readable wherever they lie. Those that do not exist yet are passed over. */
  readonly programs?: readonly string[] | undefined
  readonly memoryBytes: number
}

/** Where the sockets of the host lie: its services, the agents of the person. */
const SOCKET_FOLDERS = ['/run', '/var/run']

/** What the kernel tells its owner, who is root, about everybody's processes. */
const KERNEL_INSIDES = ['/sys/kernel/debug', '/sys/kernel/tracing']

/** Needed by programs although they may lie among the sockets: how to find names, and on some systems every program. */
const ALWAYS_READABLE = ['/etc/resolv.conf', '/run/current-system']

/** Dozens of files that are mostly not there: looking for them again at each command would take most of its time. */
const LOOK_FRESH_MS = 1000

export type Views = (level: CageLevel, writable: readonly string[], fixed: readonly string[]) => View

export function createViews(
  { project, home, memoryBytes, programs = [], ...terms }: ViewTerms,
  emptyFile: string,
): Views {
  const system = systemParts()
  const secrets = [...terms.hidden, ...SOCKET_FOLDERS, ...KERNEL_INSIDES].filter(isWorthHiding)
  const always = [
    ...readablePlaces([project, ...ALWAYS_READABLE, ...programs]),
    ...terms.fixed.map((path): Place => ({ path: existing(path), as: 'fixed' })),
  ]
  const homes = hasHome(home) ? hiddenPlaces([home]) : []
  let looked: { readonly at: number; readonly hidden: readonly Place[] } | undefined

  function hiddenNow(): readonly Place[] {
    if (!looked || performance.now() - looked.at > LOOK_FRESH_MS) {
      looked = { at: performance.now(), hidden: hiddenPlaces(secrets) }
    }
    return looked.hidden
  }

  return (level, writable, fixed) => {
    const isStrict = level === 'strict'
    const hidden = isStrict ? [...homes, ...hiddenNow()] : hiddenNow()
    const conflict = hidden.find(({ path }) => path === project || writable.includes(path))
    if (conflict) throw new Failure(`The command was not started: SANDBOX_HIDE hides ${conflict.path}, where it works.`)
    const places = [
      ...always,
      ...(isStrict ? readablePlaces(terms.readable) : []),
      ...writable.map((path): Place => ({ path, as: 'writable' })),
      ...fixed.map((path): Place => ({ path, as: 'fixed' })),
      ...hidden,
    ]
    return { base: isStrict ? system : 'everything', places, scratchBytes: Math.floor(memoryBytes / 2), emptyFile }
  }
}

/** Some users of the system have none, or are said to live in the root. */
export function hasHome(home: string): boolean {
  return home !== '' && home !== '/'
}
