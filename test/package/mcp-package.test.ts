// @scorpiox/mcp as a package of its own: its size and its documentation, and servers that run and compile from the packed
// tarball.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { beforeAll, expect, test } from 'vitest'

import { brokenLinks } from '../../scripts/docs/links.mjs'
import { PACKAGE_PAGES } from '../../scripts/package-docs.mjs'
import { blocksOf, ROOT } from '../library/blocks.js'
import { emptyFolder, type Json, startServer } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { installPacked, packLibrary } from './pack-library.js'

const PACKAGE = resolve(ROOT, 'packages/mcp')
const MAX_UNPACKED_BYTES = 1_000_000

const project = emptyFolder()
const installed = join(project, 'node_modules/@scorpiox/mcp')
let packed: ReturnType<typeof packLibrary> | undefined
let added = 0

beforeAll(() => {
  packed = packLibrary(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  added = installPacked(packed.filename, project)
})

const ALLOWED = [
  /^(README\.md|LICENSE|package\.json)$/,
  /^docs\/[\w-]+\.md$/,
  /^dist\/.+\.(mjs|d\.ts)$/,
  /^dist\/dev\/page\/(index\.html|page\.(js|css))$/,
]

test('the package contains the built library and its documentation, without dependencies', ({ task }) => {
  const { unpackedSize = Infinity, files = [] } = packed ?? {}
  task.meta.says = [`@scorpiox/mcp: ${(unpackedSize / 1e6).toFixed(2)} MB unpacked, ${files.length} files`]
  const paths = files.map(({ path }) => path)
  expect(paths.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))).toEqual([])
  const required = ['README.md', 'LICENSE', 'dist/index.mjs', 'dist/index.d.ts', 'dist/dev/scorpiox-mcp.mjs']
  expect(paths).toEqual(expect.arrayContaining([...required, ...PACKAGE_PAGES.map((name) => `docs/${name}`)]))
  expect(unpackedSize).toBeLessThanOrEqual(MAX_UNPACKED_BYTES)
  const manifest = readJson(join(PACKAGE, 'package.json'))
  expect(manifest).toMatchObject({ version: readJson(resolve(ROOT, 'package.json')).version })
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([])
})

test('npm installs one package', () => {
  expect(added).toBe(1)
  expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@scorpiox'])
  expect(readdirSync(join(project, 'node_modules/@scorpiox'))).toEqual(['mcp'])
})

test('the links of its documentation lead to files and headings of the package', () => {
  const pages = ['README.md', ...PACKAGE_PAGES.map((name) => `docs/${name}`)].map((page) => join(installed, page))
  expect(brokenLinks(pages)).toEqual([])
  expect(pages.map((page) => readFileSync(page, 'utf8')).join('\n')).not.toMatch(/\]\(\.\.|!\[/)
  const code = (file: string): string[] => blocksOf(file).map((block) => block.code)
  for (const name of PACKAGE_PAGES)
    expect([name, code(join(installed, 'docs', name))]).toEqual([name, code(`docs/${name}`)])
})

test('the links of its README lead to pages and headings of the repository', () => {
  const readme = join(PACKAGE, 'README.md')
  expect(brokenLinks([readme])).toEqual([])
  expect(readFileSync(readme, 'utf8').match(/\]\(\.\.\/\.\.\/docs\//g)?.length).toBeGreaterThan(10)
})

test('the server of its tutorial runs from the tarball: a resource, a prompt, progress and a form', async () => {
  const folder = join(project, 'grammar')
  mkdirSync(folder)
  for (const { file, code } of blocksOf(join(installed, 'docs/write-your-own.md'))) {
    if (file !== undefined) writeFileSync(join(folder, file), code)
  }
  const client = startServer({ args: [join(folder, 'server.mjs')] })
  await client.initialize('2025-11-25', { elicitation: {} })
  const request = async (method: string, params: object): Promise<Json> => (await client.request(method, params)).result
  const { contents } = await request('resources/read', { uri: 'grammar://verbs' })
  expect(JSON.parse(contents[0].text)).toHaveProperty('eat')
  const { messages } = await request('prompts/get', { name: 'practise', arguments: { verb: 'eat' } })
  expect(messages).toHaveLength(1)
  const recite = { name: 'recite', arguments: { verb: 'eat', pause_ms: 0 }, _meta: { progressToken: 1 } }
  expect((await request('tools/call', recite)).content[0].text).toContain('past simple: ate, ate, ate')
  expect(client.received.filter(({ method }) => method === 'notifications/progress')).toHaveLength(5)
  const quiz = { verb: 'eat', tense: 'past simple', person: '1st singular' }
  const answer = request('tools/call', { name: 'quiz', arguments: quiz })
  const { id, params } = await client.waitFor(({ method }) => method === 'elicitation/create')
  expect(params.requestedSchema.properties).toHaveProperty('form')
  client.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { form: 'ate' } } })
  expect((await answer).content).toEqual([{ type: 'text', text: 'Correct.' }])
  await client.close()
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

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8'))
}
