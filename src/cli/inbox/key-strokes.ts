// Splits terminal input into keys and passes them on one at a time while a prompt reads, so that keys typed ahead are kept.
// Handles only Ctrl+C and Ctrl+D itself.

import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

// oxlint-disable-next-line no-control-regex -- keys consist of control characters
const KEY = /\u001B(?:\[[\d;]*[ -/]*[@-~]|O.)?|\p{Cc}|[^\p{Cc}]+/gsu

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
/** Dropped: a prompt would suspend the process without restoring the terminal. */
const CTRL_Z = '\u001A'

export interface KeyStrokes {
  /** The stream that prompts read. */
  readonly input: Readable
  take(bytes: Buffer): void
  /** Sets whether a prompt is reading. */
  listen(isListening: boolean): void
  /** Discards unread keys. */
  forget(): void
}

export function createKeyStrokes(onExit: (key: 'ctrl+c' | 'ctrl+d') => void): KeyStrokes {
  const input = new Readable({ read() {} })
  const decoder = new StringDecoder()
  let pending: string[] = []
  let isListening = false
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || !isListening || pending.length === 0) return
    isScheduled = true
    // One at a time: a prompt that ends with this key must not consume the next one.
    setImmediate(() => {
      isScheduled = false
      if (!isListening) return
      input.push(pending.shift())
      schedule()
    })
  }

  return {
    input,
    take(bytes) {
      const keys: readonly string[] = decoder.write(bytes).match(KEY) ?? []
      if (keys.includes(CTRL_C)) return onExit('ctrl+c')
      if (keys.includes(CTRL_D)) return onExit('ctrl+d')
      pending = [...pending, ...keys.filter((key) => key !== CTRL_Z)]
      schedule()
    },
    listen(isReading) {
      isListening = isReading
      schedule()
    },
    forget() {
      pending = []
    },
  }
}
