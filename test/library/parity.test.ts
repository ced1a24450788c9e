// The thirteen tools use nothing that a library user lacks: their imports from the kernel are exported, and the program
// passes only public options to its server. A server over stdio loads nothing else.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'

import { describe, expect, expectTypeOf, test } from 'vitest'

import type { ServeOptions } from '@scorpiox/app/library'
import type { ServerDefinition } from '@scorpiox/mcp/server/mcp-server'
import { LIBRARY } from '../support/client.js'

const SRC = resolve(import.meta.dirname, '../../src')

/** The imports from the kernel; the other imports of tools are their own services and texts. */
const KERNEL = new Set([
  ...['tool', 'prompt', 'resource', 'skill', 'call', 'standard-schema'].map((name) => `tools/${name}.js`),
  ...['mail', 'notices', 'observer', 'services', 'who'].map((name) => `services/${name}.js`),
  'store/ticket-store.js',
  'lib/failure.js',
])

/** Folders that a tool may not import, whatever it needs. */
const ABOVE = /^(protocol|transport|cli|web)\/|^\w+\.js$/

interface Import {
  readonly from: string
  readonly names: readonly string[]
}

function importsOf(file: string, source: string): Import[] {
  const found = source.matchAll(
    /^(?:import|export)(?: type)? (?:\{([^}]*)\}|[^'{]*?) ?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm,
  )
  return [...found].map(([, names = '', named, dynamic]) => ({
    from: normalize(join(dirname(file), named ?? dynamic ?? '')),
    names: names.split(',').flatMap((name) => /^\s*(?:type )?(\w+)/.exec(name)?.[1] ?? []),
  }))
}

const exported = new Set(
  importsOf('library.ts', readFileSync(join(SRC, 'library.ts'), 'utf8')).flatMap(({ names }) => names),
)

/** The imports of a tool's file that the library does not export. */
function lackingIn(file: string, source: string): string[] {
  return importsOf(file, source).flatMap(({ from, names }) => {
    if (ABOVE.test(from)) return [`${file} reaches up to ${from}`]
    if (!KERNEL.has(from)) return []
    return names.filter((name) => !exported.has(name)).map((name) => `${file} uses ${name} of ${from}`)
  })
}

describe('imports of the tools', () => {
  const files = readdirSync(join(SRC, 'tools'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => `tools/${file}`)

  test('is exported by the library', () => {
    expect(files.length).toBeGreaterThan(30)
    expect(files.flatMap((file) => lackingIn(file, readFileSync(join(SRC, file), 'utf8')))).toEqual([])
  })

  test('a tool that uses more would be found', () => {
    const planted = `import { secret, type Words } from './tool.js'\nimport type { Server } from '../protocol/server.js'\n`
    expect(lackingIn('tools/planted.ts', planted)).toEqual([
      'tools/planted.ts uses secret of tools/tool.js',
      'tools/planted.ts reaches up to protocol/server.js',
    ])
    expect(lackingIn('tools/x.ts', "const { a } = await import('../transport/stdio.js')")).toHaveLength(1)
  })

  test('the program passes its server only members of ServeOptions', () => {
    expectTypeOf<Exclude<keyof ServerDefinition, keyof ServeOptions>>().toBeNever()
  })
})

describe('loaded files', () => {
  /** The files loaded by its static imports. */
  function loadedWith(file: string, seen = new Set<string>()): Set<string> {
    if (seen.has(file)) return seen
    seen.add(file)
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/^import[^'"(]*["'](\.[^'"]+)["']/gm)) {
      loadedWith(resolve(dirname(file), target), seen)
    }
    return seen
  }

  test('by an import of the library: neither HTTP nor test helpers', () => {
    const files = [...loadedWith(LIBRARY)]
    const text = files.map((file) => readFileSync(file, 'utf8')).join('\n')
    expect(files.length).toBeGreaterThan(2)
    expect(text).toContain('stdin')
    expect(text.match(/["'](node:(https?|net|tls|crypto|fs)|ws|jose|yaml)["']/g)).toBeNull()
    expect(text).not.toContain('inputResponses: await')
    expect(files.filter((file) => /memory|serving/.test(file))).toEqual([])
  })
})
