// Opens the sandbox for commands: bubblewrap, a seccomp filter and resource limits; on macOS that of seatbelt.ts. A
// self-test runs in it at once, and a sandbox that fails it is not used. It builds command lines; the shell pool starts
// them. Opened by command-sandbox.ts, and by `doctor`. Starts processes for the self-test; writes sandbox-files.ts.

import { readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { runToCompletion } from '../process/run-program.js'
import { createTrustedEnvironment, findTrustedProgram, pickLibraryVariables } from '../process/trusted-program.js'
import { isInsideDirectory } from '../files/path-containment.js'
import { explainBubblewrapError, findBubblewrap, findPrivateMountWrapper } from './bubblewrap.js'
import { checkRoots } from './check-roots.js'
import { type CommandPolicy, createSandboxedCommands, type SandboxedCommands } from './command-factory.js'
import { PRIVATE_TMP_FOLDERS } from './mount-plan.js'
import { openResourceLimits, type ResourceLimits } from './resource-limits.js'
import { requireSupportedArchitecture, type SandboxFiles, writeSandboxFiles } from './sandbox-files.js'
import type { ActiveSandboxLevel } from './sandbox-level.js'
import { buildSelfTestCommand, ESCAPE_COUNT, findSuccessfulEscapes } from './self-test.js'

interface WrapOptions {
  readonly argv: readonly string[]
  readonly seccompFile: string
  readonly cgroupFiles: readonly string[]
}

/**
 * The command line that starts a program in the sandbox: /bin/sh enters the cgroups, opens the seccomp filter as fd 9
 * and executes bwrap. Nothing is searched in PATH, which may contain a folder of the project.
 */
export function wrapCommand(
  { argv, seccompFile, cgroupFiles }: WrapOptions,
  program: readonly string[],
): readonly string[] {
  const script = [
    ...cgroupFiles.map((file) => `echo 0 >${quotePath(file)} || exit 126`),
    `exec "$@" 9<${quotePath(seccompFile)}`,
  ]
  return ['/bin/sh', '-c', script.join('\n'), 'sh', ...argv, ...program]
}

function quotePath(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`
}

export interface Sandbox extends SandboxedCommands {
  readonly report: SandboxReport
}

/** What is in force. */
export interface SandboxReport {
  /** What confines commands, such as `bubblewrap 0.8.0`. */
  readonly program: string
  readonly levels: readonly ActiveSandboxLevel[]
  readonly pids: ResourceLimits['pids']
  readonly memory: ResourceLimits['memory']
  /** How many escapes the self-test tried at each level, all without success. */
  readonly escapesTried: number
  readonly tookMs: number
}

export interface SandboxPolicy extends CommandPolicy {
  /** The levels that will be used; each is tested. */
  readonly levels: readonly ActiveSandboxLevel[]
  /** A folder for the sandbox's own files, hidden from commands. */
  readonly workFolder: string
  readonly pids: number
  /** Memory of all commands together. */
  readonly totalMemoryBytes?: number
  /** The environment of this server, without secrets. */
  readonly env: NodeJS.ProcessEnv
  /** The code of this server and the runtime that runs it. */
  readonly program?: readonly string[] | undefined
  /** Whether the runtime obeyed files of the project when it started this server. */
  readonly obeysProjectFiles?: boolean | undefined
}

export async function openSandbox(policy: SandboxPolicy): Promise<Sandbox> {
  if (process.platform === 'darwin') return (await import('./seatbelt.js')).openSeatbeltSandbox(policy)
  const startedAt = performance.now()
  const architecture = requireSupportedArchitecture()
  const { levels, workFolder, allowsOnlyGrants = false } = policy
  const { project, writable, writableRoots } = checkRoots(policy)
  const env = createTrustedEnvironment(policy.env, writableRoots)
  const bubblewrap = await findBubblewrap(env, writableRoots)
  const bash = findTrustedProgram('bash', env, writableRoots)
  if (bash === undefined) throw new Failure('The sandbox needs bash, which is not installed: install bash.')
  const files = writeSandboxFiles(workFolder, architecture)
  const limits = openResourceLimits({ ...policy, isRoot: process.getuid?.() === 0 })
  const hidden = [...policy.hidden, workFolder]
  // The wrapper takes some milliseconds, so it is used only where nothing at all may be written.
  const wrapper = allowsOnlyGrants
    ? await findPrivateMountWrapper({ bwrap: bubblewrap.path, bash }, env, writableRoots)
    : []
  const bwrap = [...wrapper, bubblewrap.path]
  const commands = createSandboxedCommands(
    { ...policy, project, writable, hidden, restoredEnv: pickLibraryVariables(policy.env) },
    { bwrap, bash, files, limits },
  )
  const results = await Promise.allSettled(
    levels.map((level) => runSelfTest(level, commands, { ...policy, env, project, writable }, files)),
  )
  rmSync(files.secretFile, { force: true })
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) {
    await commands.close()
    throw failed.reason
  }
  const tookMs = Math.round(performance.now() - startedAt)
  const report: SandboxReport = {
    program: `bubblewrap ${bubblewrap.version}`,
    levels,
    pids: limits.pids,
    memory: limits.memory,
    escapesTried: ESCAPE_COUNT,
    tookMs,
  }
  return {
    ...commands,
    create(level, grants) {
      if (!levels.includes(level)) throw new Error(`the sandbox was not tested at the level ${level}`)
      return commands.create(level, grants)
    },
    report,
  }
}

/** It takes about 50 ms; a busy machine may need much longer. */
const SELF_TEST_TIMEOUT_MS = 30_000
const NAMESPACES = ['user', 'mnt', 'pid', 'ipc', 'uts', 'cgroup']

async function runSelfTest(
  level: ActiveSandboxLevel,
  commands: SandboxedCommands,
  { project, writable, home, workFolder, env, allowsOnlyGrants = false }: SandboxPolicy,
  { secretFile, secret }: SandboxFiles,
): Promise<void> {
  const isProjectWritable =
    !allowsOnlyGrants && (level !== 'read-only' || writable.some((root) => isInsideDirectory(project, root)))
  // /tmp is private in the sandbox, and writing to it is not an escape.
  const homeOrRoot = home === '' || home.startsWith('/tmp/') ? '/root' : home
  const deniedWritable = allowsOnlyGrants ? writable.filter((path) => !PRIVATE_TMP_FOLDERS.includes(path)) : []
  const unwritable = [
    '/usr',
    '/etc',
    workFolder,
    homeOrRoot,
    ...deniedWritable,
    isProjectWritable ? join(project, '.scorpiox') : project,
  ]
  const names = [...NAMESPACES, ...(level === 'strict' ? ['net'] : [])]
  const sandboxed = commands.create(level)
  try {
    const testCommand = buildSelfTestCommand({
      ...sandboxed,
      level,
      secretFile,
      secret,
      // Some system users have /tmp as their home.
      unwritableFolders: unwritable.filter((path) => path !== '/tmp'),
      namespaces: names.map((name) => readlinkSync(`/proc/self/ns/${name}`)),
    })
    // What earlier commands wrote must not take part: neither programs of PATH nor libraries.
    const unset = Object.keys(pickLibraryVariables(env)).flatMap((name) => ['--unsetenv', name])
    const argv = [...sandboxed.argv.slice(0, -1), ...unset, '--']
    const [file = '', ...args] = wrapCommand({ ...sandboxed, argv }, testCommand)
    const { output, timedOut } = await runToCompletion(file, args, env, SELF_TEST_TIMEOUT_MS)
    const escapes = findSuccessfulEscapes(output)
    if (escapes.length === 0) return
    if (timedOut)
      throw new Failure(
        `The sandbox could not be tested within ${SELF_TEST_TIMEOUT_MS / 1000} s, because the machine is busy. The command was ` +
          'not started; the test is repeated with the next one.',
      )
    if (escapes.length === ESCAPE_COUNT)
      throw new Failure(`The sandbox does not start: ${lastLine(output)}. ${explainBubblewrapError(output)}`)
    throw new Failure(
      `Sandbox self-test failed at level ${level}: these escapes succeeded: ${escapes.join(', ')}. No command is run. ` +
        'Set SANDBOX=off only if you trust every command, or run the server in a virtual machine.',
    )
  } finally {
    sandboxed.release()
  }
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
