// Buffers the output of a command in memory until it is drained to a writer or discarded. Applies back-pressure: the
// command is paused while the buffer is full or the writer is behind. Used by command-execution. No I/O of its own.

import type { JobOutputWriter } from './output-writer.js'

export interface OutputBuffer {
  write(chunk: Buffer): void
  /** Writes the buffered and all later output to the writer. */
  drainTo(writer: JobOutputWriter): void
  /** Drops the buffered and all later output. */
  discard(): void
  readonly isBuffering: boolean
}

export interface OutputBufferOptions {
  readonly maxBufferedBytes: number
  /** Called once, when the buffer is full. The command is paused until `drainTo` or `discard` is called. */
  readonly onOverflow: () => void
  readonly pause: () => void
  readonly resume: () => void
}

export function createOutputBuffer({ maxBufferedBytes, onOverflow, pause, resume }: OutputBufferOptions): OutputBuffer {
  let buffered: Buffer[] | undefined = []
  let bufferedBytes = 0
  let isOverflowing = false
  let writer: JobOutputWriter | undefined

  function append(chunk: Buffer): void {
    if (!writer || writer.append(chunk)) return
    pause()
    void writer.whenDrained().then(resume)
  }

  function stopBuffering(): void {
    buffered = undefined
    if (isOverflowing) resume()
  }

  return {
    get isBuffering() {
      return buffered !== undefined
    },
    write(chunk) {
      if (!buffered) return append(chunk)
      buffered.push(chunk)
      bufferedBytes += chunk.length
      if (bufferedBytes <= maxBufferedBytes || isOverflowing) return
      isOverflowing = true
      pause()
      onOverflow()
    },
    drainTo(target) {
      const chunks = buffered ?? []
      writer = target
      stopBuffering()
      for (const chunk of chunks) append(chunk)
    },
    discard: stopBuffering,
  }
}
