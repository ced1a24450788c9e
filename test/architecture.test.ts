import { expect, test } from 'vitest'

import { type Sources, unusedExceptions, violations } from './architecture-rules.js'
import { readSources } from './support/sources.js'

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
  ['a cycle of folders', 'server/text/planted.ts', "import { x } from '../process/spawn.js'"],
  ['a feature in the infrastructure', 'server/storage/planted.ts', "import { x } from '../features/tasks/index.js'"],
  ['the composition in a feature', 'server/features/tasks/planted.ts', "import type { X } from '../../state.js'"],
  ['a lazy part at the start', 'app/main.ts', `import { x } from '@scorpiox/${SHELL}/lazy'`],
  ['process.env outside config', 'server/planted.ts', 'export const home = process.env.HOME'],
  ['a second user of Bun', 'server/planted.ts', "const bun = Reflect.get(globalThis, 'Bun')"],
  ['another detection of Bun', 'app/planted.ts', 'const { bun } = process.versions'],
  ['native code', 'server/planted.ts', "process.dlopen(holder, '/srv/part.node')"],
  ['a second module that spawns', 'server/planted.ts', "import { spawn } from 'node:child_process'"],
  ['a write to stdout', 'server/planted.ts', "process.stdout.write('hello')"],
  ['a console.log', 'server/planted.ts', "console.log('hello')"],
  ['a console.table', 'server/planted.ts', 'console.table(rows)'],
  ['stdout by import', 'app/planted.ts', "import { stdout as out } from 'node:process'"],
  ['stdout by computed name', 'app/planted.ts', "process['stdout'].write('hello')"],
  ['stderr by destructuring', 'server/planted.ts', 'const { stderr } = process'],
  ['a write to descriptor 1', 'server/planted.ts', "writeSync(1, 'hello')"],
  ['a write to descriptor 2', 'mcp/planted.ts', "writeFileSync(2, 'hello')"],
  ['a write to the terminal device', 'app/planted.ts', "appendFileSync('/dev/tty', text)"],
  ['streams of the terminal', 'app/planted.ts', 'getTerminalStreams()?.output.write(text)'],
  ['a prompt elsewhere', 'console/terminal/planted.ts', "const clack = await import('@clack/prompts')"],
  ['a fetch', 'server/planted.ts', "const page = await fetch('http://example.com')"],
  ['a fetch by another name', 'server/planted.ts', "const page = await globalThis.fetch('http://example.com')"],
  ['a TLS socket', 'server/planted.ts', "import { connect as dial } from 'node:tls'"],
  ['a DNS lookup', 'server/planted.ts', "import { lookup } from 'node:dns/promises'"],
  ['an HTTP request', 'app/planted.ts', "import { createServer, request as ask } from 'node:https'"],
  ['a page that runs the kernel', 'console/page/planted.tsx', "import { isJsonObject } from '@scorpiox/mcp/json/json'"],
  ['an inspector page that runs the kernel', 'dev/page/planted.tsx', "import { x } from '@scorpiox/mcp/json/json'"],
  ['the inspector page in the command', 'dev/run-dev.ts', "import { x } from './page/json.js'"],
  ['a command dev that needs the server', 'dev/planted.ts', "import { x } from '@scorpiox/server/config/version'"],
  ['a view model that needs Node.js', 'console/view.ts', "import { join } from 'node:path'"],
  ['a module shared with the page that needs Node.js', 'console/sort-jobs.ts', "import { join } from 'node:path'"],
  ['a page that imports other types', 'console/page/planted.ts', "import type { X } from '../user-console.js'"],
  ['a page that needs Node.js', 'console/page/planted.ts', "import { join } from 'node:path'"],
  ['a part of the page in the program', 'app/planted.ts', "import { App } from '@scorpiox/console/page/app'"],
  ['a search in PATH', 'server/planted.ts', "const found = (env.PATH ?? '').split(delimiter).find(isFile)"],
  ['a search in PATH by another name', 'app/planted.ts', 'const folders = path.split(posix.delimiter)'],
  ['a package found at run time', 'server/planted.ts', "const file = createRequire(import.meta.url).resolve('sharp')"],
  ['a package with a name from elsewhere', 'server/planted.ts', 'const plugin = await import(settings.PLUGIN)'],
  ['a program started by its name', 'app/planted.ts', "await readProgramOutput('git', ['--version'], env)"],
  ['a program started by its name, later', 'server/planted.ts', "spawnProcess({ file: 'ffmpeg', args, cwd, env })"],
  ['a program of Windows without its path', 'dev/planted.ts', "spawnSync('taskkill', ['/pid', String(pid)])"],
  ['a program of Windows without its path, in a table', 'server/planted.ts', "win32: ['explorer.exe', []]"],
  ['a program named by a setting', 'server/planted.ts', 'startChild(settings.SHELL_PATH, [], {})'],
  ['a file named by a setting', 'app/planted.ts', 'openLogFile(settings.ACCESS_LOG)'],
  ['a socket found by its path', 'console/planted.ts', 'await connectToLocalSocket(join(cwd, "x.sock"), {}, listener)'],
  ['a thread from a file', 'server/planted.ts', "import type {} from 'node:fs'; new Worker(join(cwd, 'x.js'))"],
  ['translations that need Node.js', 'console/i18n/planted.ts', "import { join } from 'node:path'"],
  ['translations that import the view', 'console/i18n/planted.ts', "import { x } from '../view.js'"],
  ['a socket', 'server/planted.ts', "import { connect } from 'node:net'"],
  ["a change of other programs' files", 'server/planted.ts', 'writeClientConfig(file, text, now)'],
  [
    'a signal that Node 20 loses',
    'server/planted.ts',
    'const limit = AbortSignal.any([stop, AbortSignal.timeout(10)])',
  ],
  ['a call that refuses valid addresses', 'server/planted.ts', 'if (URL.canParse(text)) return text'],
  ['a message that is not counted', 'app/http/planted.ts', 'const message = parseMessage(body)'],
  ['a thread', 'server/planted.ts', "import { Worker } from 'node:worker_threads'"],
  ['a decompressor', 'server/planted.ts', "import { gunzipSync } from 'node:zlib'"],
  ['a decompressor of the web', 'app/planted.ts', "stream.pipeThrough(new DecompressionStream('gzip'))"],
  ['a decompressor by its package', 'server/planted.ts', "const { unzipSync } = await import('fflate')"],
  ['compressed WebSocket messages', 'app/planted.ts', 'const options = { perMessageDeflate: true }'],
  [
    'a PDF read in the thread of the extractor',
    'server/features/documents/extract/readers/extract-content.ts',
    "import { readPdf } from './read-pdf.js'",
  ],
  [
    'a decoder loaded by the server on demand',
    'server/features/images/image-reader.ts',
    "const { decodeHeic } = await import('./worker/decode-heic.js')",
  ],
])('reports %s', (_, file, text) => {
  const found = violations(planted(file, text))
  expect(found).not.toEqual([])
  expect(found.map((violation) => violation.slice(0, file.length))).toContain(file)
})

test('a search that asks for the writable roots is no violation, and no exception is listed in vain', () => {
  const code = 'const found = env.PATH.split(delimiter).find((folder) => !writableRoots.contains(folder))'
  expect(violations(planted('server/planted.ts', code))).toEqual([])
  expect(unusedExceptions(SOURCES)).toEqual([])
})

test('reports a package that is not in the list', () => {
  expect(() => violations(planted('utils/planted.ts', "import { x } from '@scorpiox/mcp/errors'"))).toThrow(
    'not one of',
  )
})
