// The tests that `npm run mutate` runs: those of packages/mcp and those of the library that start no process. All of
// them import the sources; the plugin replaces those that are mutated.

import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

const ROOT = resolve(import.meta.dirname, '../..')
const plan = JSON.parse(readFileSync(process.env.MUTATE_PLAN ?? '', 'utf8'))
const codes = new Map(Object.entries(plan.codes).map(([file, code]) => [join(ROOT, file), code]))
const folders = new Set([...codes.keys()].map(dirname))

/** Tests beside the mutated files first: they are quick, and what they find is not run again by slower ones. */
class NearestFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => `${folders.has(dirname(moduleId)) ? 0 : 1} ${moduleId}`
    return files.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
  }
}

export default defineConfig({
  root: ROOT,
  resolve: { conditions: ['@scorpiox/source'] },
  ssr: { resolve: { conditions: ['@scorpiox/source', 'node'] } },
  plugins: [{ name: 'mutants', enforce: 'pre', transform: (_code, id) => codes.get(id.split('?')[0]) }],
  test: {
    include: ['packages/mcp/src/**/*.test.ts', 'test/library/{connect,tools}.test.ts'],
    exclude: plan.excluded,
    runner: join(import.meta.dirname, 'runner.mjs'),
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    fileParallelism: false,
    sequence: { sequencer: NearestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
