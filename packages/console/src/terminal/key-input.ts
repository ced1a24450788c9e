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

export interface KeyInput {
  /** The stream that prompts read. */
  readonly input: Readable
  receive(bytes: Buffer): void
  /** Sets whether a prompt is reading. */
  setListening(isListening: boolean): void
  /** Discards unread keys. */
  discard(): void
}

export function createKeyInput(onExit: (key: 'ctrl+c' | 'ctrl+d') => void): KeyInput {
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
    receive(bytes) {
      const keys: readonly string[] = decoder.write(bytes).match(KEY) ?? []
      if (keys.includes(CTRL_C)) return onExit('ctrl+c')
      if (keys.includes(CTRL_D)) return onExit('ctrl+d')
      pending = [...pending, ...keys.filter((key) => key !== CTRL_Z)]
      schedule()
    },
    setListening(isReading) {
      isListening = isReading
      schedule()
    },
    discard() {
      pending = []
    },
  }
}
