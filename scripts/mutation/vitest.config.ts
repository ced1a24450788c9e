// The tests that `npm run mutate` runs: those of packages/mcp and those of the library that need no child process. All
// of them import the sources, so that they see the mutants.

import { defineConfig } from 'vitest/config'

/** Tests that other folders need not run, because they do not call their code. */
const TRANSPORTS = ['http', 'stdio', 'util', 'client-requests'].filter(
  (folder) => !process.env.MUTATE_TARGETS?.includes(`/${folder}/`),
)

export default defineConfig({
  resolve: {
    // Not through node_modules: its links lead to the sources without mutants.
    alias: [{ find: /^@scorpiox\/(\w+)\/(.+)$/, replacement: `${process.cwd()}/packages/$1/src/$2.ts` }],
  },
  test: {
    include: ['packages/mcp/src/**/*.test.ts', 'test/library/{connect,tools}.test.ts'],
    exclude: [
      ...TRANSPORTS.map((folder) => `packages/mcp/src/${folder}/**`),
      // These start processes.
      'packages/mcp/src/protocol-tasks/task-handles.test.ts',
      'packages/mcp/src/http/process-stats.test.ts',
      // Expects a module that no other test has loaded.
      'packages/mcp/src/json-schema/lazy-compile.test.ts',
    ],
    isolate: false,
    setupFiles: ['scripts/mutation/set-up.ts'],
    // A mutant under which a test hangs counts as killed.
    testTimeout: 10_000,
    hookTimeout: 10_000,
  },
})
