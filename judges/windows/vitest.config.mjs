// Configures Vitest for the unit tests on node.exe in Wine. Run by ../windows-src.mjs in a copy of the repository; the files to
// run are listed in windows-tests.json.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const { files, findings } = JSON.parse(readFileSync('windows-tests.json', 'utf8'))

/** Those that need a process of their own: they replace a module, or expect that one was not loaded before. */
const ISOLATED = new Set([
  'packages/mcp/src/json-schema/lazy-compile.test.ts',
  'packages/server/src/features/shell/job-ids.test.ts',
  'packages/server/src/process/collect-when-idle.test.ts',
  'packages/server/src/process/self-termination.test.ts',
])

const shared = {
  resolve: { conditions: ['@scorpiox/source'] },
  ssr: { resolve: { conditions: ['@scorpiox/source', 'node'] } },
}

export default defineConfig({
  ...shared,
  test: {
    reporters: [['./judges/windows/findings-reporter.mjs', { findings }]],
    tags: [{ name: 'long', description: 'Left out here, as in `npm test`.' }],
    tagsFilter: ['!long'],
    projects: [
      // Files share a process: to start one and to load the modules again takes longer than the tests.
      group(
        'units',
        files.filter((file) => !ISOLATED.has(file)),
        false,
      ),
      group(
        'isolated units',
        files.filter((file) => ISOLATED.has(file)),
        true,
      ),
    ],
  },
})

function group(name, include, isolate) {
  return {
    ...shared,
    test: {
      name,
      include,
      isolate,
      pool: 'forks',
      maxWorkers: 4,
      setupFiles: ['test/support/wait-limits.ts'],
      // Only detects tests that hang.
      testTimeout: 150_000,
      hookTimeout: 150_000,
    },
  }
}
