// Starts commands: in a shell that was kept ready where there is one, else in one made for it. A shell is used once and
// another takes its place. Whatever a command starts can be found by its tag and ended.

import { comesWithin } from '../lib/comes-within.js'
import { Failure } from '../lib/failure.js'
import type { Recording } from './nursery.js'
import type { Nursling } from './nursling.js'
import { exitOfStatus, signalGroup, startProgram, type Program } from './process.js'
import { canSeeProcesses, tagged } from './process-tree.js'
import { createReadyShells, type Confine } from './ready-shells.js'
import { createRoots } from './roots.js'
import { whyTooLong, type ShellProgram } from './shell-program.js'
import type { Root } from './tree-end.js'
import { createTrees } from './trees.js'

export interface Launcher {
  /** Rejects where the command could not be started at all; `code` is the system's where it gave one. */
  readonly launch: (order: Order) => Promise<Running>
  /** The family all tags begin with. */
  readonly family: string
  /** Ends a tree that another launcher, or an earlier life of this program, has started. */
  endTree(tag: string, killAfterMs: number): Promise<readonly number[]>
  /** What with that tag still runs; undefined where that cannot be seen. */
  leftOf(tag: string): readonly number[] | undefined
  /** Whether anything with that tag still runs. */
  isLeft(tag: string): boolean
  /** Ends everything that was ever started here and still runs, but for the tags that are spared. */
  close(killAfterMs: number, spared?: ReadonlySet<string>): Promise<void>
}

export interface Order {
  readonly command: string
  /** What it reads from stdin; nothing unless told. */
  readonly input?: string | undefined
  readonly onOutput: (chunk: Buffer) => void
  /** Told of so many bytes that were gone before they could be heard. */
  readonly onGap?: (bytes: number) => void
  /** Told what it will be found by, before it does anything. */
  readonly onTag?: (tag: string) => void
  /** It runs confined. */
  readonly confine?: Confine | undefined
  /** The output is recorded to disk by a process that needs no server. */
  readonly record?: Recording | undefined
}

export interface Running extends Omit<Program, 'pid'> {
  readonly tag: string
  /**
   * Asks it and its children to end, kills them after the given time; resolves when they are gone. Gives those that
   * could not be killed.
   */
  end(killAfterMs: number): Promise<readonly number[]>
  /** Once it has ended: when its last words have been heard, though a child it left behind may hold its output open. */
  heard(): Promise<void>
  /** What it started and left running; undefined where that cannot be seen. */
  left(): readonly number[] | undefined
}

const CLOSED = 'no more commands are started'
const UNREPORTED =
  'It is not known whether the command was started. What it may have started was ended. Check what it did before you repeat it.'
/** In less time nobody starts as many processes as there are numbers. */
const LONG_MS = 5000
const LINGER_MS = 100
const NOBODY: ReadonlySet<number> = new Set()
const LATEST_MS = 3000

export interface LauncherSettings {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** What runs a command where no shell can be kept ready. */
  readonly shell: ShellProgram
  /** Recorded commands go on when this process is gone. */
  readonly outlive: boolean
  /** The system it runs on, or is to be tested for. */
  readonly platform?: NodeJS.Platform
}

export function createLauncher(settings: LauncherSettings): Launcher {
  const { cwd, env, shell, outlive, platform = process.platform } = settings
  const trees = createTrees()
  const roots = createRoots(platform)
  const readySettings = { bash: shell.file, cwd, env, outlive, family: trees.family }
  const shells = platform === 'linux' ? createReadyShells(readySettings) : undefined
  const launching = new Set<Promise<Running>>()
  const coming = new Set<Nursling>()
  const running = new Map<string, () => boolean>()
  let directly = 0
  let isClosed = false

  function launch(order: Order): Promise<Running> {
    if (isClosed) return Promise.reject(new Error(CLOSED))
    const launched = launchAnyhow(order)
    launching.add(launched)
    const settle = (): void => void launching.delete(launched)
    launched.then(settle, settle)
    return launched
  }

  async function launchAnyhow(order: Order, attempts = 2): Promise<Running> {
    const { command, input, onOutput, onTag, confine, record } = order
    const wanted = command || ':'
    const raised = await shells?.take({ command: wanted, input, confine, record })
    // What an earlier scan found says nothing about a command started since.
    trees.grown()
    if (!raised && (confine || record)) throw new Error('mkfifo is needed for that, and it is not here')
    if (!raised) return launchDirectly(order)
    const { nursling, tag, cage } = raised
    const exited = nursling.exited.then(exitOfStatus)
    void exited.then(() => cage?.release())
    onTag?.(tag)
    if (isClosed) nursling.dismiss()
    else nursling.run(wanted, onOutput)
    coming.add(nursling)
    const pid = await nursling.up
    coming.delete(nursling)
    if (pid === undefined) {
      if (!nursling.isWithdrawn) return endUnreported(tag)
      // The supervisor was killed at that moment, and no shell has the command.
      if (attempts > 1) return launchAnyhow(order, attempts - 1)
      throw new Error('no shell could be started')
    }
    const isOver = (): boolean => nursling.isOver
    const started = runningOf({ ...bound(nursling), pid, exited, isOver }, tag, cage !== undefined)
    if (isClosed) throw new Error(CLOSED)
    return started
  }

  /** The shell may have started without a report, and run its command. */
  async function endUnreported(tag: string): Promise<never> {
    await trees.end(tag, 0)
    throw new Failure(UNREPORTED)
  }

  async function launchDirectly({ command, input, onOutput }: Order): Promise<Running> {
    const tooLong = whyTooLong(platform, shell, command)
    if (tooLong !== undefined) throw new Failure(`The command was not started: ${tooLong}`)
    const tag = `${trees.family}.d${++directly}`
    const start = { file: shell.file, args: shell.args(command), cwd, env: tagged(env, tag), input, onOutput }
    const program = await startProgram(start)
    let isOver = false
    void program.exited.then(() => (isOver = true))
    const started = runningOf({ ...program, isOver: () => isOver }, tag, false)
    const root = roots?.add(program)
    return root ? { ...started, end: (killAfterMs) => endRoot(root, program, killAfterMs) } : started
  }

  async function endRoot(root: Root, { exited }: Program, killAfterMs: number): Promise<readonly number[]> {
    const survivors = (await roots?.end(root, killAfterMs)) ?? []
    if (!survivors.includes(root.pid)) await exited
    return survivors
  }

  function runningOf(program: Program & { readonly isOver: () => boolean }, tag: string, isCaged: boolean): Running {
    const { pid, exited, closed, pause, resume, ignoreOutput, isOver } = program
    running.set(tag, isOver)
    void exited.then(() => running.delete(tag))
    // The group is all there is where no process can be seen. Its number is only safe to use while the program itself is
    // there. A cage would not wait for those in it.
    async function end(killAfterMs: number): Promise<readonly number[]> {
      if (!isOver() && !isCaged && !canSeeProcesses()) signalGroup(pid, 'SIGTERM')
      const timer = setTimeout(() => !isOver() && signalGroup(pid, 'SIGKILL'), killAfterMs)
      const survivors = await trees.end(tag, killAfterMs, isOver)
      if (!survivors.includes(pid)) await exited
      clearTimeout(timer)
      return survivors
    }
    const startedAt = performance.now()
    // Numbers of processes begin again some time, and then those of its children are not above its own.
    const first = (): number => (performance.now() - startedAt > LONG_MS ? 0 : pid)
    const left = (): readonly number[] | undefined => {
      if (roots) return undefined
      return isCaged ? [] : trees.left(tag, first(), shells?.leaders() ?? NOBODY)
    }
    const heard = (): Promise<void> => lastWords(closed, () => left()?.length !== 0)
    return { tag, exited, closed, heard, pause, resume, ignoreOutput, end, left }
  }

  return {
    launch,
    family: trees.family,
    endTree: (tag, killAfterMs) => trees.end(tag, killAfterMs),
    leftOf: (tag) => (roots ? undefined : trees.left(tag, 0, NOBODY)),
    isLeft: (tag) => trees.isLeft(tag),
    async close(killAfterMs, spared = new Set()) {
      isClosed = true
      shells?.retire()
      // They may get their command no more, which saves ending it.
      for (const nursling of coming) nursling.dismiss()
      // What is being started cannot be found yet, and would be left behind.
      const isOver = (): boolean =>
        launching.size === 0 && !shells?.isBusy && [...running].every(([tag, isDone]) => spared.has(tag) || isDone())
      await Promise.all([trees.endAll(killAfterMs, spared, isOver), roots?.endAll(killAfterMs)])
      // Only now: left alone, the nursery ends what it finds, and nobody should be asked twice.
      shells?.close()
    },
  }
}

/** When nobody writes any more; a child that was left behind may hold the output open, but a busy machine is waited for. */
async function lastWords(closed: Promise<void>, isHeldOpen: () => boolean): Promise<void> {
  if ((await comesWithin(LINGER_MS, closed)) || isHeldOpen()) return
  await comesWithin(LATEST_MS, closed)
}

function bound({ closed, pause, resume, ignoreOutput }: Nursling): Omit<Program, 'pid' | 'exited'> {
  return { closed, pause, resume, ignoreOutput }
}
