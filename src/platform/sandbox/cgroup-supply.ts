// Cgroups for commands, one set each. Creating them takes longer than everything else a command waits for, so those for
// the next command are created in advance.

import { rmdirSync } from 'node:fs'
import { dirname } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { makeCgroup, type Slot, type Values } from './cgroups.js'

const RETRIES = 6
const RETRY_MS = 10

interface Supply {
  /** The cgroup.procs files through which a process enters its cgroups. */
  take(): readonly string[]
  giveBack(procsFiles: readonly string[]): void
  close(): void
}

export function createSupply(parents: readonly Slot[], values: Values): Supply {
  const namePrefix = `scorpiox-${process.pid}-${Math.random().toString(36).slice(2)}`
  let count = 0
  let spare: readonly string[] | undefined
  let isClosed = false

  function createSet(): readonly string[] {
    const name = `${namePrefix}-${++count}`
    const created: string[] = []
    try {
      for (const parent of parents) created.push(makeCgroup(parent, name, values))
      return created
    } catch (error) {
      removeCgroups(created)
      const reason = reasonOf(error)
      throw new Failure(`The command was not started: its limits could not be set (${reason}).`)
    }
  }

  function createSpare(): void {
    if (isClosed) return
    try {
      spare ??= createSet()
    } catch {
      // Not reported: the next command that needs them reports the error.
    }
  }

  return {
    take() {
      const acquired = spare ?? createSet()
      spare = undefined
      setImmediate(createSpare)
      return acquired
    },
    giveBack: removeCgroups,
    close() {
      isClosed = true
      removeCgroups(spare ?? [])
      spare = undefined
    },
  }
}

function removeCgroups(procsFiles: readonly string[]): void {
  for (const procsFile of procsFiles) removeCgroup(dirname(procsFile), RETRIES)
}

/** Its last process may still be exiting. What cannot be removed is removed by the next server. */
function removeCgroup(cgroup: string, tries: number): void {
  try {
    rmdirSync(cgroup)
  } catch (error) {
    const isBusy = error instanceof Error && 'code' in error && error.code === 'EBUSY'
    if (isBusy && tries > 0) setTimeout(removeCgroup, RETRY_MS * 2 ** (RETRIES - tries), cgroup, tries - 1).unref()
  }
}
