import { defineConfig } from 'vitest/config'

/** What fills the machine or measures it: one file at a time, with nothing beside it. */
const ALONE = [
  'test/trees-thousand.test.ts',
  'test/endurance.test.ts',
  'test/image/hostile.test.ts',
  'test/http/hostile.test.ts',
]

/** What grows trees of processes, floods or starves: two at a time, so that each is short of nothing but what it asks for. */
const IN_PAIRS = [
  'test/trees.test.ts',
  'test/trees-accidents.test.ts',
  'test/sandbox/*.test.ts',
  'test/shell/*.test.ts',
  'test/plan/writes.test.ts',
  'test/stdio.test.ts',
  'test/hostile.test.ts',
  'src/platform/**/*.test.ts',
  'src/services/shell/*.test.ts',
  'src/services/jobs/*.test.ts',
  'src/protocol/tickets.test.ts',
  'src/services/documents/extract/hostile.test.ts',
]

const EVERYTHING = ['src/**/*.test.ts', 'test/**/*.test.ts']
const PATIENCE = { testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    globalSetup: ['test/set-up.ts'],
    reporters: ['default', './test/closing-line.mjs'],
    // One group after the other.
    projects: [
      // More of them than cores: they wait for others more than they work.
      group(0, 'together', 3, { include: EVERYTHING, exclude: [...IN_PAIRS, ...ALONE] }),
      group(1, 'in pairs', 2, { include: IN_PAIRS }),
      group(2, 'alone', 1, { include: ALONE }),
    ],
  },
})

function group(groupOrder: number, name: string, maxWorkers: number, files: { include: string[]; exclude?: string[] }) {
  return { test: { name, maxWorkers, sequence: { groupOrder }, ...files, ...PATIENCE } }
}
