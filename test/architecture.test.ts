import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

import { expect, test } from 'vitest'

import { type Sources, violations } from './architecture-rules.js'

const PACKAGES = resolve(import.meta.dirname, '../packages')

/** `mcp/jsonrpc/message.ts` for packages/mcp/src/jsonrpc/message.ts. */
function readSources(): Map<string, string> {
  const files = readdirSync(PACKAGES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.ts$|\.d\.ts$/.test(entry.name))
    .map((entry) => relative(PACKAGES, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => /^\w+\/src\//.test(path))
  return new Map(files.map((path) => [path.replace('/src/', '/'), readFileSync(join(PACKAGES, path), 'utf8')]))
}

const SOURCES = readSources()

function planted(file: string, text: string): Sources {
  return new Map(SOURCES).set(file, `${SOURCES.get(file) ?? ''}\n${text}`)
}

test('imports point down, features are closed, and every effect has its module', () => {
  expect(SOURCES.size).toBeGreaterThan(400)
  expect(violations(SOURCES)).toEqual([])
})

const SHELL = 'server/features/shell'

test.each([
  ['an import of a higher package', 'mcp/planted.ts', "import { bash } from '@scorpiox/server/tool-list'"],
  ['a dynamic import of a higher package', 'server/planted.ts', "const x = await import('@scorpiox/console/view')"],
  ['a type of a higher package', 'console/planted.ts', "import type { X } from '@scorpiox/app/arguments'"],
  ['a dependency of the kernel', 'mcp/planted.ts', "import { WebSocket } from 'ws'"],
  ['an import of the inside of a feature', 'app/planted.ts', `import { x } from '@scorpiox/${SHELL}/shell-service'`],
  ['an import between features', 'server/features/tasks/planted.ts', "import { x } from '../plans/plan-service.js'"],
  ['a cycle of features', `${SHELL}/planted.ts`, "import { x } from '../scripts/index.js'"],
  ['a cycle of folders', 'server/util/planted.ts', "import { x } from '../process/spawn.js'"],
  ['a feature in the infrastructure', 'server/storage/planted.ts', "import { x } from '../features/tasks/index.js'"],
  ['a lazy part at the start', 'app/main.ts', `import { x } from '@scorpiox/${SHELL}/lazy'`],
  ['process.env outside config', 'server/planted.ts', 'export const home = process.env.HOME'],
  ['a second user of Bun', 'server/planted.ts', "const bun = Reflect.get(globalThis, 'Bun')"],
  ['another detection of Bun', 'app/planted.ts', 'const { bun } = process.versions'],
  ['native code', 'server/planted.ts', "process.dlopen(holder, '/srv/part.node')"],
  ['a second module that spawns', 'server/planted.ts', "import { spawn } from 'node:child_process'"],
  ['a write to stdout', 'server/planted.ts', "process.stdout.write('hello')"],
  ['a console.log', 'server/planted.ts', "console.log('hello')"],
  ['a fetch', 'server/planted.ts', "const page = await fetch('http://example.com')"],
  ['a fetch by another name', 'server/planted.ts', "const page = await globalThis.fetch('http://example.com')"],
  ['a TLS socket', 'server/planted.ts', "import { connect as dial } from 'node:tls'"],
  ['a DNS lookup', 'server/planted.ts', "import { lookup } from 'node:dns/promises'"],
  ['an HTTP request', 'app/planted.ts', "import { createServer, request as ask } from 'node:https'"],
  ['a page that runs the kernel', 'console/page/planted.tsx', "import { isJsonObject } from '@scorpiox/mcp/json/json'"],
  ['a page that runs the view model', 'console/page/planted.ts', "import { x } from '../view.js'"],
  ['a page that imports other types', 'console/page/planted.ts', "import type { X } from '../user-console.js'"],
  ['a page that needs Node.js', 'console/page/planted.ts', "import { join } from 'node:path'"],
  ['a part of the page in the program', 'app/planted.ts', "import { App } from '@scorpiox/console/page/app'"],
  ['translations that need Node.js', 'console/i18n/planted.ts', "import { join } from 'node:path'"],
  ['translations that import the view', 'console/i18n/planted.ts', "import { x } from '../view.js'"],
  ['a socket', 'server/planted.ts', "import { connect } from 'node:net'"],
  ["a change of other programs' files", 'server/planted.ts', 'writeClientConfig(file, text, now)'],
  [
    'a signal that Node 20 loses',
    'server/planted.ts',
    'const limit = AbortSignal.any([stop, AbortSignal.timeout(10)])',
  ],
  ['a message that is not counted', 'app/http/planted.ts', 'const message = parseMessage(body)'],
  ['a thread', 'server/planted.ts', "import { Worker } from 'node:worker_threads'"],
])('reports %s', (_, file, text) => {
  const found = violations(planted(file, text))
  expect(found).not.toEqual([])
  expect(found.map((violation) => violation.slice(0, file.length))).toContain(file)
})

test('reports a package that is not in the list', () => {
  expect(() => violations(planted('utils/planted.ts', "import { x } from '@scorpiox/mcp/errors'"))).toThrow(
    'not one of',
  )
})
