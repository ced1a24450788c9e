import { defineConfig } from 'vitest/config'

import { LongestFirst } from './test/longest-first.js'

/** Tests that fill the machine or measure it: one file at a time, with nothing beside it. */
const ALONE = [
  'test/process-trees-many.test.ts',
  'test/endurance.test.ts',
  'test/image/hostile.test.ts',
  'test/http/hostile.test.ts',
]

/** Tests that start process trees or exhaust a resource: few files at a time. */
const PROCESSES = [
  'test/process-trees.test.ts',
  'test/process-trees-killed.test.ts',
  'test/sandbox/*.test.ts',
  'test/shell/*.test.ts',
  'test/plan/writes.test.ts',
  'test/stdio.test.ts',
  'test/hostile.test.ts',
]
const PROCESS_UNITS = [
  'packages/server/src/{process,sandbox,guarded-fetch,browser}/**/*.test.ts',
  'packages/server/src/features/shell/*.test.ts',
  'packages/mcp/src/protocol-tasks/task-handles.test.ts',
]

/** Unit tests that need a process of their own: they replace a module, or expect that one was not loaded before. */
const ISOLATED_UNITS = [
  'packages/mcp/src/json-schema/lazy-compile.test.ts',
  'packages/server/src/features/shell/job-ids.test.ts',
  'packages/server/src/process/collect-when-idle.test.ts',
]

/** The packages of this repository import each other's sources. */
const SOURCES = {
  resolve: { conditions: ['@scorpiox/source'] },
  ssr: { resolve: { conditions: ['@scorpiox/source', 'node'] } },
}

export default defineConfig({
  ...SOURCES,
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/closing-line.mjs'],
    tags: [
      {
        name: 'long',
        // Only detects tests that hang, also beside busy processes.
        timeout: 900_000,
        description:
          'Many rounds, fuzzing, soaking, or a variant of a test that `npm test` runs: part of `npm run test:long` only.',
      },
    ],
    sequence: { sequencer: LongestFirst },
    // Groups run one after the other. More workers than cores, because most tests of the program wait for it.
    projects: [
      group(0, 'program', 7, {
        include: ['test/**/*.test.ts', ...ISOLATED_UNITS],
        exclude: [...PROCESSES, ...ALONE],
      }),
      // Files share a process: loading the modules again for each file took as long as the tests.
      group(0, 'units', 7, {
        include: ['packages/**/*.test.ts'],
        exclude: [...PROCESS_UNITS, ...ISOLATED_UNITS],
        isolate: false,
      }),
      group(1, 'processes', 5, { include: PROCESSES }),
      group(1, 'process units', 5, { include: PROCESS_UNITS, exclude: ISOLATED_UNITS, isolate: false }),
      group(2, 'alone', 1, { include: ALONE }),
    ],
  },
})

interface ProjectFiles {
  readonly include: string[]
  readonly exclude?: string[]
  readonly isolate?: boolean
}

function group(groupOrder: number, name: string, maxWorkers: number, files: ProjectFiles) {
  return {
    ...SOURCES,
    test: {
      name,
      maxWorkers,
      sequence: { groupOrder },
      setupFiles: ['test/support/wait-limits.ts'],
      // Only detects tests that hang; a test that measures time has its own limit.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      ...files,
    },
  }
}
