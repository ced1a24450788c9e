// The tests that `npm run mutate` runs: those of packages/mcp and those of the library that start no process. All of
// them import the sources; the plugin replaces those that are mutated.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { defineConfig } from 'vitest/config'

const ROOT = resolve(import.meta.dirname, '../..')
const plan = JSON.parse(readFileSync(process.env.MUTATE_PLAN ?? '', 'utf8'))
const codes = new Map(Object.entries(plan.codes).map(([file, code]) => [join(ROOT, file), code]))

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
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
