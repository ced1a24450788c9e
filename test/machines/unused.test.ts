// A server on its own loads nothing of what several machines need: only `import()` leads there.

import { posix } from 'node:path'

import { expect, test } from 'vitest'

import { readSources } from '../support/sources.js'

const SOURCES = readSources()
/** Statements that load a module: type imports do not. */
const IMPORTS = /^(?:import|export)(?! type\b)[^;'"]*?(?:from )?'([^']+)'$/gm

function loadedFrom(start: string): ReadonlySet<string> {
  const loaded = new Set([start])
  for (const file of loaded) {
    for (const [, target = ''] of (SOURCES.get(file) ?? '').matchAll(IMPORTS)) {
      const path = target.startsWith('.')
        ? posix.join(posix.dirname(file), target).replace(/\.js$/, '.ts')
        : `${target.replace('@scorpiox/', '')}.ts`
      if (SOURCES.has(path)) loaded.add(path)
    }
  }
  return loaded
}

test.each([
  'app/main.ts',
  'app/cli/commands.ts',
  'app/cli/serve-http.ts',
  'app/library.ts',
  'mcp/index.ts',
  'server/state.ts',
])('%s', (start) => {
  const loaded = [...loadedFrom(start)]
  expect(loaded.length).toBeGreaterThan(5)
  expect(loaded.filter((file) => /\/machines\/|machines-command/.test(file))).toEqual([])
})

test('the search finds what is loaded', () => {
  expect([...loadedFrom('app/machines/join-machines.ts')]).toContain('server/machines/machine-table.ts')
})
