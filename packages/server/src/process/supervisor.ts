// Starts and talks to the supervisor, a small bash process that forks shells for shell-pool.ts: forking Node.js gets
// slower with its memory. Each shell reads its command from one FIFO and writes to another: Node's own pipes are
// sockets, and /dev/stdout cannot be opened on a socket. Starts bash; writes files to the pool directory.

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { hasErrorCode } from '@scorpiox/mcp/os'
import { createDeferred } from '../async/timeouts.js'
import { createAskpassFolder, withAskpass } from './askpass-folder.js'
import { type LaunchRequest, startShellLauncher } from './launcher/shell-launcher.js'
import RECORDER from './output-recorder.sh?raw'
import { spawnLineChild } from './piped-child.js'
import { createPoolDirectory, removePoolDirectory } from './pool-directory.js'
import { createPooledShell, type PooledShell, type ShellFifoPaths, type SupervisedShell } from './pooled-shell.js'
import READ_COMMAND_SCRIPT from './read-command.sh?raw'
import { quoteShellWord } from './shell-quote.js'
import SUPERVISOR from './shell-supervisor.sh?raw'
import { watchShells } from './shell-watchdog.js'

const FIFO_BATCH = 32
const LOW_WATER = 8
/** How long a requested shell may take to start after the supervisor has exited. */
const START_GRACE_MS = 1000
/** A command cannot guess the key of another. */
const ASKPASS_KEY_BYTES = 16
/** A shell reads from a FIFO byte by byte; a longer command is put in a file. */
const MAX_PIPED_BYTES = 4096

/** What a prepared shell runs, on one line. */
export const READ_COMMAND = READ_COMMAND_SCRIPT.split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .join('; ')

export interface Supervisor {
  readonly isOpen: boolean
  /** The folder with the askpass program of its commands. */
  readonly askpassFolder: string
  /** Forks a shell for one command. Rejects if that fails; `code` is the error code of the system, if there was one. */
  forkShell(request?: ForkRequest): Promise<PooledShell>
  /** Whether shells for later commands can be requested before a command is sent, without delaying it. */
  readonly hasLauncher: boolean
  /** The session leaders of the running shells. */
  leaderPids(): ReadonlySet<number>
  /** Stops forking. Running shells continue. */
  close(): void
  /** Removes the directory with the FIFOs, which running shells do not need. */
  removeDirectory(): void
}

/** How a shell differs from a plain one. */
interface ForkRequest {
  /** It is for a later command: the one that is about to be sent comes first. */
  readonly isNext?: boolean | undefined
  /** The command, if it is known at the start and too long for a FIFO. */
  readonly command?: string | undefined
  /** Text for stdin; empty by default. */
  readonly input?: string | undefined
  /** A program and its arguments to run the shell under, and the file that it expects as fd 9. */
  readonly sandbox?:
    | { readonly argv: readonly string[]; readonly seccompFile: string; readonly bash: string }
    | undefined
  /** Files to which the shell writes 0 first, and shell code that it runs before it reads its command. */
  readonly cgroupFiles?: readonly string[] | undefined
  readonly shellPrelude?: string | undefined
  /** A separate process records the output to a folder; the exit status is written to a file. */
  readonly record?: RecordOptions | undefined
  /** stdin stays open and can be written to; `input` is ignored. */
  readonly openInput?: OpenInputOptions | undefined
}

/** stdin that can be written to while the command runs: a pipe, or a terminal. */
export interface OpenInputOptions {
  /** A FIFO to create for it, which another server can open later. Only for recorded commands. */
  readonly fifo?: string | undefined
  readonly terminal?: TerminalOptions | undefined
}

export interface TerminalOptions {
  /** script(1) and stty(1), which run outside of the sandbox. Undefined where terminals are made in another way. */
  readonly programs?: { readonly script: string; readonly stty: readonly string[] } | undefined
  readonly cols: number
  readonly rows: number
  /** Shell code that gives the command the environment of a terminal. */
  readonly prelude: string
}

export interface RecordOptions {
  readonly folder: string
  readonly segmentBytes: number
  readonly segments: number
  readonly statusFile: string
}

interface SupervisorOptions {
  readonly bash: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The tags of every command, to which its number is appended. */
  readonly commandTags: string
  /** The common prefix of the tags of this server. */
  readonly tagPrefix: string
  /** Recorded commands continue when the server has exited. */
  readonly jobsOutliveServer: boolean
  /** Start plain shells with the shell launcher where it can run. */
  readonly useLauncher: boolean
  /** A folder for what such commands need after the exit of the server. */
  readonly keptIn?: string | undefined
}

export function fitsInPipe(command: string): boolean {
  return Buffer.byteLength(command) <= MAX_PIPED_BYTES
}

/** undefined if this system lacks what is needed. Rejects if the system refuses, with its `code`. */
export async function startSupervisor(settings: SupervisorOptions): Promise<Supervisor | undefined> {
  if (process.platform !== 'linux') return undefined
  const { bash, cwd, env, commandTags, tagPrefix, jobsOutliveServer } = settings
  const directory = createPoolDirectory(tagPrefix)
  const removeDirectory = (): void => removePoolDirectory(directory)
  const askpassFolder = createAskpassFolder(directory, jobsOutliveServer, settings.keptIn)
  const shells = new Map<number, SupervisedShell>()
  const fifos = createFifoSupply((from, to) => child.send(`fifos ${from} ${to}\n`))
  let isOpen = true

  function dropShell(shell: SupervisedShell): void {
    shells.delete(shell.number)
    shell.onExit(undefined)
    shell.onClosed()
  }

  function handleReport(report: string): void {
    const [kind, number, value, watcherPid] = report.split(' ')
    const shell = shells.get(Number(number))
    if (kind === 'fifos') fifos.created(Number(value))
    else if (kind === 'started') shell?.onStarted(Number(value), Number(watcherPid))
    else if (kind === 'exit') shell?.onExit(Number(value))
    else shell?.onClosed()
    if (shell?.hasExited && shell.isClosed) shells.delete(shell.number)
  }

  const args = supervisorArguments(directory, [directory, commandTags, tagPrefix, jobsOutliveServer ? '1' : ''])
  const commandEnv = withAskpass(env, askpassFolder)
  // It does not search PATH.
  const canLaunch = settings.useLauncher && bash.includes('/')
  const starting = canLaunch ? startShellLauncher({ directory, cwd, env: commandEnv, commandTags, bash }) : undefined
  const child = await spawnLineChild(bash, args, { cwd, env: commandEnv, onLine: handleReport }).catch(
    (error: unknown) => {
      removeDirectory()
      throw error
    },
  )
  const stopWatching = watchShells(shells, child.pid, (shell) => {
    // A supervisor that did not start this shell will not start the next one either.
    if (shell.pid === undefined) close()
    dropShell(shell)
  })
  // Each started shell has a watcher process that goes on reporting. A shell that has not started by now never will.
  void child.exited.then(async () => {
    isOpen = false
    fifos.stop()
    await sleep(START_GRACE_MS, undefined, { ref: false })
    for (const shell of shells.values()) if (shell.pid === undefined) dropShell(shell)
  })
  void child.closed.then(() => {
    stopWatching()
    for (const shell of shells.values()) dropShell(shell)
    removeDirectory()
  })

  function close(): void {
    isOpen = false
    fifos.stop()
    child.send('stop\n')
    child.disconnect()
  }

  const launcher = await starting
  if (!(await fifos.ready)) {
    launcher?.close()
    return undefined
  }
  return {
    get isOpen() {
      return isOpen && launcher?.isOpen !== false
    },
    askpassFolder,
    hasLauncher: launcher !== undefined,
    leaderPids() {
      const pids = new Set<number>()
      for (const { pid } of shells.values()) if (pid !== undefined) pids.add(pid)
      for (const pid of launcher?.leaderPids() ?? []) pids.add(pid)
      return pids
    },
    async forkShell(request = {}) {
      const launched = isPlain(request) && launcher?.start(launchRequest(bash, request), request.isNext ?? false)
      if (launched) return launched
      const number = await fifos.next()
      if (number === undefined || !isOpen) throw new Error('no shell could be prepared')
      try {
        const { settingsFile, paths } = writeShellFiles(join(directory, String(number)), request)
        const askpassKey = randomBytes(ASKPASS_KEY_BYTES).toString('base64url')
        const shell = createPooledShell(number, paths, askpassKey)
        shells.set(number, shell)
        child.send(`shell ${number} ${askpassKey} ${settingsFile}\n`)
        return shell
      } catch (error) {
        // A cleaner of temporary files has deleted the FIFOs. They cannot be restored.
        if (hasErrorCode(error, 'ENOENT')) close()
        throw error
      }
    },
    close() {
      launcher?.close()
      close()
    },
    removeDirectory,
  }
}

/** Whether it needs nothing but a command, which is sent to it later. */
function isPlain({ command, input, record, openInput }: ForkRequest): boolean {
  return command === undefined && input === undefined && !record && !openInput
}

function launchRequest(bash: string, { sandbox, cgroupFiles = [], shellPrelude = '' }: ForkRequest): LaunchRequest {
  const argv = [...(sandbox?.argv ?? []), sandbox?.bash ?? bash, '-c', `${shellPrelude}${READ_COMMAND}`, 'bash']
  return { seccompFile: sandbox?.seccompFile ?? '', cgroupFiles, argv }
}

/**
 * The scripts are files, so that the process list shows a name and not their text. -p skips the start-up files of the
 * user, which the commands themselves read.
 */
function supervisorArguments(directory: string, args: readonly string[]): readonly string[] {
  const script = join(directory, 'shell-supervisor.sh')
  writeFileSync(script, SUPERVISOR, { mode: 0o600 })
  writeFileSync(join(directory, 'output-recorder.sh'), RECORDER, { mode: 0o600 })
  writeFileSync(join(directory, 'read-command.sh'), READ_COMMAND, { mode: 0o600 })
  // Sourced, a script is read as a whole: otherwise bash reads it while it runs it, and the file may be deleted or
  // replaced.
  return ['-p', '-c', '. "$0"', script, ...args]
}

interface FifoSupply {
  /** Whether the first FIFOs were created. */
  readonly ready: Promise<boolean>
  next(): number | undefined | Promise<number | undefined>
  created(below: number): void
  stop(): void
}

/** Hands out the numbers of created FIFO pairs, and requests more before the last is used. */
function createFifoSupply(requestFifos: (from: number, to: number) => void): FifoSupply {
  const waiting: { readonly number: number; readonly resolve: (number: number | undefined) => void }[] = []
  let handedOut = 0
  let created = 0
  let requested = FIFO_BATCH
  let isExhausted = false
  const firstBatch = createDeferred<boolean>()
  return {
    ready: firstBatch.promise,
    next() {
      if (isExhausted) return undefined
      const number = handedOut++
      if (number + LOW_WATER >= requested) {
        requestFifos(requested, requested + FIFO_BATCH)
        requested += FIFO_BATCH
      }
      return number < created ? number : new Promise((resolve) => waiting.push({ number, resolve }))
    },
    created(below) {
      created = below
      firstBatch.resolve(true)
      for (let next = waiting[0]; next && next.number < below; next = waiting[0]) {
        waiting.shift()
        next.resolve(next.number)
      }
    },
    stop() {
      isExhausted = true
      firstBatch.resolve(false)
      for (const { resolve } of waiting.splice(0)) resolve(undefined)
    },
  }
}

/** Writes the files of a shell beside its FIFOs. */
function writeShellFiles(
  base: string,
  request: ForkRequest,
): { readonly settingsFile: string; readonly paths: ShellFifoPaths } {
  const { command, input, record, openInput } = request
  const settings = formatShellSettings(base, request)
  const files: [string, string][] = [
    [`${base}.c`, command === undefined ? '' : `${command}\0`],
    [`${base}.s`, input ?? ''],
    [`${base}.n`, settings],
  ]
  const written = files.filter(([, text]) => text !== '')
  for (const [path, text] of written) writeFileSync(path, text, { mode: 0o600 })
  return {
    settingsFile: settings === '' ? '' : `${base}.n`,
    paths: {
      input: command === undefined || (openInput && !record) ? `${base}.i` : undefined,
      isStdin: openInput !== undefined,
      output: record ? undefined : `${base}.o`,
      all: [`${base}.i`, `${base}.o`, ...written.map(([path]) => path)],
    },
  }
}

/**
 * The settings of a shell as bash variable assignments, which the supervisor script sources; empty for a plain shell.
 */
function formatShellSettings(
  base: string,
  { command, input = '', sandbox, cgroupFiles = [], shellPrelude = '', record, openInput }: ForkRequest,
): string {
  const prelude = `${shellPrelude}${openInput?.terminal?.prelude ?? ''}`
  return [
    command === undefined ? [] : [`has_command_file=1`],
    input === '' ? [] : [`input=${quoteShellWord(`${base}.s`)}`],
    sandbox
      ? [
          `wrapper=(${quoteWords(sandbox.argv)}) seccomp_file=${quoteShellWord(sandbox.seccompFile)} bash=${quoteShellWord(sandbox.bash)}`,
        ]
      : [],
    cgroupFiles.length === 0 ? [] : [`cgroup_files=(${quoteWords(cgroupFiles)})`],
    prelude === '' ? [] : [`prelude=${quoteShellWord(prelude)}`],
    openInput ? formatInputSettings(base, openInput, record !== undefined) : [],
    record
      ? [
          `status_file=${quoteShellWord(record.statusFile)}`,
          `recorder_arguments=(${quoteWords([record.folder, String(record.segmentBytes), String(record.segments)])})`,
        ]
      : [],
  ]
    .flat()
    .join('\n')
}

/** The command FIFO of the shell is free for stdin, because the command is in a file. */
function formatInputSettings(base: string, { fifo, terminal }: OpenInputOptions, isRecorded: boolean): string[] {
  const pipe = isRecorded ? `input_fifo=${quoteShellWord(fifo ?? '')}` : `input=${quoteShellWord(`${base}.i`)}`
  if (!terminal?.programs) return [pipe]
  const { programs, cols, rows } = terminal
  const { script, stty } = programs
  return [
    pipe,
    `terminal=${quoteShellWord(script)} stty=${quoteShellWord(quoteWords(stty))} terminal_size='cols ${cols} rows ${rows}'`,
  ]
}

function quoteWords(words: readonly string[]): string {
  return words.map(quoteShellWord).join(' ')
}
