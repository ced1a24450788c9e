// Runs commands: in a prepared shell if there is one, otherwise in a new one. Each shell runs one command. All
// processes that a command starts inherit its tag, by which they are found and killed.

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
  /** Rejects if the command could not be started; `code` is the error code of the system, if there was one. */
  readonly launch: (request: Order) => Promise<Running>
  /** The common prefix of all tags. */
  readonly family: string
  /** Kills a process tree that was started by another runner or by an earlier server process. */
  endTree(tag: string, killAfterMs: number): Promise<readonly number[]>
  /** The running processes that have this tag; undefined if they cannot be listed. */
  leftOf(tag: string): readonly number[] | undefined
  /** Whether any process with this tag is running. */
  isLeft(tag: string): boolean
  /** Kills all processes that were started here, except those with the given tags. */
  close(killAfterMs: number, exceptTags?: ReadonlySet<string>): Promise<void>
}

export interface Order {
  readonly command: string
  /** Text for stdin; empty by default. */
  readonly input?: string | undefined
  readonly onOutput: (chunk: Buffer) => void
  /** Called with the number of output bytes that were lost before they were read. */
  readonly onGap?: (bytes: number) => void
  /** Called with the tag of the command before the command starts. */
  readonly onTag?: (tag: string) => void
  /** Runs the command in a sandbox. */
  readonly confine?: Confine | undefined
  /** A process that does not need the server records the output to disk. */
  readonly record?: Recording | undefined
}

export interface Running extends Omit<Program, 'pid'> {
  readonly tag: string
  /**
   * Sends SIGTERM to the command and its children, and SIGKILL after the given time. Resolves to the processes that
   * could not be killed, when all others have exited.
   */
  end(killAfterMs: number): Promise<readonly number[]>
  /** After the command has exited: resolves when its output has been read, even if a child keeps the output open. */
  heard(): Promise<void>
  /** The children that are still running; undefined if they cannot be listed. */
  left(): readonly number[] | undefined
}

const CLOSED_MESSAGE = 'no more commands are started'
const UNREPORTED_MESSAGE =
  'It is not known whether the command was started. What it may have started was ended. Check what it did before you repeat it.'
/** Pids cannot wrap around within this time. */
const PID_WRAP_MS = 5000
const OUTPUT_WAIT_MS = 100
const NO_PIDS: ReadonlySet<number> = new Set()
const MAX_OUTPUT_WAIT_MS = 3000

interface LauncherSettings {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Runs a command if no prepared shell is available. */
  readonly shell: ShellProgram
  /** Recorded commands continue when this process has exited. */
  readonly outlive: boolean
  /** The platform; tests set another one. */
  readonly platform?: NodeJS.Platform
}

export function createLauncher(settings: LauncherSettings): Launcher {
  const { cwd, env, shell, outlive, platform = process.platform } = settings
  const trees = createTrees()
  const untagged = createRoots(platform)
  const shells =
    platform === 'linux' ? createReadyShells({ bash: shell.file, cwd, env, outlive, family: trees.family }) : undefined
  const starting = new Set<Promise<Running>>()
  const startingShells = new Set<Nursling>()
  const running = new Map<string, () => boolean>()
  let directCount = 0
  let isClosed = false

  function run(request: Order): Promise<Running> {
    if (isClosed) return Promise.reject(new Error(CLOSED_MESSAGE))
    const command = startCommand(request)
    starting.add(command)
    const remove = (): void => void starting.delete(command)
    command.then(remove, remove)
    return command
  }

  async function startCommand(request: Order, attempts = 2): Promise<Running> {
    const { command, input, onOutput, onTag, confine, record } = request
    const commandText = command || ':'
    const acquired = await shells?.take({ command: commandText, input, confine, record })
    // The last scan does not contain a command that was started after it.
    trees.grown()
    if (!acquired && (confine || record))
      throw new Error('mkfifo not found: required for sandboxed and recorded commands')
    if (!acquired) return spawnDirectly(request)
    const { nursling: pooled, tag, cage: sandboxed } = acquired
    const exited = pooled.exited.then(exitOfStatus)
    void exited.then(() => sandboxed?.release())
    onTag?.(tag)
    if (isClosed) pooled.dismiss()
    else pooled.run(commandText, onOutput)
    startingShells.add(pooled)
    const pid = await pooled.up
    startingShells.delete(pooled)
    if (pid === undefined) {
      if (!pooled.isWithdrawn) return killUnreported(tag)
      // The supervisor was killed at that moment, and no shell has read the command.
      if (attempts > 1) return startCommand(request, attempts - 1)
      throw new Error('no shell could be started')
    }
    const hasExited = (): boolean => pooled.isOver
    const started = createRunning({ ...outputControls(pooled), pid, exited, hasExited }, tag, sandboxed !== undefined)
    if (isClosed) throw new Error(CLOSED_MESSAGE)
    return started
  }

  /** The shell may have started without a report, and run its command. */
  async function killUnreported(tag: string): Promise<never> {
    await trees.end(tag, 0)
    throw new Failure(UNREPORTED_MESSAGE)
  }

  async function spawnDirectly({ command, input, onOutput }: Order): Promise<Running> {
    const tooLong = whyTooLong(platform, shell, command)
    if (tooLong !== undefined) throw new Failure(`The command was not started: ${tooLong}`)
    const tag = `${trees.family}.d${++directCount}`
    const start = { file: shell.file, args: shell.args(command), cwd, env: tagged(env, tag), input, onOutput }
    const program = await startProgram(start)
    let hasExited = false
    void program.exited.then(() => (hasExited = true))
    const started = createRunning({ ...program, hasExited: () => hasExited }, tag, false)
    const root = untagged?.add(program)
    return root ? { ...started, end: (killAfterMs) => killRoot(root, program, killAfterMs) } : started
  }

  async function killRoot(root: Root, { exited }: Program, killAfterMs: number): Promise<readonly number[]> {
    const survivors = (await untagged?.end(root, killAfterMs)) ?? []
    if (!survivors.includes(root.pid)) await exited
    return survivors
  }

  function createRunning(
    program: Program & { readonly hasExited: () => boolean },
    tag: string,
    isSandboxed: boolean,
  ): Running {
    const { pid, exited, closed, pause, resume, ignoreOutput, hasExited } = program
    running.set(tag, hasExited)
    void exited.then(() => running.delete(tag))
    // Without /proc, the process group is all that can be signalled, and its number is only safe to use while the
    // program itself runs. bwrap would not wait for the processes in it.
    async function kill(killAfterMs: number): Promise<readonly number[]> {
      if (!hasExited() && !isSandboxed && !canSeeProcesses()) signalGroup(pid, 'SIGTERM')
      const timer = setTimeout(() => !hasExited() && signalGroup(pid, 'SIGKILL'), killAfterMs)
      const survivors = await trees.end(tag, killAfterMs, hasExited)
      if (!survivors.includes(pid)) await exited
      clearTimeout(timer)
      return survivors
    }
    const startedAt = performance.now()
    // Pids wrap around at some time; then those of the children are not above the one of the command.
    const firstPid = (): number => (performance.now() - startedAt > PID_WRAP_MS ? 0 : pid)
    const findRemaining = (): readonly number[] | undefined => {
      if (untagged) return undefined
      return isSandboxed ? [] : trees.left(tag, firstPid(), shells?.leaders() ?? NO_PIDS)
    }
    const waitForOutput = (): Promise<void> => waitForFinalOutput(closed, () => findRemaining()?.length !== 0)
    return { tag, exited, closed, heard: waitForOutput, pause, resume, ignoreOutput, end: kill, left: findRemaining }
  }

  return {
    launch: run,
    family: trees.family,
    endTree: (tag, killAfterMs) => trees.end(tag, killAfterMs),
    leftOf: (tag) => (untagged ? undefined : trees.left(tag, 0, NO_PIDS)),
    isLeft: (tag) => trees.isLeft(tag),
    async close(killAfterMs, exceptTags = new Set()) {
      isClosed = true
      shells?.retire()
      // A shell that has not read its command yet exits without running it.
      for (const pooled of startingShells) pooled.dismiss()
      // A command that is being started cannot be found yet, and would be left behind.
      const haveAllExited = (): boolean =>
        starting.size === 0 &&
        !shells?.isBusy &&
        [...running].every(([tag, hasExited]) => exceptTags.has(tag) || hasExited())
      await Promise.all([trees.endAll(killAfterMs, exceptTags, haveAllExited), untagged?.endAll(killAfterMs)])
      // Only now: a closed supervisor kills what it finds, and each process must receive SIGTERM once only.
      shells?.close()
    },
  }
}

/**
 * Resolves when the output is closed. A running child may keep it open; on a busy machine the output may just be late.
 */
async function waitForFinalOutput(closed: Promise<void>, isHeldOpen: () => boolean): Promise<void> {
  if ((await comesWithin(OUTPUT_WAIT_MS, closed)) || isHeldOpen()) return
  await comesWithin(MAX_OUTPUT_WAIT_MS, closed)
}

function outputControls({ closed, pause, resume, ignoreOutput }: Nursling): Omit<Program, 'pid' | 'exited'> {
  return { closed, pause, resume, ignoreOutput }
}
