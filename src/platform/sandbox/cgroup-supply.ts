// Cgroups for commands, one set each. Making them takes longer than all else a command waits for, so those of the next
// one are made ahead.

import { rmdirSync } from 'node:fs'
import { dirname } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import { makeCgroup, type Slot, type Values } from './cgroups.js'

const RETRIES = 6
const RETRY_MS = 10

export interface Supply {
  /** The files through which a process enters its cgroups. */
  take(): readonly string[]
  giveBack(entrances: readonly string[]): void
  close(): void
}

export function createSupply(slots: readonly Slot[], values: Values): Supply {
  const family = `scorpiox-${process.pid}-${Math.random().toString(36).slice(2)}`
  let count = 0
  let ahead: readonly string[] | undefined
  let isClosed = false

  function make(): readonly string[] {
    const name = `${family}-${++count}`
    const made: string[] = []
    try {
      for (const slot of slots) made.push(makeCgroup(slot, name, values))
      return made
    } catch (error) {
      giveBack(made)
      const reason = reasonOf(error)
      throw new Failure(`The command was not started: its limits could not be set (${reason}).`)
    }
  }

  function makeAhead(): void {
    if (isClosed) return
    try {
      ahead ??= make()
    } catch {
      // Whoever needs it will be told.
    }
  }

  return {
    take() {
      const taken = ahead ?? make()
      ahead = undefined
      setImmediate(makeAhead)
      return taken
    },
    giveBack,
    close() {
      isClosed = true
      giveBack(ahead ?? [])
      ahead = undefined
    },
  }
}

function giveBack(entrances: readonly string[]): void {
  for (const entrance of entrances) remove(dirname(entrance), RETRIES)
}

/** Its last process may be a moment away from being gone. What cannot be removed, the next server removes. */
function remove(cgroup: string, tries: number): void {
  try {
    rmdirSync(cgroup)
  } catch (error) {
    const isBusy = error instanceof Error && 'code' in error && error.code === 'EBUSY'
    if (isBusy && tries > 0) setTimeout(remove, RETRY_MS * 2 ** (RETRIES - tries), cgroup, tries - 1).unref()
  }
}
