import { defineConfig } from 'vitest/config'

/** Fills the machine or measures it: one file at a time, with nothing beside it. */
const ALONE = [
  'test/trees-thousand.test.ts',
  'test/endurance.test.ts',
  'test/image/hostile.test.ts',
  'test/http/hostile.test.ts',
]

/** Starts trees of processes, floods or starves: few at a time. */
const FEW_AT_A_TIME = [
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
]

/** Needs a process of its own: replaces a module, or expects that one was not loaded before. */
const IN_A_FRESH_PROCESS = ['src/protocol/schema-check.test.ts', 'src/store/job-numbers.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/set-up.ts'],
    reporters: ['default', './test/closing-line.mjs'],
    // One group after the other. More workers than cores, because most tests of the program wait for it.
    projects: [
      group(0, 'program', 4, {
        include: ['test/**/*.test.ts', ...IN_A_FRESH_PROCESS],
        exclude: [...FEW_AT_A_TIME, ...ALONE],
      }),
      // One process for many files: to load the modules anew for each of them took as long as the tests.
      group(0, 'units', 4, {
        include: ['src/**/*.test.ts'],
        exclude: [...FEW_AT_A_TIME, ...IN_A_FRESH_PROCESS],
        isolate: false,
      }),
      group(1, 'processes', 3, { include: FEW_AT_A_TIME }),
      group(2, 'alone', 1, { include: ALONE }),
    ],
  },
})

interface Files {
  readonly include: string[]
  readonly exclude?: string[]
  readonly isolate?: boolean
}

function group(groupOrder: number, name: string, maxWorkers: number, files: Files) {
  return {
    test: {
      name,
      maxWorkers,
      sequence: { groupOrder },
      setupFiles: ['test/patience.ts'],
      // Detects what hangs; how long something may take is for the test to say.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      ...files,
    },
  }
}
