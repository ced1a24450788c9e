import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

import { expect, test } from 'vitest'

import { findImports } from './find-imports.js'

test('imports are followed, in any of their forms and outside of the folder', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'scorpiox-test-')))
  mkdirSync(join(folder, 'app'))
  mkdirSync(join(folder, 'shared'))
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text)
  write(
    'app/server.mjs',
    "import { a } from '../shared/a.js'\nimport './b.mjs'\nimport 'node:fs'\nawait import('./c.cjs')",
  )
  write('shared/a.ts', "export * from './data.json' with { type: 'json' }")
  write('shared/data.json', '{}')
  write('app/b.mjs', "import './server.mjs'\nimport './missing.mjs'")
  write('app/c.cjs', "require('./d')")
  write('app/d.js', '')
  const found = [...findImports(join(folder, 'app/server.mjs'))].map((file) => relative(folder, file))
  expect(found.sort()).toEqual(
    ['app/b.mjs', 'app/c.cjs', 'app/d.js', 'app/server.mjs', 'shared/a.ts', 'shared/data.json'].map((path) =>
      join(path),
    ),
  )
})
