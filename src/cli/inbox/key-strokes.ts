// What a terminal sent, cut into keys: each is handed on only while a prompt is there to take it, so that whoever types
// ahead loses nothing. What the keys mean, the prompts know; only those that end everything are seen here.

import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

// oxlint-disable-next-line no-control-regex -- this is what keys are made of
const KEY = /\u001B(?:\[[\d;]*[ -/]*[@-~]|O.)?|\p{Cc}|[^\p{Cc}]+/gsu

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
/** A prompt would stop the process and leave the terminal as it is. */
const CTRL_Z = '\u001A'

export interface KeyStrokes {
  /** Where prompts read. */
  readonly input: Readable
  take(bytes: Buffer): void
  /** Whether somebody reads. */
  listen(isListening: boolean): void
  /** Drops what nobody has read. */
  forget(): void
}

export function createKeyStrokes(end: (key: 'ctrl+c' | 'ctrl+d') => void): KeyStrokes {
  const input = new Readable({ read() {} })
  const decoder = new StringDecoder()
  let waiting: string[] = []
  let isListening = false
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || !isListening || waiting.length === 0) return
    isScheduled = true
    // One at a time: a prompt that this key ends must not swallow the next.
    setImmediate(() => {
      isScheduled = false
      if (!isListening) return
      input.push(waiting.shift())
      schedule()
    })
  }

  return {
    input,
    take(bytes) {
      const keys: readonly string[] = decoder.write(bytes).match(KEY) ?? []
      if (keys.includes(CTRL_C)) return end('ctrl+c')
      if (keys.includes(CTRL_D)) return end('ctrl+d')
      waiting = [...waiting, ...keys.filter((key) => key !== CTRL_Z)]
      schedule()
    },
    listen(now) {
      isListening = now
      schedule()
    },
    forget() {
      waiting = []
    },
  }
}
