// Opens the sandbox for commands: bubblewrap, a seccomp filter, resource limits. A self-test runs when it is opened,
// and a sandbox that fails it is not used. It builds command lines; commands are started elsewhere.

import { readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { isWithin } from '../../lib/is-within.js'
import { holdsSystem } from '../holds-system.js'
import { runProgram } from '../process.js'
import { adviceFor, findBubblewrap, type Bubblewrap } from './bubblewrap.js'
import { createCages, type Cages, type CageTerms } from './cage.js'
import { enterCage } from './enter.js'
import type { CageLevel } from './level.js'
import { openLimits, type Limits } from './limits.js'
import { SCRATCH } from './mounts.js'
import { readablePlaces, readableRoot, writableRoot } from './places.js'
import { privateMounts } from './private-mounts.js'
import { findProgram } from './programs.js'
import { escaped, ESCAPES, selfTest } from './self-test.js'
import { architectureHere, prepareWorkshop, type Workshop } from './workshop.js'

export interface Sandbox extends Cages {
  readonly report: SandboxReport
}

/** What is in force. */
export interface SandboxReport {
  readonly bubblewrap: Bubblewrap
  readonly levels: readonly CageLevel[]
  readonly pids: Limits['pids']
  readonly memory: Limits['memory']
  /** How many escapes the self-test tried at each level, all without success. */
  readonly escapes: number
  readonly tookMs: number
}

export interface SandboxTerms extends CageTerms {
  /** The levels that will be used; each is tested. */
  readonly levels: readonly CageLevel[]
  /** A folder for the sandbox's own files, hidden from commands. */
  readonly folder: string
  readonly pids: number
  /** The environment of bwrap in the self-test. */
  readonly env: NodeJS.ProcessEnv
}

export async function openSandbox(policy: SandboxTerms): Promise<Sandbox> {
  const startedAt = performance.now()
  const architecture = architectureHere()
  const { levels, folder, home, env, isSealed = false } = policy
  const canWriteProject = !isSealed && levels.some((level) => level !== 'read-only')
  const project = canWriteProject ? writableRoot(policy.project, home) : readableRoot(policy.project)
  const writable = isSealed
    ? readablePlaces(policy.writable).map(({ path }) => path)
    : policy.writable.map((path) => writableRoot(path, home))
  // Even if only grants are writable now, earlier commands may have written there.
  const writableRoots = (canWriteProject || isSealed ? [project, ...writable] : writable).filter(
    (root) => !holdsSystem(root),
  )
  const bubblewrap = await findBubblewrap(env, writableRoots)
  const bash = findProgram('bash', env, writableRoots)
  if (bash === undefined) throw new Failure('The sandbox needs bash, which is not installed: install bash.')
  const files = prepareWorkshop(folder, architecture)
  const limits = openLimits({ ...policy, isRoot: process.getuid?.() === 0 })
  const hidden = [...policy.hidden, folder]
  // The wrapper takes some milliseconds, so it is used only where nothing at all may be written.
  const wrapper = isSealed ? await privateMounts({ bwrap: bubblewrap.path, bash }, env, writableRoots) : []
  const bwrap = [...wrapper, bubblewrap.path]
  const commands = createCages({ ...policy, project, writable, hidden }, { bwrap, bash, workshop: files, limits })
  const results = await Promise.allSettled(
    levels.map((level) => runSelfTest(level, commands, { ...policy, project, writable }, files)),
  )
  rmSync(files.secretFile, { force: true })
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) {
    await commands.close()
    throw failed.reason
  }
  const tookMs = Math.round(performance.now() - startedAt)
  const report: SandboxReport = {
    bubblewrap,
    levels,
    pids: limits.pids,
    memory: limits.memory,
    escapes: ESCAPES,
    tookMs,
  }
  return {
    ...commands,
    cage(level, grants) {
      if (!levels.includes(level)) throw new Error(`the sandbox was not tested at the level ${level}`)
      return commands.cage(level, grants)
    },
    report,
  }
}

const NAMESPACES = ['user', 'mnt', 'pid', 'ipc', 'uts', 'cgroup']

async function runSelfTest(
  level: CageLevel,
  commands: Cages,
  { project, writable, home, folder, env, isSealed = false }: SandboxTerms,
  { secretFile, secret }: Workshop,
): Promise<void> {
  const isProjectWritable = !isSealed && (level !== 'read-only' || writable.some((root) => isWithin(project, root)))
  // /tmp is private in the sandbox, and writing to it is not an escape.
  const homeOrRoot = home === '' || home.startsWith('/tmp/') ? '/root' : home
  const deniedWritable = isSealed ? writable.filter((path) => !SCRATCH.includes(path)) : []
  const unwritable = [
    '/usr',
    '/etc',
    folder,
    homeOrRoot,
    ...deniedWritable,
    isProjectWritable ? join(project, '.scorpiox') : project,
  ]
  const names = [...NAMESPACES, ...(level === 'strict' ? ['net'] : [])]
  const sandboxed = commands.cage(level)
  try {
    const testCommand = selfTest({
      ...sandboxed,
      level,
      secretFile,
      secret,
      // Some system users have /tmp as their home.
      closed: unwritable.filter((path) => path !== '/tmp'),
      namespaces: names.map((name) => readlinkSync(`/proc/self/ns/${name}`)),
    })
    const [file = '', ...args] = enterCage(sandboxed, testCommand)
    const { output } = await runProgram(file, args, env)
    const escapes = escaped(output)
    if (escapes.length === 0) return
    if (escapes.length === ESCAPES)
      throw new Failure(`The sandbox does not start: ${lastLine(output)}. ${adviceFor(output)}`)
    throw new Failure(
      `Sandbox self-test failed at level ${level}: these escapes succeeded: ${escapes.join(', ')}. No command will be run. ` +
        'Set SANDBOX=off only if you trust every command, or run the server in a virtual machine.',
    )
  } finally {
    sandboxed.release()
  }
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
