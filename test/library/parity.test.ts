// The thirteen tools use nothing that a library user lacks: their imports from the kernel are exported, and the program
// passes only public options to its server. A server over stdio loads nothing else.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { describe, expect, expectTypeOf, test } from 'vitest'

import type { ServeOptions } from '@scorpiox/app/library'
import type { ServerDefinition } from '@scorpiox/mcp/server/mcp-server'
import { LIBRARY } from '../support/client.js'

const PACKAGES = resolve(import.meta.dirname, '../../packages')

/** The modules of the kernel that tools are written with; of these only exports of the library may be imported. */
const KERNEL = /^(definitions\/[\w-]+|errors|json-schema\/infer-type)$/
/** The text of any thrown value, and the caller of stateless HTTP; a library user needs neither. */
const NOT_EXPORTED = new Set(['errorMessage', 'statelessCaller'])

/** Parts of the kernel that a tool may not import, whatever it needs. */
const INTERNAL =
  /^(client-requests|http|jsonrpc|memory|methods|protocol-tasks|registry|request|revisions|server|session|stdio)\/|^(index|serve-options)$/

interface Import {
  readonly from: string
  readonly names: readonly string[]
}

/** The imports and re-exports whose specifier begins with the prefix. */
function importsOf(source: string, prefix: string): Import[] {
  const found = source.matchAll(
    /^(?:import|export)(?: type)? (?:\{([^}]*)\}|[^'{]*?) ?from '([^']+)'|import\('([^']+)'\)/gm,
  )
  return [...found]
    .map(([, names = '', named, dynamic]) => ({
      from: named ?? dynamic ?? '',
      names: names.split(',').flatMap((name) => /^\s*(?:type )?(\w+)/.exec(name)?.[1] ?? []),
    }))
    .filter(({ from }) => from.startsWith(prefix))
    .map(({ from, names }) => ({ from: from.slice(prefix.length), names }))
}

const exported = new Set(
  importsOf(readFileSync(join(PACKAGES, 'mcp/src/index.ts'), 'utf8'), './').flatMap(({ names }) => names),
)

/** The imports of a tool's file that the library does not export. */
function missingExports(file: string, source: string): string[] {
  return importsOf(source, '@scorpiox/mcp/').flatMap(({ from, names }) => {
    if (INTERNAL.test(from)) return [`${file} imports the internal module ${from}`]
    if (!KERNEL.test(from)) return []
    return names
      .filter((name) => !exported.has(name) && !NOT_EXPORTED.has(name))
      .map((name) => `${file} uses ${name} of ${from}`)
  })
}

describe('imports of the tools', () => {
  const folder = join(PACKAGES, 'server/src/features')
  // The history of calls observes the server, and no tool uses it.
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('history'),
  )

  test('are exported by the library', () => {
    expect([files.length > 150, exported.size > 40]).toEqual([true, true])
    expect(files.flatMap((file) => missingExports(file, readFileSync(join(folder, file), 'utf8')))).toEqual([])
  })

  test('a tool that uses more would be found', () => {
    const planted = [
      "import { secret, type ToolOutput } from '@scorpiox/mcp/definitions/tool'",
      "import type { McpServer } from '@scorpiox/mcp/server/mcp-server'",
      "const { a } = await import('@scorpiox/mcp/stdio/serve-stdio')",
      "import { ProtocolError } from '@scorpiox/mcp/errors'",
    ]
    expect(missingExports('planted.ts', planted.join('\n'))).toEqual([
      'planted.ts uses secret of definitions/tool',
      'planted.ts imports the internal module server/mcp-server',
      'planted.ts imports the internal module stdio/serve-stdio',
      'planted.ts uses ProtocolError of errors',
    ])
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
    expect(text.match(/["'](node:(https?|net|tls|crypto|fs\/promises)|ws|jose|yaml)["']/g)).toBeNull()
    expect(text).not.toContain('inputResponses: await')
    expect(files.filter((file) => /memory|serve-http/.test(file))).toEqual([])
  })
})
