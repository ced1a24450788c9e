import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { expect, test } from 'vitest'

import { readServerCommand } from './server-command.js'

const NODE = process.execPath
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'scorpiox-test-')))
const tsx = join(folder, 'typed/node_modules/tsx')
mkdirSync(tsx, { recursive: true })
writeFileSync(join(tsx, 'package.json'), '{ "name": "tsx", "exports": "./loader.mjs" }')
for (const name of ['server.mjs', 'typed/server.ts', 'server.py', 'run.sh', 'typed/node_modules/tsx/loader.mjs'])
  writeFileSync(join(folder, name), '')
chmodSync(join(folder, 'run.sh'), 0o755)

test('a JavaScript file runs with Node.js, and its folder is watched', () => {
  expect(readServerCommand(['server.mjs', 'notes'], folder, NODE)).toEqual({
    file: NODE,
    args: [join(folder, 'server.mjs'), 'notes'],
    cwd: folder,
    label: 'server.mjs notes',
    folder,
    entry: join(folder, 'server.mjs'),
  })
})

test('a TypeScript file runs with tsx of its project, wherever the command is typed', () => {
  const loader = pathToFileURL(join(tsx, 'loader.mjs')).href
  expect(readServerCommand(['typed/server.ts'], folder, NODE)).toMatchObject({
    args: ['--import', loader, join(folder, 'typed/server.ts')],
    folder: join(folder, 'typed'),
  })
})

test('anything else is a command; the folder of the file that it names is watched', () => {
  expect(readServerCommand(['python3', 'server.py'], folder, NODE)).toMatchObject({
    file: 'python3',
    args: ['server.py'],
    folder,
    entry: undefined,
  })
  expect(readServerCommand(['node', 'server.mjs', '--x'], folder, NODE)).toMatchObject({
    file: 'node',
    entry: join(folder, 'server.mjs'),
  })
  expect(readServerCommand(['uvx', 'some-server'], folder, NODE)).toMatchObject({ file: 'uvx', folder })
})

test.each([
  [[], /Name the file of your server/],
  [['missing.mjs'], /There is no file .*missing\.mjs/],
  [['server.py'], /neither JavaScript nor TypeScript.*\n {2}dev -- python3 server\.py/],
])('%j is refused', (words, message) => {
  expect(() => readServerCommand(words, folder, NODE)).toThrow(message)
})
