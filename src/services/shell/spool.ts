// Holds what a command has printed until it is clear whether anybody wants to keep it: a little in memory, and once
// that is too much, or the command lives on, everything to a writer. A command never prints faster than it is kept.

import type { OutputWriter } from '../../store/output-writer.js'

export interface Spool {
  write(chunk: Buffer): void
  /** What was held and what comes goes there. */
  pour(writer: OutputWriter): void
  /** Nobody will keep it. */
  drop(): void
  readonly isHeld: boolean
}

export interface SpoolSettings {
  readonly maxHeldBytes: number
  /** Called once, when it is too much to be held: answer with `pour` or `drop`. Until then the command waits. */
  readonly onOverflow: () => void
  readonly pause: () => void
  readonly resume: () => void
}

export function createSpool({ maxHeldBytes, onOverflow, pause, resume }: SpoolSettings): Spool {
  let held: Buffer[] | undefined = []
  let heldBytes = 0
  let isOverflowing = false
  let writer: OutputWriter | undefined

  function append(chunk: Buffer): void {
    if (!writer || writer.append(chunk)) return
    pause()
    void writer.drained().then(resume)
  }

  function settle(): void {
    held = undefined
    if (isOverflowing) resume()
  }

  return {
    get isHeld() {
      return held !== undefined
    },
    write(chunk) {
      if (!held) return append(chunk)
      held.push(chunk)
      heldBytes += chunk.length
      if (heldBytes <= maxHeldBytes || isOverflowing) return
      isOverflowing = true
      pause()
      onOverflow()
    },
    pour(into) {
      const chunks = held ?? []
      writer = into
      settle()
      for (const chunk of chunks) append(chunk)
    },
    drop: settle,
  }
}
