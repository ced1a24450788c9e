// Runs commands for the shell service: in a prepared shell of the pool if there is one, otherwise in a new process.
// Each shell runs one command. All processes that a command starts inherit its tag, an environment variable by which
// they are found and killed. Starts and kills processes. Sets timers.

import { setTimeout as sleep } from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import { settlesWithin } from '../async/timeouts.js'
import { type AskpassOptions, letAsk } from './asking-commands.js'
import { createCommandMemoryWatch } from './command-memory.js'
import { addVariables, type CommandVariables, putVariablesBefore } from './command-variables.js'
import { confineShell, type SpawnOrder, startProgram } from './direct-start.js'
import { createInputPipeAt, type InputPipe } from './input-pipe.js'
import { createUntaggedTrees, type RootProcess } from './kill-untagged.js'
import type { PooledShell } from './pooled-shell.js'
import { findTaggedSince, hasProcFs, withTag } from './process-tags.js'
import { createProcessTrees } from './process-tree.js'
import { createShellPool, type SandboxFactory } from './shell-pool.js'
import { describeTooLongCommand, type ShellProgram } from './shell-program.js'
import { signalProcessGroup } from './signals.js'
import { type ExitStatus, exitStatusFromShellCode, type SpawnedProcess } from './spawn.js'
import type { OpenInputOptions, RecordOptions } from './supervisor.js'

export interface CommandRunner {
  /** Rejects if the command could not be started; `code` is the error code of the system, if there was one. */
  readonly run: (request: RunRequest) => Promise<RunningCommand>
  /** The common prefix of all tags. */
  readonly tagPrefix: string
  /** Kills a process tree that was started by another runner or by an earlier server process. */
  killTree(tag: string, killAfterMs: number): Promise<readonly number[]>
  /** The running processes that have this tag; undefined if they cannot be listed. */
  findTreeProcesses(tag: string): readonly number[] | undefined
  /** Whether any process with this tag is running. */
  isTreeRunning(tag: string): boolean
  /** Kills all processes that were started here, except those with the given tags. */
  close(killAfterMs: number, exceptTags?: ReadonlySet<string>): Promise<void>
}

export interface RunRequest {
  readonly command: string
  /** Text for stdin; empty by default. */
  readonly input?: string | undefined
  /** The user, whose commands share a memory limit. */
  readonly owner?: string | undefined
  /** Set for this command only. */
  readonly variables?: CommandVariables | undefined
  readonly onOutput: (chunk: Buffer) => void
  /** Called with the number of output bytes that were lost before they were read. */
  readonly onGap?: (bytes: number) => void
  /** Called with the tag of the command before the command starts. */
  readonly onTag?: (tag: string) => void
  /** The command may ask for passwords, until it ends. */
  readonly askpass?: AskpassOptions | undefined
  /** Runs the command in a sandbox. */
  readonly sandbox?: SandboxFactory | undefined
  /** A process that does not need the server records the output to disk. */
  readonly record?: RecordOptions | undefined
  /** stdin stays open and can be written to. */
  readonly openInput?: OpenInputOptions | undefined
}

export interface RunningCommand extends Pick<SpawnedProcess, 'pause' | 'resume'> {
  readonly tag: string
  /** Of the process that leads its processes. */
  readonly pid: number
  /** stdin, if it can be written to. */
  readonly stdin?: InputPipe | undefined
  /** Why the server ended it, as sentences; undefined if it did not. */
  readonly endReason: () => string | undefined
  /**
   * Resolves when the command has exited and its output has been read, even if a child keeps the output open. What
   * children print later is discarded.
   */
  readonly exited: Promise<ExitStatus>
  /**
   * Sends SIGTERM to the command and its children, and SIGKILL after the given time. Resolves to the processes that
   * could not be killed, when all others have exited.
   */
  readonly kill: (killAfterMs: number) => Promise<readonly number[]>
  /** Whether its children could not be listed when it was last killed, and may still run. */
  readonly areChildrenUnlisted?: (() => boolean) | undefined
  /** The children that are still running after a moment; undefined if they cannot be listed. */
  readonly findRemainingChildren: () => Promise<readonly number[] | undefined>
  /** Kills what the command has left running, as `kill` does. For use after its exit: neither retains its output. */
  readonly killRemainingChildren: (killAfterMs: number) => Promise<readonly number[]>
}

const CLOSED_MESSAGE = 'the server starts no more commands'
const UNREPORTED_MESSAGE =
  'It is not known whether the command was started. All processes that it may have started were killed. Check what it did before you repeat it.'
/** Pids cannot wrap around within this time. */
const PID_WRAP_MS = 5000
const OUTPUT_WAIT_MS = 100
/** Time for children to exit after their parent before they count as left running. */
const CHILD_EXIT_GRACE_MS = 50
const NO_PIDS: ReadonlySet<number> = new Set()
const MAX_OUTPUT_WAIT_MS = 3000
/** Longer than a writer that is behind takes, on a busy disk, to catch up. */
const MAX_PAUSED_MS = 60_000

interface CommandRunnerOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Runs a command if no prepared shell is available. */
  readonly shell: ShellProgram
  /** Recorded commands continue when this process has exited. */
  readonly jobsOutliveServer: boolean
  /** Start plain commands with the shell launcher where it can run; by default so. */
  readonly useLauncher?: boolean | undefined
  /** A folder for what those need then. */
  readonly keptIn?: string | undefined
  /** Memory of all commands together. */
  readonly maxMemoryBytes?: number
  /** Called with the folder of each askpass program, before it is used. */
  readonly onAskpassFolder?: ((folder: string) => Promise<void> | undefined) | undefined
  /** The platform; tests set another one. */
  readonly platform?: NodeJS.Platform
}

export function createCommandRunner(settings: CommandRunnerOptions): CommandRunner {
  const { cwd, env, shell, jobsOutliveServer, maxMemoryBytes = Infinity, platform = process.platform } = settings
  const { onAskpassFolder } = settings
  const trees = createProcessTrees()
  const memoryWatch = createCommandMemoryWatch(trees.tagPrefix, maxMemoryBytes)
  const untagged = createUntaggedTrees(platform)
  const shells =
    platform === 'linux'
      ? createShellPool({
          bash: shell.file,
          cwd,
          env,
          jobsOutliveServer,
          useLauncher: settings.useLauncher ?? true,
          keptIn: settings.keptIn,
          tagPrefix: trees.tagPrefix,
          onAskpassFolder,
        })
      : undefined
  const starting = new Set<Promise<RunningCommand>>()
  const startingShells = new Set<PooledShell>()
  const running = new Map<string, () => boolean>()
  let directCount = 0
  let isClosed = false

  function run(request: RunRequest): Promise<RunningCommand> {
    if (isClosed) return Promise.reject(new Error(CLOSED_MESSAGE))
    const command = startCommand(request)
    starting.add(command)
    const remove = (): void => void starting.delete(command)
    command.then(remove, remove)
    return command
  }

  async function startCommand(request: RunRequest, attempts = 2): Promise<RunningCommand> {
    const { command, input, variables, onOutput, onTag, sandbox, record, openInput } = request
    const commandText = putVariablesBefore(command || ':', variables)
    const acquired = await shells?.acquire({ command: commandText, input, sandbox, record, openInput })
    // The last scan does not contain a command that was started after it.
    trees.invalidateScan()
    if (!acquired && record) throw new Error('mkfifo not found: required for recorded commands')
    if (!acquired) return spawnDirectly(request)
    const { shell: pooled, tag, sandboxed } = acquired
    const exited = (pooled.needsLauncher ? endIfAbandoned(pooled, tag) : pooled.exited).then(exitStatusFromShellCode)
    void exited.then(() => sandboxed?.release())
    onTag?.(tag)
    if (request.askpass) letAsk(request.askpass, pooled)
    if (isClosed) pooled.discard()
    else pooled.run(commandText, onOutput)
    startingShells.add(pooled)
    const pid = await pooled.started
    startingShells.delete(pooled)
    if (pid === undefined || (pooled.isWithdrawn && !isClosed)) {
      if (!pooled.isWithdrawn) return killUnreported(tag)
      // The process that starts shells was killed at that moment, and no shell has read the command.
      if (attempts > 1) return startCommand(request, attempts - 1)
      throw pooled.startError ?? new Error('no shell could be started')
    }
    const hasExited = (): boolean => pooled.hasExited
    const { closed, pause, resume, ignoreOutput } = pooled
    const hasLeftChildren = (): boolean | undefined => pooled.hasLeftChildren
    const program = { pid, exited, closed, pause, resume, ignoreOutput, hasExited, hasLeftChildren }
    const started = createRunning(program, tag, sandboxed !== undefined, request.owner)
    if (isClosed) throw new Error(CLOSED_MESSAGE)
    const fifo = record && openInput?.fifo
    return openInput ? { ...started, stdin: fifo ? createInputPipeAt(fifo) : pooled.stdin } : started
  }

  /** Without a status the launcher is gone; the command may go on, but its output would be lost. */
  async function endIfAbandoned({ exited }: PooledShell, tag: string): Promise<number | undefined> {
    const status = await exited
    if (status === undefined) await trees.killTree(tag, 0)
    return status
  }

  /** The shell may have started without a report, and run its command. */
  async function killUnreported(tag: string): Promise<never> {
    await trees.killTree(tag, 0)
    throw new Failure(UNREPORTED_MESSAGE)
  }

  async function spawnDirectly(request: RunRequest): Promise<RunningCommand> {
    const { command, openInput } = request
    if (openInput?.terminal?.programs)
      throw new Failure('The command was not started: a terminal requires mkfifo, which is not installed.')
    const tooLong = describeTooLongCommand(platform, shell, command)
    if (tooLong !== undefined) throw new Failure(`The command was not started: ${tooLong}`)
    const sandboxed = request.sandbox?.create()
    try {
      const started = await spawnShell(request, sandboxed ? confineShell(shell, sandboxed) : shell)
      if (sandboxed) void started.exited.then(() => sandboxed.release())
      return started
    } catch (error) {
      sandboxed?.release()
      throw error
    }
  }

  async function spawnShell(request: RunRequest, shellProgram: ShellProgram): Promise<RunningCommand> {
    const { command, input, variables, owner, onOutput, openInput } = request
    const terminal = openInput?.terminal
    const tag = `${trees.tagPrefix}.d${++directCount}`
    // A bash whose stdin is a socket, which pipes of Node.js are, reads the user's .bashrc, unless it is not the first.
    const shellEnv = openInput ? { ...env, SHLVL: env.SHLVL ?? '1' } : env
    const order: SpawnOrder = {
      file: shellProgram.file,
      args: shellProgram.args(`${terminal?.prelude ?? ''}${command}`),
      cwd,
      env: withTag(addVariables(shellEnv, variables), tag),
      input,
      hasOpenInput: openInput !== undefined,
      onOutput,
    }
    // PowerShell writes UTF-8, because its arguments set that.
    const needsRecoding = platform === 'win32' && shellProgram.kind === 'bash'
    const startedAtMs = Date.now()
    const program = await startProgram(order, terminal, needsRecoding)
    let hasExited = false
    void program.exited.then(() => (hasExited = true))
    const started = {
      ...createRunning({ ...program, hasExited: () => hasExited }, tag, false, owner),
      stdin: program.stdin,
    }
    const root = untagged?.add({ ...program, tag, startedAtMs, shell })
    if (!root) return started
    return {
      ...started,
      kill: (killAfterMs) => killRoot(root, program, killAfterMs),
      killRemainingChildren: killerOf(root),
      areChildrenUnlisted: unlistedOf(root),
    }
  }

  function killerOf(root: RootProcess): RunningCommand['killRemainingChildren'] {
    return async (killAfterMs) => (await untagged?.killTree(root, killAfterMs)) ?? []
  }

  function unlistedOf(root: RootProcess): RunningCommand['areChildrenUnlisted'] {
    return () => untagged?.areChildrenUnlisted(root) ?? false
  }

  async function killRoot(
    root: RootProcess,
    { exited }: SpawnedProcess,
    killAfterMs: number,
  ): Promise<readonly number[]> {
    const survivors = (await untagged?.killTree(root, killAfterMs)) ?? []
    if (!survivors.includes(root.pid)) await exited
    return survivors
  }

  function createRunning(
    program: SpawnedProcess & {
      readonly hasExited: () => boolean
      readonly hasLeftChildren?: () => boolean | undefined
    },
    tag: string,
    isSandboxed: boolean,
    owner = '',
  ): RunningCommand {
    const { pid, exited, closed, pause, resume, ignoreOutput, hasExited } = program
    running.set(tag, hasExited)
    void exited.then(() => running.delete(tag))
    // Without /proc, the process group is all that can be signalled, and its number is only safe to use while the
    // program itself runs. bwrap would not wait for the processes in it.
    async function kill(killAfterMs: number): Promise<readonly number[]> {
      if (!hasExited() && !isSandboxed && !hasProcFs()) signalProcessGroup(pid, 'SIGTERM')
      const timer = setTimeout(() => !hasExited() && signalProcessGroup(pid, 'SIGKILL'), killAfterMs)
      const survivors = await trees.killTree(tag, killAfterMs, hasExited)
      if (!survivors.includes(pid)) await exited
      clearTimeout(timer)
      return survivors
    }
    let endReason: string | undefined
    const unwatch = memoryWatch.add({
      tag,
      owner,
      isSandboxed,
      end(reason) {
        endReason = reason
        return kill(0)
      },
    })
    void exited.then(unwatch)
    const children = createChildFinder(pid, tag, isSandboxed, program.hasLeftChildren)
    let isPaused = false
    const isOutputClosedWithin = (ms: number): Promise<boolean> => settlesUnpaused(ms, closed, () => isPaused)
    async function waitForExitAndOutput(): Promise<ExitStatus> {
      const exit = await exited
      // A running child may keep the output open; on a busy machine the output may just be late.
      const isOutputClosed = await isOutputClosedWithin(OUTPUT_WAIT_MS)
      if (!isOutputClosed && children.findNow()?.length === 0) await isOutputClosedWithin(MAX_OUTPUT_WAIT_MS)
      ignoreOutput()
      return exit
    }
    return {
      tag,
      pid,
      endReason: () => endReason,
      exited: waitForExitAndOutput(),
      pause() {
        isPaused = true
        pause()
      },
      resume() {
        isPaused = false
        resume()
      },
      kill,
      findRemainingChildren: children.findRemaining,
      killRemainingChildren: children.kill,
    }
  }

  /** A function of its own, because a finished job retains what its closures refer to. */
  function createChildFinder(pid: number, tag: string, isSandboxed: boolean, hasLeft?: () => boolean | undefined) {
    const startedAt = performance.now()
    const findNow = (): readonly number[] | undefined => {
      if (untagged) return undefined
      if (isSandboxed || hasLeft?.() === false) return []
      // Pids wrap around at some time; then those of the children are not above the one of the command.
      const firstPid = performance.now() - startedAt > PID_WRAP_MS ? 0 : pid
      return findTaggedSince(firstPid, `${tag};`, shells?.leaderPids() ?? NO_PIDS)
    }
    async function findRemaining(): Promise<readonly number[] | undefined> {
      if (findNow()?.length === 0) return []
      await sleep(CHILD_EXIT_GRACE_MS)
      return findNow()
    }
    const kill = (killAfterMs: number): Promise<readonly number[]> => trees.killTree(tag, killAfterMs)
    return { findNow, findRemaining, kill }
  }

  return {
    run,
    tagPrefix: trees.tagPrefix,
    killTree: (tag, killAfterMs) => trees.killTree(tag, killAfterMs),
    findTreeProcesses: (tag) => (untagged ? undefined : findTaggedSince(0, `${tag};`, NO_PIDS)),
    isTreeRunning: (tag) => trees.isTreeRunning(tag),
    async close(killAfterMs, exceptTags = new Set()) {
      isClosed = true
      shells?.stopPreparing()
      // A shell that has not read its command yet exits without running it.
      for (const pooled of startingShells) pooled.discard()
      // A command that is being started cannot be found yet, and would be left behind.
      const haveAllExited = (): boolean =>
        starting.size === 0 &&
        !shells?.isDiscarding &&
        [...running].every(([tag, hasExited]) => exceptTags.has(tag) || hasExited())
      await Promise.all([trees.killAll(killAfterMs, exceptTags, haveAllExited), untagged?.killAll(killAfterMs)])
      // Only now: a closed supervisor kills what it finds, and each process must receive SIGTERM once only.
      shells?.close()
    },
  }
}

/** Whether the output closes in time. Time in which the caller has paused it does not count: the rest is in the pipe. */
async function settlesUnpaused(ms: number, closed: Promise<unknown>, isPaused: () => boolean): Promise<boolean> {
  let pausedMs = 0
  for (let waitedMs = 0; waitedMs < ms + pausedMs; waitedMs += OUTPUT_WAIT_MS) {
    if (await settlesWithin(OUTPUT_WAIT_MS, closed)) return true
    if (isPaused() && pausedMs < MAX_PAUSED_MS) pausedMs += OUTPUT_WAIT_MS
  }
  return false
}
