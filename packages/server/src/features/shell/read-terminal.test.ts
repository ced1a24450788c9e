import { expect, test, vi } from 'vitest'

import type { Job } from './job.js'
import { readTerminal } from './read-terminal.js'
import type { TerminalScreen } from './terminal-screen.js'

const open = vi.hoisted(() => ({ screens: 0, most: 0 }))

vi.mock('./terminal-screen.js', () => ({
  async openTerminalScreen(): Promise<Partial<TerminalScreen>> {
    open.most = Math.max(open.most, ++open.screens)
    return {
      size: { cols: 80, rows: 24 },
      top: 0,
      isAlternate: true,
      write: () => new Promise((resolve) => void setTimeout(resolve, 5)),
      rows: () => [],
      cursor: () => ({ row: 0, column: 0, isVisible: true }),
      resize: () => undefined,
      dispose: () => void open.screens--,
    }
  },
}))

/** A program on the alternate screen. */
function createFakeJob(): Job {
  const bytes = Buffer.from(`\u001B[?1049h${'x'.repeat(100)}`)
  return Object.assign(Object.create(null), {
    isRunning: true,
    record: { user: 'ann', stdin: 'terminal' },
    lastEscapeAt: () => undefined,
    output: {
      size: async () => bytes.length,
      read: async (from: number, count: number) => ({ from, bytes: bytes.subarray(from, from + count) }),
    },
  })
}

test('reads of one job at the same time keep one screen', async () => {
  const job = createFakeJob()
  const read = () => readTerminal(job, 0, { maxCharacters: 1000, full: true })
  await Promise.all([read(), read(), read()])
  expect(open).toEqual({ screens: 1, most: 1 })
})
