// The architecture rules as a function: sources in, violations out. The test runs it on packages/ and on planted violations.

import { dirname, join, normalize } from 'node:path'

/** Low to high: a package may import those below it. */
const PACKAGES = ['mcp', 'server', 'console', 'app']

/** A folder of features. */
const FEATURE = /^server\/features\/(\w+)\//

/** One module for each effect: what the source may not contain, and the files that may. */
const EFFECTS: readonly { effect: string; pattern: RegExp; modules: readonly string[] }[] = [
  { effect: 'starting programs', pattern: /['"](node:)?child_process['"]/, modules: ['server/process/spawn.ts'] },
  { effect: 'reading the environment', pattern: /\bprocess\.env\b/, modules: ['server/config/load-config.ts'] },
  {
    effect: 'stdout',
    pattern: /\bprocess\.stdout\b|\bconst \{[^}]*\bstdout\b[^}]*\} = process\b|\bconsole\.(log|info)\b/,
    modules: ['mcp/stdio/serve-stdio.ts', 'server/terminal/terminal.ts'],
  },
  {
    effect: 'stderr',
    pattern: /\bprocess\.stderr\b|\bconsole\.(error|warn|debug|trace)\b/,
    modules: ['mcp/log.ts', 'server/terminal/terminal.ts'],
  },
  {
    effect: 'outgoing HTTP',
    // A method `x.fetch(…)` is not the global fetch.
    pattern:
      /(?<!\.)\bfetch\(|\bglobalThis\.fetch\b|['"]undici['"]|\bhttps?\.(request|get)\(|\bimport \{[^}]*\b(request|get)\b[^}]*\} from 'node:https?'/,
    modules: [
      'server/guarded-fetch/configured-fetch.ts',
      'server/guarded-fetch/http-client.ts',
      'server/guarded-fetch/proxy-tunnels.ts',
      'server/guarded-fetch/upstream-proxy.ts',
      'app/cli/check/http-probe.ts',
      // Runs in a browser and reaches its own server.
      'console/page/api.ts',
    ],
  },
  {
    effect: 'sockets',
    pattern:
      /\bimport \{[^}]*\b(connect|createServer|createConnection)\b[^}]*\} from 'node:(net|tls)'|['"]node:(dgram|http2)['"]/,
    modules: [
      'server/process/local-socket.ts',
      'server/features/shell/port-check.ts',
      'server/guarded-fetch/connect-tcp.ts',
      'server/guarded-fetch/start-tls.ts',
      'app/cli/check/http-probe.ts',
    ],
  },
  { effect: 'DNS', pattern: /['"]node:dns(\/promises)?['"]/, modules: ['server/guarded-fetch/resolve-host.ts'] },
  {
    effect: 'threads',
    pattern: /['"](node:)?worker_threads['"]/,
    // The extractor and the patterns of callers run in threads; the image worker, a process of its own, watches itself from one.
    modules: [
      'server/process/worker-threads.ts',
      'server/features/documents/extract/readers/worker.ts',
      'server/patterns/worker.ts',
      'server/features/images/worker/main.ts',
    ],
  },
  {
    // Over HTTP only where the memory of the message and the time to read it are counted against its user.
    effect: 'parsing messages of clients',
    pattern: /\bparseMessage\(/,
    modules: [
      'mcp/jsonrpc/message.ts',
      'mcp/stdio/serve-stdio.ts',
      'mcp/memory/memory-transport.ts',
      'mcp/http/mcp-endpoint.ts',
      'mcp/http/sse-endpoint.ts',
      'app/http/websocket.ts',
    ],
  },
  {
    effect: "changing other programs' files",
    pattern: /\b(write|remove)ClientConfig\b/,
    modules: ['client-config-file', 'install-command', 'uninstall-command'].map((name) => `app/install/${name}.ts`),
  },
  {
    effect: 'SQL',
    pattern: /['"](node:sqlite|@photostructure\/sqlite|pg)['"]/,
    modules: ['server/storage/sqlite-loader.ts', 'server/storage/postgres.ts'],
  },
  { effect: 'native code', pattern: /\bprocess\.dlopen\b/, modules: ['server/storage/sqlite-loader.ts'] },
  {
    effect: 'detecting Bun',
    pattern: /\bglobalThis, 'Bun'|\bBun\.\w|\bprocess\.versions\b/,
    modules: ['mcp/runtime.ts'],
  },
  {
    // Node 20 collects such signals as garbage before they abort; server/util/async.ts replaces them.
    effect: 'AbortSignal.any and AbortSignal.timeout',
    pattern: /\bAbortSignal\.(any|timeout)\b|\bconst \{[^}]*\b(any|timeout)\b[^}]*\} = AbortSignal\b/,
    // Runs in browsers.
    modules: ['console/page/event-connection.ts'],
  },
  {
    effect: 'decoding images',
    pattern: /\bimport\('(sharp|libheif-js|@napi-rs\/canvas)/,
    // The doctor only checks that they can be loaded.
    modules: ['sharp', 'decode-heic', 'decode-pdf']
      .map((name) => `server/features/images/worker/${name}.ts`)
      .concat('app/cli/doctor/diagnose-environment.ts'),
  },
]

/** The page runs in a browser: it imports itself, Preact, the shared translations and the types of what it shows. */
const PAGE = 'console/page/'
const PAGE_TYPES = /^(console\/view|server\/question-form)$/
/** The translations that the page shares with the inbox run in both, so they import nothing else. */
const TRANSLATIONS = 'console/i18n/'

/** Path below packages/, without `src`, to text: `mcp/jsonrpc/message.ts`. */
export type Sources = ReadonlyMap<string, string>

export function violations(sources: Sources): string[] {
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text))
  return [
    ...imports.flatMap(upwardImport),
    ...imports.flatMap(importOfInsides),
    ...imports.flatMap(importOfPackage),
    ...imports.flatMap(pageImport),
    ...cycles('folders', imports, folderOf),
    ...cycles('features', imports, featureOf),
    ...lazyAtStart(sources),
    ...[...sources].flatMap(([file, text]) => effectsElsewhere(file, text)),
  ]
}

interface Import {
  readonly file: string
  readonly specifier: string
  /** Path below packages/ without extension; the specifier itself for what is installed. */
  readonly target: string
  readonly isType: boolean
  readonly isDynamic: boolean
}

const parsed = new Map<string, { readonly text: string; readonly imports: Import[] }>()

/** Remembered for each file, because the test checks all sources again for each planted violation. */
function importsOf(file: string, text: string): Import[] {
  const known = parsed.get(file)
  if (known?.text === text) return known.imports
  const imports = parseImports(file, text)
  parsed.set(file, { text, imports })
  return imports
}

function parseImports(file: string, text: string): Import[] {
  const found = text.matchAll(
    /^(?:import( type)?[^'"]*|export( type)?[^'"=;()]*\bfrom )['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]/gm,
  )
  return [...found].map(([, isType, isTypeExport, named, dynamic]) => {
    const specifier = named ?? dynamic ?? ''
    const kind = { isType: Boolean(isType ?? isTypeExport), isDynamic: dynamic !== undefined }
    return { file, specifier, target: targetOf(file, specifier), ...kind }
  })
}

function targetOf(file: string, specifier: string): string {
  const path = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier
  return path.replace(/^@scorpiox\//, '').replace(/\.js$/, '')
}

function isOurs({ specifier }: Import): boolean {
  return specifier.startsWith('.') || specifier.startsWith('@scorpiox/')
}

function upwardImport(found: Import): string[] {
  if (!isOurs(found)) return []
  const [from, to] = [packageOf(found.file), packageOf(found.target)]
  return rank(to) > rank(from) ? [`${found.file} imports ${found.specifier}: ${from} may not import ${to}`] : []
}

/** A feature is imported through its index, or through lazy.ts by code that is itself loaded on demand. */
function importOfInsides(found: Import): string[] {
  const feature = FEATURE.exec(`${found.target}/`)?.[1]
  if (feature === undefined || featureOf(found.file) === `server/features/${feature}`) return []
  return new RegExp(`^server/features/${feature}/(index|lazy)$`).test(found.target)
    ? []
    : [`${found.file} imports ${found.specifier}: import the feature's index`]
}

/** The kernel has no dependencies; features and infrastructure stay below what composes them. */
function importOfPackage(found: Import): string[] {
  if (isOurs(found)) {
    const isUp = packageOf(found.file) === 'server' && FEATURE.test(found.target) && !FEATURE.test(found.file)
    return isUp && !COMPOSERS.has(found.file)
      ? [`${found.file} imports ${found.specifier}: infrastructure may not import a feature`]
      : []
  }
  return packageOf(found.file) === 'mcp' && !found.specifier.startsWith('node:')
    ? [`${found.file} imports ${found.specifier}: the kernel has no dependencies`]
    : []
}

/** Lists the tools and the tables of all features. */
const COMPOSERS = new Set(['server/tool-list.ts', 'server/state.ts'])

function pageImport(found: Import): string[] {
  const { file, specifier, target } = found
  if (file.startsWith(TRANSLATIONS) && !target.startsWith(TRANSLATIONS))
    return [`${file} imports ${specifier}: the translations run in a browser too`]
  if (target.startsWith(PAGE) === file.startsWith(PAGE) || target.startsWith(TRANSLATIONS)) return []
  if (!file.startsWith(PAGE)) return [`${file} imports ${specifier}: the page runs in a browser`]
  const isAllowed = (found.isType && PAGE_TYPES.test(target)) || /^preact(\/hooks)?$/.test(target)
  return isAllowed ? [] : [`${file} imports ${specifier}: the page imports only the types of what it shows`]
}

/** Nothing that main.ts imports statically may reach a feature's lazy.ts. */
function lazyAtStart(sources: Sources): string[] {
  const reached = new Set(['app/main.ts'])
  const found: string[] = []
  for (const file of reached) {
    for (const { specifier, target, isType, isDynamic } of importsOf(file, sources.get(file) ?? '')) {
      if (isType || isDynamic) continue
      if (/^server\/features\/\w+\/lazy$/.test(target))
        found.push(`${file} imports ${specifier}: it is loaded at the start`)
      if (sources.has(`${target}.ts`)) reached.add(`${target}.ts`)
    }
  }
  return found
}

/** Groups of files that import each other in a circle, types included. */
function cycles(what: string, imports: readonly Import[], groupOf: (file: string) => string | undefined): string[] {
  const edges = new Map<string, Map<string, string>>()
  for (const found of imports) {
    const [from, to] = [groupOf(found.file), isOurs(found) ? groupOf(found.target) : undefined]
    if (from === undefined || to === undefined || from === to) continue
    const targets = edges.get(from) ?? new Map<string, string>()
    edges.set(from, targets)
    if (!targets.has(to)) targets.set(to, `${found.file} imports ${found.specifier}`)
  }
  return [...edges].flatMap(([from, targets]) =>
    [...targets]
      .filter(([to]) => reaches(edges, to, from))
      .map(([to, example]) => `${example}: a cycle of ${what}, ${from} and ${to}`),
  )
}

function reaches(edges: ReadonlyMap<string, ReadonlyMap<string, string>>, from: string, to: string): boolean {
  const seen = new Set([from])
  for (const group of seen) {
    if (group === to) return true
    for (const next of edges.get(group)?.keys() ?? []) seen.add(next)
  }
  return false
}

const checked = new Map<string, { readonly text: string; readonly found: string[] }>()

function effectsElsewhere(file: string, text: string): string[] {
  const known = checked.get(file)
  if (known?.text === text) return known.found
  const found = checkEffects(file, text)
  checked.set(file, { text, found })
  return found
}

function checkEffects(file: string, text: string): string[] {
  const code = withoutComments(text)
  return EFFECTS.filter(({ pattern, modules }) => pattern.test(code) && !modules.includes(file)).map(
    ({ effect, modules }) => `${file}: ${effect} belongs to ${modules.join(' and ')}`,
  )
}

/** `server/process`; the features are one folder here, files at the top of a package are none. */
function folderOf(file: string): string | undefined {
  const [name, folder, ...rest] = file.split('/')
  return rest.length > 0 ? `${name}/${folder}` : undefined
}

function featureOf(file: string): string | undefined {
  const feature = FEATURE.exec(`${file}/`)?.[1]
  return feature === undefined ? undefined : `server/features/${feature}`
}

function packageOf(file: string): string {
  return file.split('/')[0] ?? ''
}

function rank(name: string): number {
  const index = PACKAGES.indexOf(name)
  if (index === -1) throw new Error(`packages/${name} is not one of ${PACKAGES.join(', ')}`)
  return index
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '').replace(/\s\/\/ .*$/gm, '')
}
