// Every code block in the documentation that uses the library is checked against its published types, and the reference
// lists all exports.

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { cleanEnv } from '../support/client.js'
import { blocksOf, readersFolder, ROOT } from './blocks.js'

const READMES = ['README.md', 'packages/mcp/README.md']
const PAGES = [...READMES, 'docs/library.md', 'docs/write-your-own.md']
/** What fits a screen. */
const MAX_LINES = 40
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

const COMPILER = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  types: ['node'],
  skipLibCheck: false,
}

/** Written as by a reader and compiled; each is a separate module, and a program beside it. */
function compiled(blocks: ReadonlyMap<string, string>): { readonly folder: string; readonly complaints: string } {
  const folder = readersFolder()
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, include: ['*.ts'] }))
  for (const [name, source] of blocks) writeFileSync(join(folder, `${name}.ts`), `${source}\nexport {}\n`)
  const { stdout, status } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8', timeout: 240_000 })
  return { folder, complaints: status === 0 ? '' : stdout }
}

const IMPORT = /(?<=^(?:import|\}) .*from ')(?:scorpiox-code|@scorpiox\/mcp)(?=')/gm

/** The packages that export the library. */
const PACKAGES = ['@scorpiox/mcp', 'scorpiox-code']

/** Every block twice: imported from each of the two packages. */
const sources = new Map(
  PAGES.flatMap((page) =>
    blocksOf(page)
      .filter(
        ({ language, code }) => language === 'ts' || (language === 'js' && READMES.includes(page) && isWhole(code)),
      )
      .flatMap(({ line, code }) =>
        PACKAGES.map((name) => [`${page}-line-${line}-${name}`.replaceAll(/\W/g, '-'), code.replaceAll(IMPORT, name)]),
      ),
  ),
)

function isWhole(code: string): boolean {
  return code.search(IMPORT) >= 0
}

test('each block compiles with the published types, and runs', () => {
  expect(sources.size).toBeGreaterThan(24)
  expect([...sources.values()].filter((source) => source.search(IMPORT) < 0)).toEqual([])
  const { folder, complaints } = compiled(sources)
  expect(complaints).toBe('')
  for (const [name, source] of sources) {
    // It would listen forever.
    if (source.includes('await serveHttp({')) continue
    const options = { cwd: folder, env: cleanEnv(), input: '', encoding: 'utf8', timeout: 120_000 } as const
    const { status, stderr } = spawnSync(process.execPath, [`${name}.js`], options)
    expect([name, status, stderr]).toEqual([name, 0, ''])
  }
})

test.each(PACKAGES)('a block that does not compile with the types of %s would be found', (name) => {
  const wrong = `import { defineTool } from '${name}'
defineTool({ name: 'x', input: { type: 'object', properties: { n: { type: 'number' } } }, run: ({ n }) => n.length })`
  expect(compiled(new Map([['wrong', wrong]])).complaints).toContain(
    "Property 'length' does not exist on type 'number'",
  )
})

test('the reference and the tutorial import from @scorpiox/mcp, and each block fits a screen', () => {
  const blocks = [...READMES, 'docs/library.md', 'docs/dev.md', 'docs/write-your-own.md'].flatMap((page) =>
    blocksOf(page).map((block) => ({ ...block, page })),
  )
  const isLong = ({ code }: { readonly code: string }): boolean => code.trimEnd().split('\n').length > MAX_LINES
  expect(blocks.filter(isLong).map(({ page, line }) => `${page}:${line}`)).toEqual([])
  const reference = blocks.filter(({ page }) => page.startsWith('docs/') || page.startsWith('packages/'))
  expect(
    reference.filter(({ code }) => code.includes("from 'scorpiox-code'")).map(({ page, line }) => [page, line]),
  ).toEqual([])
})

test('every export has a description', () => {
  const library = readFileSync(join(ROOT, 'packages/mcp/src/index.ts'), 'utf8')
  const isDocumented = (source: string, name: string): boolean =>
    new RegExp(`\\*/\\nexport (?:async )?(?:interface|type|const|function|class) ${name}\\b`).test(source)
  const reExported = [...library.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)]
  const silent = reExported.flatMap(([, names = '', from = '']) => {
    const source = readFileSync(join(ROOT, 'packages/mcp/src', from.replace(/js$/, 'ts')), 'utf8')
    return names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !isDocumented(source, name))
  })
  const own = [...library.matchAll(/^export (?:async )?(?:function|interface) (\w+)/gm)].map(([, name = '']) => name)
  expect([silent, own.filter((name) => !isDocumented(library, name))]).toEqual([[], []])
  expect([reExported.length > 15, own.length]).toEqual([true, 6])
})

test('the reference lists every export', () => {
  const reference = readFileSync(join(ROOT, 'docs/library.md'), 'utf8')
  const declared = readFileSync(join(ROOT, 'dist/types/index.d.ts'), 'utf8')
  const lists = [...declared.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) => names.split(','))
  const own = [...declared.matchAll(/^export (?:declare )?(?:function|const|interface|type|class) (\w+)/gm)]
  const names = [...lists.map((name) => name.trim()), ...own.map(([, name = '']) => name)].filter((name) => name !== '')
  expect(names.length).toBeGreaterThan(40)
  expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(reference))).toEqual([])
})
