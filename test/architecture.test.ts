import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

import { expect, test } from 'vitest'

import { type Sources, violations } from './architecture-rules.js'

const SRC = resolve(import.meta.dirname, '../src')

function sources(): Map<string, string> {
  const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.map((file) => [relative(SRC, file).replaceAll('\\', '/'), readFileSync(file, 'utf8')]))
}

function planted(file: string, text: string): Sources {
  return sources().set(file, text)
}

test('imports point down and every effect goes through its module', () => {
  expect(sources().size).toBeGreaterThan(30)
  expect(violations(sources())).toEqual([])
})

test.each([
  ['an upward import', 'lib/planted.ts', "import { bash } from '../tools/bash.js'"],
  ['an upward dynamic import', 'services/planted.ts', "const x = await import('../protocol/session.js')"],
  ['an upward type import', 'platform/planted.ts', "import type { Config } from '../config/load.js'"],
  ['a sideways import', 'web/planted.ts', "import { createSession } from '../protocol/session.js'"],
  ['an import of the top', 'cli/planted.ts', "import { serve } from '../library.js'"],
  ['process.env outside config', 'tools/planted.ts', 'export const home = process.env.HOME'],
  ['a second user of Bun', 'services/planted.ts', "const bun = Reflect.get(globalThis, 'Bun')"],
  ['another look for Bun', 'cli/planted.ts', 'const { bun } = process.versions'],
  ['native code', 'services/planted.ts', "process.dlopen(holder, '/srv/part.node')"],
  ['a second spawner', 'services/planted.ts', "import { spawn } from 'node:child_process'"],
  ['a print to stdout', 'services/planted.ts', "process.stdout.write('hello')"],
  ['a console.log', 'tools/planted.ts', "console.log('hello')"],
  ['a fetch', 'services/planted.ts', "const page = await fetch('http://example.com')"],
  ['a fetch by another name', 'services/planted.ts', "const page = await globalThis.fetch('http://example.com')"],
  ['a secure socket of its own', 'services/planted.ts', "import { connect as dial } from 'node:tls'"],
  ['a look at the names', 'services/planted.ts', "import { lookup } from 'node:dns/promises'"],
  ['a request of its own', 'cli/planted.ts', "import { createServer, request as ask } from 'node:https'"],
  ['a page that runs a part of the house', 'web/page/planted.tsx', "import { isObject } from '../../lib/json.js'"],
  ['a page that runs the board', 'web/page/planted.ts', "import { x } from '../../services/board/view.js'"],
  ['a page that knows more', 'web/page/planted.ts', "import type { State } from '../../store/state/state.js'"],
  ['a page on Node', 'web/page/planted.ts', "import { join } from 'node:path'"],
  ['a part of the page that runs here', 'cli/planted.ts', "import { App } from '../web/page/app.js'"],
  ['phrases that need Node', 'services/board/languages/planted.ts', "import { join } from 'node:path'"],
  ['phrases that need the rest', 'services/board/languages/planted.ts', "import { x } from '../view.js'"],
  ['a socket of its own', 'services/planted.ts', "import { connect } from 'node:net'"],
  ["a change of other programs' files", 'tools/planted.ts', 'writePersonsFile(file, text, now)'],
  [
    'a signal that Node 20 loses',
    'services/planted.ts',
    'const limit = AbortSignal.any([stop, AbortSignal.timeout(10)])',
  ],
  ['a thread of its own', 'services/planted.ts', "import { Worker } from 'node:worker_threads'"],
])('%s is caught', (_, file, text) => {
  const found = violations(planted(file, text))
  expect(found.length).toBeGreaterThan(0)
  expect(found.filter((violation) => !violation.startsWith(file))).toEqual([])
})

test('a folder that is no known layer is reported', () => {
  expect(() => violations(planted('utils/planted.ts', "import { isObject } from '../lib/json.js'"))).toThrow(
    'not a room',
  )
})
