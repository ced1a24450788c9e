// The sandbox for commands: bubblewrap, a filter of system calls, limits. It is tried out when it is opened, and one
// that does not hold is refused: there is no half of a sandbox. Commands are started elsewhere; a cage says how.

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
  /** How many escapes were tried at each level, all in vain. */
  readonly escapes: number
  readonly tookMs: number
}

export interface SandboxTerms extends CageTerms {
  /** The levels that will be asked for; each is tried out. */
  readonly levels: readonly CageLevel[]
  /** A folder for the sandbox's own files; commands do not see it. */
  readonly folder: string
  readonly pids: number
  /** For bwrap when it is tried out. */
  readonly env: NodeJS.ProcessEnv
}

export async function openSandbox(terms: SandboxTerms): Promise<Sandbox> {
  const startedAt = performance.now()
  const architecture = architectureHere()
  const { levels, folder, home, env, isSealed = false } = terms
  const writes = !isSealed && levels.some((level) => level !== 'read-only')
  const project = writes ? writableRoot(terms.project, home) : readableRoot(terms.project)
  const writable = isSealed
    ? readablePlaces(terms.writable).map(({ path }) => path)
    : terms.writable.map((path) => writableRoot(path, home))
  // Where it is sealed now, commands may have written before.
  const changeable = (writes || isSealed ? [project, ...writable] : writable).filter((root) => !holdsSystem(root))
  const bubblewrap = await findBubblewrap(env, changeable)
  const bash = findProgram('bash', env, changeable)
  if (bash === undefined) throw new Failure('The sandbox needs bash, which is not installed: install bash.')
  const workshop = prepareWorkshop(folder, architecture)
  const limits = openLimits({ ...terms, isRoot: process.getuid?.() === 0 })
  const hidden = [...terms.hidden, folder]
  // It costs some milliseconds, which only where nothing at all may be written is asked of everybody.
  const before = isSealed ? await privateMounts({ bwrap: bubblewrap.path, bash }, env, changeable) : []
  const bwrap = [...before, bubblewrap.path]
  const cages = createCages({ ...terms, project, writable, hidden }, { bwrap, bash, workshop, limits })
  const trials = await Promise.allSettled(
    levels.map((level) => tryOut(level, cages, { ...terms, project, writable }, workshop)),
  )
  rmSync(workshop.secretFile, { force: true })
  const failed = trials.find((trial) => trial.status === 'rejected')
  if (failed) {
    await cages.close()
    throw failed.reason
  }
  const tookMs = Math.round(performance.now() - startedAt)
  const report = { bubblewrap, levels, pids: limits.pids, memory: limits.memory, escapes: ESCAPES, tookMs }
  return {
    ...cages,
    cage(level, grants) {
      if (!levels.includes(level)) throw new Error(`the sandbox was not tried out at the level ${level}`)
      return cages.cage(level, grants)
    },
    report,
  }
}

const NAMESPACES = ['user', 'mnt', 'pid', 'ipc', 'uts', 'cgroup']

async function tryOut(
  level: CageLevel,
  cages: Cages,
  { project, writable, home, folder, env, isSealed = false }: SandboxTerms,
  { secretFile, secret }: Workshop,
): Promise<void> {
  const isOpen = !isSealed && (level !== 'read-only' || writable.some((root) => isWithin(project, root)))
  // What is in /tmp is private there, and writing to it no escape.
  const homeOrRoot = home === '' || home.startsWith('/tmp/') ? '/root' : home
  const sealed = isSealed ? writable.filter((path) => !SCRATCH.includes(path)) : []
  const closed = ['/usr', '/etc', folder, homeOrRoot, ...sealed, isOpen ? join(project, '.scorpiox') : project]
  const names = [...NAMESPACES, ...(level === 'strict' ? ['net'] : [])]
  const cage = cages.cage(level)
  try {
    const trial = selfTest({
      ...cage,
      level,
      secretFile,
      secret,
      // Some services are said to live there.
      closed: closed.filter((path) => path !== '/tmp'),
      namespaces: names.map((name) => readlinkSync(`/proc/self/ns/${name}`)),
    })
    const [file = '', ...args] = enterCage(cage, trial)
    const { output } = await runProgram(file, args, env)
    const worked = escaped(output)
    if (worked.length === 0) return
    if (worked.length === ESCAPES)
      throw new Failure(`The sandbox does not start: ${lastLine(output)}. ${adviceFor(output)}`)
    throw new Failure(
      `The sandbox does not hold at the level ${level}: ${worked.join(', ')}. Nothing is run in it. ` +
        'Set SANDBOX=off only if you trust every command, or run the server in a virtual machine.',
    )
  } finally {
    cage.release()
  }
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
