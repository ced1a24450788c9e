// Launches a command that records its own output, and reads the growing files so that its output arrives as usual.

import type { Launcher, Order, Running } from '../../platform/launcher.js'
import type { OutputReader } from '../../store/output-reader.js'
import { READ_CHUNK_BYTES, withoutHalf } from './lines.js'

export async function launchFollowed(launcher: Launcher, request: Order, output: OutputReader): Promise<Running> {
  const running = await launcher.launch({ ...request, onOutput: () => {} })
  let next = 0
  let reading = Promise.resolve()

  async function readToEnd(): Promise<void> {
    for (;;) {
      const { from, bytes } = await output.read(next, READ_CHUNK_BYTES)
      if (bytes.length === 0) return
      const whole = from > next ? withoutHalf(bytes) : bytes
      const lostBytes = from - next + bytes.length - whole.length
      if (lostBytes > 0) request.onGap?.(lostBytes)
      next = from + bytes.length
      request.onOutput(whole)
    }
  }

  // Reads are serialized. What a failed read misses is read by the next one.
  const readNew = (): Promise<void> => (reading = reading.then(readToEnd).catch(() => undefined))
  const unsubscribe = output.watch(() => void readNew())
  return {
    ...running,
    async heard() {
      await running.heard()
      await readNew()
    },
    ignoreOutput: unsubscribe,
  }
}
