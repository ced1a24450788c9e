import { defineConfig } from 'vitest/config'

/** What counts processes, fills the machine or measures it: one file at a time, with nothing beside it. */
const ALONE = [
  'test/trees*.test.ts',
  'test/sandbox/*.test.ts',
  'test/shell/*.test.ts',
  'test/plan/writes.test.ts',
  'test/endurance.test.ts',
  'test/stdio.test.ts',
  'test/http/hostile.test.ts',
  'test/hostile.test.ts',
  'test/image/hostile.test.ts',
  'src/platform/**/*.test.ts',
  'src/services/shell/*.test.ts',
  'src/services/jobs/*.test.ts',
  'src/protocol/tickets.test.ts',
]

const PATIENCE = { testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    globalSetup: ['test/set-up.ts'],
    reporters: ['default', './test/closing-line.mjs'],
    projects: [
      {
        test: {
          name: 'together',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          ...PATIENCE,
        },
      },
      {
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 }, ...PATIENCE },
      },
    ],
  },
})
