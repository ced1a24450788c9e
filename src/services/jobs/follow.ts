// A command that writes its output down by itself, heard like any other: what it adds to its files is read behind it.

import type { Launcher, Order, Running } from '../../platform/launcher.js'
import type { OutputReader } from '../../store/output-reader.js'
import { withoutHalf } from './lines.js'

const PIECE = 256 * 1024

export async function launchFollowed(launcher: Launcher, order: Order, output: OutputReader): Promise<Running> {
  const running = await launcher.launch({ ...order, onOutput: () => {} })
  let next = 0
  let reading = Promise.resolve()

  async function readOn(): Promise<void> {
    for (;;) {
      const { from, bytes } = await output.read(next, PIECE)
      if (bytes.length === 0) return
      const heard = from > next ? withoutHalf(bytes) : bytes
      const gone = from - next + bytes.length - heard.length
      if (gone > 0) order.onGap?.(gone)
      next = from + bytes.length
      order.onOutput(heard)
    }
  }

  // One after the other. What cannot be read now is read with what comes next.
  const pull = (): Promise<void> => (reading = reading.then(readOn).catch(() => undefined))
  const leave = output.watch(() => void pull())
  return {
    ...running,
    async heard() {
      await running.heard()
      await pull()
    },
    ignoreOutput: leave,
  }
}
