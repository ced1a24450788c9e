// Buffers the output of a command in memory until it is drained to a writer or discarded. Applies back-pressure: the
// command is paused while the buffer is full or the writer is behind.

import type { OutputWriter } from '../../store/output-writer.js'

export interface Spool {
  write(chunk: Buffer): void
  /** Writes the buffered and all later output to the writer. */
  pour(writer: OutputWriter): void
  /** Drops the buffered and all later output. */
  drop(): void
  readonly isHeld: boolean
}

export interface SpoolSettings {
  readonly maxHeldBytes: number
  /** Called once, when the buffer is full. The command is paused until `drainTo` or `discard` is called. */
  readonly onOverflow: () => void
  readonly pause: () => void
  readonly resume: () => void
}

export function createSpool({ maxHeldBytes, onOverflow, pause, resume }: SpoolSettings): Spool {
  let buffered: Buffer[] | undefined = []
  let bufferedBytes = 0
  let isOverflowing = false
  let writer: OutputWriter | undefined

  function append(chunk: Buffer): void {
    if (!writer || writer.append(chunk)) return
    pause()
    void writer.drained().then(resume)
  }

  function stopBuffering(): void {
    buffered = undefined
    if (isOverflowing) resume()
  }

  return {
    get isHeld() {
      return buffered !== undefined
    },
    write(chunk) {
      if (!buffered) return append(chunk)
      buffered.push(chunk)
      bufferedBytes += chunk.length
      if (bufferedBytes <= maxHeldBytes || isOverflowing) return
      isOverflowing = true
      pause()
      onOverflow()
    },
    pour(target) {
      const chunks = buffered ?? []
      writer = target
      stopBuffering()
      for (const chunk of chunks) append(chunk)
    },
    drop: stopBuffering,
  }
}
