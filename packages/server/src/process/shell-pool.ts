// Keeps shells ready (ready-shells.ts), so that a command need not wait for a fork. Without a supervisor on this system
// there is no pool, and commands are spawned directly. Used by command-runner.ts; also declares the interface of
// sandboxed commands, so that this folder does not import the sandbox. Starts processes. Sets timers.

import { statSync } from 'node:fs'

import { inheritedTags } from './process-tags.js'
import { type AcquiredShell, createReadyShells } from './ready-shells.js'
import {
  fitsInPipe,
  type OpenInputOptions,
  type RecordOptions,
  startSupervisor,
  type Supervisor,
} from './supervisor.js'

const NO_PIDS: ReadonlySet<number> = new Set()
const PREPARE_DELAY_MS = 5

interface ShellPool {
  /**
   * undefined if there is no supervisor on this system. Rejects if the system refuses; `code` is its error code, if
   * known.
   */
  acquire(request: CommandShellRequest): Promise<AcquiredShell | undefined>
  /** The process group leaders of the running shells. */
  leaderPids(): ReadonlySet<number>
  /** Stops preparing shells and discards those that are ready. */
  stopPreparing(): void
  /** Whether a discarded shell has not exited yet. */
  readonly isDiscarding: boolean
  close(): void
}

interface ShellRequest {
  readonly isNext?: boolean | undefined
  readonly command?: string | undefined
  /** Text for stdin: needs a new shell. */
  readonly input?: string | undefined
  readonly sandbox?: SandboxFactory | undefined
  readonly record?: RecordOptions | undefined
  /** stdin that can be written to: needs a new shell. */
  readonly openInput?: OpenInputOptions | undefined
}

type CommandShellRequest = ShellRequest & { readonly command: string }

/** Creates sandboxed commands; those with the same key are interchangeable. */
export interface SandboxFactory {
  readonly key: string
  /** Appended to the result of a command that failed, perhaps because of the sandbox. */
  readonly failureNote?: string
  create(): SandboxedCommand
}

/** What the process modules know about a sandboxed command; declared here, so that they do not import the sandbox. */
export interface SandboxedCommand {
  /** bwrap and its flags, the last of which is `--`; the program and its arguments follow. */
  readonly argv: readonly string[]
  /** The seccomp filter, to be open for reading as descriptor 9. */
  readonly seccompFile: string
  /** Files to which the starting process writes "0" first. If a write fails, it must not continue. */
  readonly cgroupFiles: readonly string[]
  /** The bash to run in the sandbox. No command can have written this file. */
  readonly bash: string
  /** Shell code for that bash to run before the command, such as `exec 251<&-; ulimit -u 512; `, or ''. */
  readonly shellPrelude: string
  /** Whether a sandbox created now would have the same mounts. If not, a prepared shell must be discarded and released. */
  isUpToDate(): boolean
  /** To be called when the program and all its children have exited. */
  release(): void
}

interface ShellPoolOptions {
  readonly bash: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly jobsOutliveServer: boolean
  readonly useLauncher: boolean
  /** See SupervisorOptions. */
  readonly keptIn?: string | undefined
  readonly tagPrefix: string
  /** Called with the folder of each askpass program, before it is used. May return what has to be waited for. */
  readonly onAskpassFolder?: ((folder: string) => Promise<void> | undefined) | undefined
}

interface SupervisorEntry {
  readonly supervisor: Supervisor
  readonly tagPrefix: string
  /** The device and inode of its working directory, which may have been replaced by another of the same name. */
  readonly directory: string
}

export function createShellPool(options: ShellPoolOptions): ShellPool {
  const { bash, cwd, env, jobsOutliveServer, tagPrefix, onAskpassFolder } = options
  const supervisors: Supervisor[] = []
  let supervisorCount = 0
  let opening: Promise<SupervisorEntry | undefined> | undefined
  const ready = createReadyShells()
  let isClosed = false

  async function open(directory: string): Promise<SupervisorEntry | undefined> {
    const supervisorPrefix = `${tagPrefix}.${++supervisorCount}-`
    const supervisor = await startSupervisor({
      bash,
      cwd,
      env,
      commandTags: `${inheritedTags(env)}${supervisorPrefix}`,
      tagPrefix,
      jobsOutliveServer,
      useLauncher: options.useLauncher,
      keptIn: options.keptIn,
    })
    if (!supervisor) return undefined
    supervisors.push(supervisor)
    await onAskpassFolder?.(supervisor.askpassFolder)
    return { supervisor, tagPrefix: supervisorPrefix, directory }
  }

  /** Of concurrent callers, only the first that finds an unusable supervisor starts a new one. */
  async function supervisorFor(directory: string): Promise<SupervisorEntry | undefined> {
    const current = (opening ??= open(directory))
    const entry = await current.catch((error: unknown) => {
      if (opening === current) opening = undefined
      throw error
    })
    if (!entry || (entry.supervisor.isOpen && entry.directory === directory)) return entry
    if (opening === current) {
      entry.supervisor.close()
      ready.discardAll()
      opening = undefined
    }
    return supervisorFor(directory)
  }

  async function forkShell(
    entry: SupervisorEntry,
    { isNext, command, input, sandbox, record, openInput }: ShellRequest,
  ): Promise<AcquiredShell> {
    const sandboxed = sandbox?.create()
    try {
      const { cgroupFiles, shellPrelude } = sandboxed ?? {}
      const pooled = await entry.supervisor.forkShell({
        isNext,
        command,
        input,
        record,
        openInput,
        sandbox: sandboxed && { ...sandboxed, argv: withFolder(sandboxed.argv, entry.supervisor.askpassFolder) },
        cgroupFiles,
        shellPrelude,
      })
      return { shell: pooled, sandboxed, tag: `${entry.tagPrefix}${pooled.name}` }
    } catch (error) {
      sandboxed?.release()
      throw error
    }
  }

  function prepare(entry: SupervisorEntry, sandbox: SandboxFactory | undefined): void {
    if (isClosed || !entry.supervisor.isOpen) return
    ready.prepare(sandbox?.key ?? '', () => forkShell(entry, { sandbox, isNext: canRequestEarly(entry, sandbox) }))
  }

  async function acquireFrom(entry: SupervisorEntry, request: CommandShellRequest): Promise<AcquiredShell> {
    const { command, input, sandbox, record, openInput } = request
    if (record || openInput || input !== undefined || !fitsInPipe(command)) return forkShell(entry, request)
    const acquired = (await ready.take(sandbox?.key ?? '')) ?? (await forkShell(entry, { sandbox }))
    if (canRequestEarly(entry, sandbox)) {
      prepare(entry, sandbox)
      return acquired
    }
    // The next shell is prepared when the answer of this command has been written, one turn of the event loop after its
    // exit, or when it runs for a while: preparing it earlier would delay the answer.
    const timer = setTimeout(prepare, PREPARE_DELAY_MS, entry, sandbox).unref()
    void acquired.shell.exited.then(() => {
      clearTimeout(timer)
      setImmediate(() => setImmediate(prepare, entry, sandbox))
    })
    return acquired
  }

  return {
    async acquire(request) {
      const entry = await supervisorFor(directoryIdentity(cwd))
      if (!entry) return undefined
      try {
        return await acquireFrom(entry, request)
      } catch (error) {
        // The supervisor has exited meanwhile; a new one is started.
        if (isClosed || entry.supervisor.isOpen) throw error
        const replacement = await supervisorFor(directoryIdentity(cwd))
        return replacement && acquireFrom(replacement, request)
      }
    },
    leaderPids: () => supervisors.at(-1)?.leaderPids() ?? NO_PIDS,
    stopPreparing() {
      isClosed = true
      ready.discardAll()
    },
    get isDiscarding() {
      return ready.isDiscarding
    },
    close() {
      for (const supervisor of supervisors) {
        supervisor.close()
        supervisor.removeDirectory()
      }
    },
  }
}

/** The launcher starts them after the command; a sandbox has to be created here. */
function canRequestEarly({ supervisor }: SupervisorEntry, sandbox: SandboxFactory | undefined): boolean {
  return supervisor.hasLauncher && !sandbox
}

/** The temporary folder of a sandbox is its own; this part of ours can be read in it. */
function withFolder(argv: SandboxedCommand['argv'], folder: string): readonly string[] {
  return [...argv.slice(0, -1), '--ro-bind', folder, folder, '--']
}

/** Identifies a directory independently of its name. */
function directoryIdentity(path: string): string {
  const { dev, ino } = statSync(path)
  return `${dev}:${ino}`
}
