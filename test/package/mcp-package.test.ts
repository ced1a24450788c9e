// @scorpiox/mcp as a package of its own: its size, and a server that runs and compiles from the packed tarball.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { beforeAll, expect, test } from 'vitest'

import { blocksOf, ROOT } from '../library/blocks.js'
import { emptyFolder, startServer } from '../support/client.js'
import { eventually } from '../support/eventually.js'

const PACKAGE = resolve(ROOT, 'packages/mcp')
const MAX_UNPACKED_BYTES = 1_000_000

interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const project = emptyFolder()
let packed: Packed | undefined

beforeAll(() => {
  const output = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', project], PACKAGE)
  ;[packed] = JSON.parse(output)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  npm(['install', '--offline', '--no-audit', '--no-fund', `./${packed?.filename}`], project)
})

test('the package contains the built library, without dependencies', ({ task }) => {
  const { unpackedSize = Infinity, files = [] } = packed ?? {}
  task.meta.says = [`@scorpiox/mcp: ${(unpackedSize / 1e6).toFixed(2)} MB unpacked, ${files.length} files`]
  const unexpected = files.filter(
    ({ path }) =>
      !/^(README\.md|LICENSE|package\.json|dist\/.+\.(mjs|d\.ts)|dist\/dev\/page\/(index\.html|page\.(js|css)))$/.test(
        path,
      ),
  )
  expect(unexpected).toEqual([])
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'dist/index.mjs']))
  expect(unpackedSize).toBeLessThanOrEqual(MAX_UNPACKED_BYTES)
  const manifest = readJson(join(PACKAGE, 'package.json'))
  expect(manifest).toMatchObject({ version: readJson(resolve(ROOT, 'package.json')).version })
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([])
})

test('the server of its README runs from the tarball in an empty folder', async () => {
  const example = blocksOf('packages/mcp/README.md').find(({ file }) => file === 'server.mjs')
  writeFileSync(join(project, 'server.mjs'), example?.code ?? '')
  const client = startServer({ args: [join(project, 'server.mjs')] })
  await client.initialize('2025-11-25')
  const answer = await client.request('tools/call', { name: 'add', arguments: { a: 2, b: 3 } })
  expect(answer.result.content).toEqual([{ type: 'text', text: 'The sum is 5.' }])
  await client.close()
})

test('its command dev runs from the tarball', async () => {
  writeFileSync(join(project, 'crash.mjs'), "throw new Error('as planned')")
  const program = join(project, 'node_modules/.bin', process.platform === 'win32' ? 'scorpiox-mcp.cmd' : 'scorpiox-mcp')
  const child = spawn(program, ['dev', 'crash.mjs'], { cwd: project, shell: process.platform === 'win32' })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await eventually(() => output.includes('The server exited with code 1.'))
  expect(output).toContain('Error: as planned')
  const page = await fetch(/http:[^#]+/.exec(output)?.[0] ?? '')
  expect(await page.text()).toContain('page.js')
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  await exited
})

test('its types compile without @types/node', () => {
  const example = blocksOf('packages/mcp/README.md').find(({ file }) => file === 'server.mjs')
  writeFileSync(join(project, 'server.ts'), example?.code ?? '')
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    strict: true,
    types: [],
    noEmit: true,
  }
  const config = { compilerOptions: { ...compilerOptions, skipLibCheck: false }, files: ['server.ts'] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' })
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
})

function npm(args: readonly string[], cwd: string): string {
  const shell = process.platform === 'win32'
  return execFileSync('npm', args, { cwd, encoding: 'utf8', shell, stdio: ['ignore', 'pipe', 'ignore'] })
}

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8'))
}
