// Shells to run commands in: one is kept ready, and another takes the place of the one that is used. Where the system
// has not what the nursery needs there are none, and commands are started directly.

import { statSync } from 'node:fs'

import { fitsPipe, openNursery, type Nursery, type Recording } from './nursery.js'
import type { Nursling } from './nursling.js'
import { tagsIn } from './process-tree.js'
import type { Cage } from './sandboxed-command.js'

const NOBODY: ReadonlySet<number> = new Set()
const SOON_MS = 5

export interface ReadyShells {
  /** undefined: there is no nursery on this system. Rejects where the system refuses; `code` says why if it is known. */
  take(wish: Command): Promise<ReadyShell | undefined>
  /** The processes that lead the shells there are. */
  leaders(): ReadonlySet<number>
  /** None is kept ready any more. */
  retire(): void
  /** Whether one that was kept is still there. */
  readonly isBusy: boolean
  close(): void
}

export interface Wish {
  readonly command?: string | undefined
  /** What it reads from stdin: a shell of its own is made for it. */
  readonly input?: string | undefined
  readonly confine?: Confine | undefined
  readonly record?: Recording | undefined
}

export type Command = Wish & { readonly command: string }

/** Makes cages; those with the same key are alike. */
export interface Confine {
  readonly key: string
  /** To be said of a command that failed, perhaps for being confined. */
  readonly note?: string
  cage(): Cage
}

export interface ReadyShell {
  readonly nursling: Nursling
  readonly tag: string
  readonly cage: Cage | undefined
}

export interface ReadySettings {
  readonly bash: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly outlive: boolean
  readonly family: string
}

interface Home {
  readonly nursery: Nursery
  readonly name: string
  /** The directory it sits in, which may since have been replaced by another of the same name. */
  readonly place: string
}

interface Kept {
  readonly home: Home
  readonly key: string
  readonly shell: Promise<ReadyShell>
}

export function createReadyShells({ bash, cwd, env, outlive, family }: ReadySettings): ReadyShells {
  const nurseries: Nursery[] = []
  let homes = 0
  let opening: Promise<Home | undefined> | undefined
  let kept: Kept | undefined
  let endedAt = -Infinity
  let isClosed = false
  let leaving = 0

  async function open(place: string): Promise<Home | undefined> {
    const name = `${family}.${++homes}-`
    const nursery = await openNursery({ bash, cwd, env, tags: `${tagsIn(env)}${name}`, family, outlive })
    if (!nursery) return undefined
    nurseries.push(nursery)
    return { nursery, name, place }
  }

  /** Only the first who notices that a nursery cannot be used any more opens another. */
  async function homeAt(place: string): Promise<Home | undefined> {
    const current = (opening ??= open(place))
    const home = await current.catch((error: unknown) => {
      if (opening === current) opening = undefined
      throw error
    })
    if (!home || (home.nursery.isOpen && home.place === place)) return home
    if (opening === current) {
      home.nursery.close()
      dismissKept()
      opening = undefined
    }
    return homeAt(place)
  }

  async function raise({ nursery, name }: Home, { command, input, confine, record }: Wish): Promise<ReadyShell> {
    const cage = confine?.cage()
    try {
      const { limits, prelude } = cage ?? {}
      const nursling = await nursery.raise({ command, input, record, cage, limits, prelude })
      return { nursling, cage, tag: `${name}${nursling.number}` }
    } catch (error) {
      cage?.release()
      throw error
    }
  }

  /** The one that is kept, if it is of the right kind; from now on it is somebody's. */
  function claim(home: Home, key: string): Promise<ReadyShell | undefined> | undefined {
    if (kept?.home !== home || kept.key !== key) return undefined
    const { shell } = kept
    kept = undefined
    return shell.then(
      (found) => {
        if (!found.nursling.isOver && found.cage?.isCurrent() !== false) return found
        void dismiss(found)
        return undefined
      },
      () => undefined,
    )
  }

  function keep(home: Home, confine: Confine | undefined): void {
    const key = confine?.key ?? ''
    if (isClosed || !home.nursery.isOpen || (kept?.home === home && kept.key === key)) return
    dismissKept()
    const keeping = { home, key, shell: raise(home, { confine }) }
    kept = keeping
    keeping.shell.catch(() => {
      // Nobody waits for it; the next command will make its own and hear why not.
      if (kept === keeping) kept = undefined
    })
  }

  function dismissKept(): void {
    if (!kept) return
    const settle = (): void => void leaving--
    leaving++
    kept.shell.then(dismiss).then(settle, settle)
    kept = undefined
  }

  async function takeAt(home: Home, wish: Command): Promise<ReadyShell> {
    const { command, input, confine, record } = wish
    if (record || input !== undefined || !fitsPipe(command)) return raise(home, wish)
    const shell = (await claim(home, confine?.key ?? '')) ?? (await raise(home, { confine }))
    // Where one command follows the other, the next shell is raised meanwhile; otherwise when this command is over, or
    // takes its time: it would only take the processor from it.
    const isPressing = performance.now() - endedAt < SOON_MS
    const timer = setTimeout(keep, SOON_MS, home, confine).unref()
    if (isPressing) setImmediate(keep, home, confine)
    void shell.nursling.exited.then(() => {
      endedAt = performance.now()
      clearTimeout(timer)
      setImmediate(keep, home, confine)
    })
    return shell
  }

  return {
    async take(wish) {
      const home = await homeAt(placeOf(cwd))
      if (!home) return undefined
      try {
        return await takeAt(home, wish)
      } catch (error) {
        // The nursery has gone meanwhile; there will be another.
        if (isClosed || home.nursery.isOpen) throw error
        const next = await homeAt(placeOf(cwd))
        return next && takeAt(next, wish)
      }
    },
    leaders: () => nurseries.at(-1)?.leaders() ?? NOBODY,
    retire() {
      isClosed = true
      dismissKept()
    },
    get isBusy() {
      return leaving > 0
    },
    close() {
      for (const nursery of nurseries) {
        nursery.close()
        nursery.remove()
      }
    },
  }
}

async function dismiss({ nursling, cage }: ReadyShell): Promise<void> {
  nursling.dismiss()
  await nursling.exited
  cage?.release()
}

/** What a directory is, whatever its name. */
function placeOf(path: string): string {
  const { dev, ino } = statSync(path)
  return `${dev}:${ino}`
}
