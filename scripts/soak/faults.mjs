// The faults of a soak and when they come. Each says what it touches (what a call needs) and which words an answer that
// failed because of it must have; `missing` is why it cannot be injected here.

import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { FAKETIME } from '../fleet/requirements.mjs'
import { createRandom } from '../fleet/wait.mjs'
import { descendantsOf } from './process-tree.mjs'

/** Longer than anything that an hour without use ends. */
const CLOCK_JUMP_SECONDS = 7200
const BALLAST = 'ballast'

export const FAULTS = {
  'kill -9': {
    everySeconds: 40,
    touches: ['command', 'worker', 'disk'],
    says: /SIGKILL|killed|signal 9|ended|exit code 137|exit status unknown|stopped/i,
    missing: () => '',
    async inject({ subject, random }) {
      const kinds = Map.groupBy
        ? Map.groupBy(descendantsOf(subject.pid), ({ kind }) => kind)
        : groupByKind(descendantsOf(subject.pid))
      const kind = random.pick([...kinds.keys()])
      if (kind === undefined) return 'nothing was running'
      const { pid } = random.pick(kinds.get(kind))
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        return `${kind}: it had ended`
      }
      return kind
    },
  },
  'disk full': {
    everySeconds: 300,
    touches: ['command', 'database', 'disk', 'worker', 'session'],
    says: /no space|disk|ENOSPC|full/i,
    missing: ({ canMount }) => (canMount ? '' : 'STATE_DIR cannot be a file system of its own without root'),
    async inject({ subject }) {
      const megabytes = fill(subject.state)
      await sleep(8_000)
      rmSync(join(subject.state, BALLAST), { force: true })
      return `${megabytes} MB were filled for 8 s`
    },
  },
  'clock jump': {
    everySeconds: 300,
    touches: ['session', 'command', 'database'],
    says: /session|expired|clock|time/i,
    missing: () => (existsSync(FAKETIME) ? '' : 'libfaketime is not installed: apt-get install faketime'),
    async inject({ subject, random }) {
      const seconds = random.pick([CLOCK_JUMP_SECONDS, -CLOCK_JUMP_SECONDS])
      subject.setClock(seconds)
      await sleep(15_000)
      subject.setClock(0)
      // The library reads its file once a second.
      await sleep(1_500)
      return `${seconds} s for 15 s, and back`
    },
  },
  'database restarted': {
    everySeconds: 300,
    // Whether plan mode is on is asked before each command.
    touches: ['database', 'session', 'command'],
    says: /database|postgres/i,
    missing: ({ subject }) => (subject.database ? '' : 'SQLite is part of the server'),
    async inject({ subject }) {
      await subject.database.stop()
      await sleep(3_000)
      await subject.database.begin()
      return 'away for 3 s'
    },
  },
}

/** Injects faults at seeded times, one after the other, until `signal` is aborted; `times` has those that were. */
export async function injectFaults({ subject, names, seed, canMount, seconds, times, signal, log }) {
  const random = createRandom(seed)
  const possible = names.filter((name) => FAULTS[name].missing({ subject, canMount }) === '')
  const plan = planFaults(possible, seconds, random)
  const startedAt = Date.now()
  for (const { at, name } of plan) {
    const waitMs = startedAt + at * 1000 - Date.now()
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const { touches, says, inject } = FAULTS[name]
    const time = { subject: subject.variant, kind: name, touches, says, startedAt: Date.now(), endedAt: Infinity }
    times.push(time)
    time.note = await inject({ subject, random })
    time.endedAt = Date.now()
    log(`${subject.variant}: ${name}: ${time.note}`)
    await sleep(5_000)
  }
}

/** Each kind at least once, from a tenth of the time on, and none in the last twentieth. */
function planFaults(names, seconds, random) {
  const [from, until] = [seconds * 0.1, seconds * 0.95]
  const plan = names.flatMap((name) => {
    const count = Math.max(1, Math.floor((until - from) / FAULTS[name].everySeconds))
    return Array.from({ length: count }, () => ({ name, at: from + random.next() * (until - from) }))
  })
  return plan.sort((one, other) => one.at - other.at)
}

function groupByKind(processes) {
  const groups = new Map()
  for (const one of processes) groups.set(one.kind, [...(groups.get(one.kind) ?? []), one])
  return groups
}

/** Writes until nothing fits any more; returns the megabytes. */
function fill(folder) {
  const file = openSync(join(folder, BALLAST), 'w')
  let bytes = 0
  try {
    for (let size = 2 ** 20; size >= 512;) {
      try {
        bytes += writeSync(file, Buffer.alloc(size))
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error
        size /= 2
      }
    }
  } finally {
    closeSync(file)
  }
  return Math.round(bytes / 2 ** 20)
}
