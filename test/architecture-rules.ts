// The architecture rules as a function: sources in, violations out. The test runs it on packages/ and on planted violations.

import { dirname, join, normalize } from 'node:path'

/** Low to high: a package may import those below it. */
const PACKAGES = ['mcp', 'dev', 'server', 'console', 'app']

/** A folder of features. */
const FEATURE = /^server\/features\/(\w+)\//

/** One module for each effect: what the source may not contain, and the files that may. */
const EFFECTS: readonly { effect: string; pattern: RegExp; modules: readonly string[] }[] = [
  {
    effect: 'starting programs',
    pattern: /['"](node:)?child_process['"]/,
    // The second starts servers that authors of servers mount.
    modules: ['server/process/spawn.ts', 'mcp/client/program-transport.ts', 'dev/server-process.ts'],
  },
  {
    // Windows looks for a bare name in the working directory first, which may be a project.
    effect: 'a program of Windows without its path',
    pattern: /(?:\(\s*|: ?\[)['"`](?:taskkill|explorer|powershell|cmd|tasklist)(?:\.exe)?['"`],/,
    modules: [],
  },
  {
    effect: 'starting further processes of this program',
    pattern: /['"](node:)?cluster['"]/,
    modules: ['app/cli/serve-processes.ts'],
  },
  {
    effect: 'reading the environment',
    pattern: /\bprocess\.env\b/,
    // dev/server-command.ts looks for what its user has typed, on Windows.
    modules: [
      'server/config/load-config.ts',
      'server/config/home.ts',
      'mcp/client/program-transport.ts',
      'mcp/system32.ts',
      'dev/server-command.ts',
    ],
  },
  {
    effect: 'stdout',
    pattern:
      /\bprocess\.stdout\b|\b(const|import) \{[^}]*\bstdout\b[^}]*\} (= process\b|from 'node:process')|\bprocess\[|\bconsole\.(log|info|table|dir|dirxml|group|count|time\w*)\b/,
    modules: ['mcp/stdio/serve-stdio.ts', 'server/terminal/terminal.ts', 'dev/terminal.ts'],
  },
  {
    effect: 'stderr',
    pattern:
      /\bprocess\.stderr\b|\b(const|import) \{[^}]*\bstderr\b[^}]*\} (= process\b|from 'node:process')|\bconsole\.(error|warn|debug|trace|assert)\b/,
    modules: ['mcp/log.ts', 'server/terminal/terminal.ts', 'dev/terminal.ts'],
  },
  {
    // The print functions and the log remove control characters; these would not.
    effect: 'writing to the terminal by descriptor or device',
    pattern: /\bwrite(File|v)?(Sync)?\([12],|['"`]\/dev\/(tty|stdout|stderr|console|fd\/[12])\b|['"]node:tty['"]/,
    // The protocol on Bun; the profile of the macOS sandbox names the device, and opens nothing.
    modules: ['mcp/stdio/bun-stdio.ts', 'mcp/stdio/serve-stdio.ts', 'server/sandbox/seatbelt-services.ts'],
  },
  {
    effect: 'drawing on the terminal',
    pattern: /\bgetTerminalStreams\(|['"]@clack\/prompts['"]/,
    modules: ['server/terminal/terminal.ts', 'app/install/prompts.ts', 'console/terminal/inbox-command.ts'],
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
      // To servers and APIs that authors of servers name.
      'mcp/client/http-request.ts',
      // To the other machines.
      'app/machines/peer-client.ts',
      // Run in a browser and reach their own server.
      'console/page/api.ts',
      'console/page-worker/service-worker.ts',
      'dev/page/api.ts',
    ],
  },
  {
    effect: 'sockets',
    pattern:
      /\bimport \{[^}]*\b(connect|createServer|createConnection)\b[^}]*\} from 'node:(net|tls)'|['"]node:(dgram|http2)['"]/,
    modules: [
      'mcp/http/http-server.ts',
      'app/cli/serve-processes.ts',
      'server/process/local-socket.ts',
      'server/features/shell/wait-for-job.ts',
      'server/guarded-fetch/connect-tcp.ts',
      'app/cli/check/http-probe.ts',
    ],
  },
  { effect: 'DNS', pattern: /['"]node:dns(\/promises)?['"]/, modules: ['server/guarded-fetch/resolve-host.ts'] },
  {
    effect: 'threads',
    pattern: /['"](node:)?worker_threads['"]/,
    // The extractor and the patterns of callers run in threads; the processes that read images and PDFs watch themselves from
    // one.
    modules: [
      'server/process/worker-threads.ts',
      'server/process/bounded-worker.ts',
      'server/features/documents/extract/readers/worker.ts',
      'server/patterns/worker.ts',
    ],
  },
  {
    // Over HTTP only where the memory of the message and the time to read it are counted against its user.
    effect: 'parsing messages of clients',
    pattern: /\bparseMessage\(/,
    modules: [
      'mcp/jsonrpc/message.ts',
      // Messages of mounted servers.
      'mcp/client/client-connection.ts',
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
    // Node 20 collects such signals as garbage before they abort; server/async/timeouts.ts replaces them.
    effect: 'AbortSignal.any and AbortSignal.timeout',
    pattern: /\bAbortSignal\.(any|timeout)\b|\bconst \{[^}]*\b(any|timeout)\b[^}]*\} = AbortSignal\b/,
    modules: [],
  },
  {
    // Node.js 20 and 22 refuse valid addresses once the call is compiled; server/text/parse-url.ts replaces it. The kernel
    // calls it with a base, or at the start only, and browsers do not have the fault.
    effect: 'URL.canParse',
    pattern: /\bURL\.canParse\b/,
    modules: [
      'mcp/http/host-policy.ts',
      'mcp/json-schema/schema-document.ts',
      'mcp/mount/remote-mount.ts',
      'mcp/openapi/tools-from-openapi.ts',
      'console/page/components/markdown-inline.ts',
    ],
  },
  {
    effect: 'decoding images',
    pattern: /\bimport\('(sharp|libheif-js|@napi-rs\/canvas)/,
    // The doctor only checks that they can be loaded.
    modules: ['image-libraries', 'decode-heic', 'decode-pdf']
      .map((name) => `server/features/images/worker/${name}.ts`)
      .concat('app/cli/doctor/diagnose-environment.ts'),
  },
  {
    effect: 'decompressing',
    pattern:
      /['"](node:)?zlib['"]|\bDecompressionStream\b|\bperMessageDeflate: (?!false)|\b(gunzip|inflate|inflateRaw|brotliDecompress|zstdDecompress|unzip)(Sync)?\(|(\bfrom |\bimport\(|\brequire\()['"](unpdf|pdfjs-dist|fflate|pako|jszip|adm-zip|yauzl|unzipper|tar|tar-stream|mammoth|xlsx|exceljs|brotli|lz4|snappy|zstd-codec)\b/,
    modules: [
      // In a process with a memory limit, see UNBOUNDED_DECODERS.
      'server/features/images/worker/main.ts',
      'server/features/images/worker/decode-pdf.ts',
      'server/features/images/uncompressed-png.ts',
      'server/features/documents/extract/readers/read-pdf.ts',
      // Chunk by chunk, each layer within the size limit of a response.
      'server/guarded-fetch/response-body.ts',
      // A file of an installed package, from disk to disk.
      'server/browser/npm-chromium.ts',
      // Only compresses.
      'app/http/console-page.ts',
    ],
  },
]

/** Modules that expand untrusted content without a bound of their own: only processes with a memory limit may load them. */
const UNBOUNDED_DECODERS = [
  ...['image-libraries', 'decode-heic', 'decode-pdf', 'decode-raster-bun'].map(
    (name) => `server/features/images/worker/${name}.ts`,
  ),
  'server/features/images/uncompressed-png.ts',
  'server/features/documents/extract/readers/read-pdf.ts',
]
/** What runs in the server itself: the program, the library and the thread of the extractor. */
const UNBOUNDED_ENTRIES = ['app/main.ts', 'app/library.ts', 'server/features/documents/extract/readers/worker.ts']

/**
 * Searches for what runs outside of the sandbox, or is obeyed there. A file that contains one asks for the writable roots
 * (server/config/writable-roots.ts), because a command could have written what it finds, or is listed with the reason.
 */
const SEARCHES: readonly { search: string; pattern: RegExp }[] = [
  { search: 'a search in PATH', pattern: /\.split\((\w+\.)?delimiter\)|\bPATH\b[^\n]*\.split\(/ },
  {
    search: 'a package found at run time',
    pattern: /\bcreateRequire\(|\brequire\.resolve\(|\bimport\.meta\.resolve\(|\bimport\((?!['"])/,
  },
  {
    search: 'a program started by its name',
    pattern:
      /\b(startChild|spawn\w*|runToCompletion|readProgramOutput|readSystemToolOutput|runTool)\(\s*['"`](?!\/)|\bfile: ['"`](?!\/)|\?\? \[['"][\w-]+['"], \[/,
  },
  { search: 'a program named by a setting', pattern: /\b(SHELL_PATH|BROWSER_PATH|CALLBACK_COMMAND)\b/ },
  { search: 'a file named by a setting', pattern: /\b(ACCESS_LOG|TLS_CERT|SCRIPT_TOOLS|ADDITIONAL_SKILLS)\b/ },
  { search: 'a socket found by its path', pattern: /\bconnectToLocalSocket\(/ },
  { search: 'a thread from a file', pattern: /\bnew Worker\(/ },
]

/** A file mentions them, or a function that does. */
const ASKS_FOR_ROOTS = /\b(listWritableRoots|writableRoots|findTrusted\w+|createTrustedEnvironment)\b/

const OTHERWISE_SAFE: Readonly<Record<string, string>> = {
  'server/process/terminal-support.ts': 'asks whether the package exists; what is loaded by its name is the same',
  'server/config/login-path.ts':
    'makes the PATH of commands; programs outside of the sandbox are found by findTrustedProgram',
  'server/config/options.ts': 'declares the settings',
  'server/config/paths.ts': 'the sandbox mounts the folder of the scripts read-only',
  'server/sandbox/sandbox-policy.ts': 'mounts what it names read-only',
  'server/sandbox/cgroups.ts': 'names of kernel files',
  'server/browser/browser-process.ts': 'only a message; find-browser.ts decides',
  'server/process/command-environment.ts': 'the PATH of commands',
  'server/process/shell-program.ts': 'lists candidates; trusted-program.ts decides',
  'server/process/run-program.ts': 'the environment of openInBrowser comes from createTrustedEnvironment',
  'server/process/local-socket.ts': 'the caller chooses the address',
  'server/process/worker-threads.ts': 'the callers name files of this program',
  'server/process/bounded-worker.ts': 'starts the file of the program that it runs in',
  'server/process/system-powershell.ts': 'the absolute path of PowerShell',
  'server/patterns/worker.ts': 'starts the file of the program that it runs in',
  'server/features/skills/skill-index.ts': 'the sandbox mounts the folders read-only',
  'server/features/scripts/scan-scripts.ts': 'only messages',
  'server/features/callbacks/side-effects.ts': 'its environment and shell come from callback-service.ts',
  'dev/server-command.ts': 'finds a package of the project that its user develops',
  'dev/server-process.ts': 'starts what its user has typed; taskkill has an absolute path',
  'app/workspaces/workspaces.ts': 'the sandbox mounts the folders read-only',
  'mcp/client/program-transport.ts': 'the author of a server names the program; taskkill has an absolute path',
  'app/executable.ts': 'a file inside the executable',
  'app/program-info.ts': 'only compares, for a message',
  'app/cli/commands.ts': 'only tells whether it is set',
  'app/cli/skills-command.ts': 'the sandbox mounts the folders read-only',
  'console/feed-connections.ts': 'sockets in the state directory, which commands do not see',
}

function searchesWithoutRoots(file: string, text: string): string[] {
  const code = withoutComments(text)
  if (file in OTHERWISE_SAFE || ASKS_FOR_ROOTS.test(code)) return []
  return SEARCHES.filter(({ pattern }) => pattern.test(code)).map(
    ({ search }) => `${file}: ${search} does not ask for the writable roots`,
  )
}

/** Files listed as safe that contain no search any more. */
export function unusedExceptions(sources: Sources): string[] {
  return Object.keys(OTHERWISE_SAFE).filter((file) => {
    const code = withoutComments(sources.get(file) ?? '')
    return !SEARCHES.some(({ pattern }) => pattern.test(code))
  })
}

/** The pages run in a browser: they import themselves, Preact, the shared translations, a view model and types of answers. */
const PAGE = 'console/page/'
const DEV_PAGE = 'dev/page/'
const DEV_VIEW_MODEL = 'dev/view'
const PAGE_TYPES = new Set(['server/calls/question-form', 'server/calls/app-data'])
/** The page shares them with the inbox, like the translations. They run in both, so they import types only. */
const SHARED_WITH_PAGE = new Set([
  'console/view',
  'console/text-style',
  'console/listed-projects',
  'console/asked-items',
  'console/sort-jobs',
  'console/scale-graph',
])
const TRANSLATIONS = 'console/i18n/'

/** Path below packages/, without `src`, to text: `mcp/jsonrpc/message.ts`. */
export type Sources = ReadonlyMap<string, string>

export function violations(sources: Sources): string[] {
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text))
  return [
    ...imports.flatMap(upwardImport),
    ...imports.flatMap(importOfInsides),
    ...imports.flatMap(importOfPackage),
    ...imports.flatMap(importOfComposition),
    ...imports.flatMap(pageImport),
    ...cycles('folders', imports, folderOf),
    ...cycles('features', imports, featureOf),
    ...lazyAtStart(sources),
    ...decodersOutsideWorkers(sources),
    ...[...sources].flatMap(([file, text]) => effectsElsewhere(file, text)),
    ...[...sources].flatMap(([file, text]) => searchesWithoutRoots(file, text)),
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

/** Files at the top of packages/server compose the features: nothing below them imports them, not even a type. */
function importOfComposition({ file, specifier, target }: Import): string[] {
  return folderOf(file)?.startsWith('server/') && /^server\/[\w-]+$/.test(target)
    ? [`${file} imports ${specifier}: it composes the features`]
    : []
}

/** Lists the tools and the tables of all features. */
const COMPOSERS = new Set(['server/tool-list.ts', 'server/state.ts'])

function pageImport(found: Import): string[] {
  const { file, specifier, target } = found
  if (file.startsWith(TRANSLATIONS) && !target.startsWith(TRANSLATIONS))
    return [`${file} imports ${specifier}: the translations run in a browser too`]
  const module = file.replace(/\.ts$/, '')
  if ((SHARED_WITH_PAGE.has(module) || module === DEV_VIEW_MODEL) && !found.isType)
    return [`${file} imports ${specifier}: the view model runs in a browser too`]
  if (target.startsWith(DEV_PAGE) || file.startsWith(DEV_PAGE)) return devPageImport(found)
  if (target.startsWith(PAGE) === file.startsWith(PAGE) || target.startsWith(TRANSLATIONS)) return []
  if (!file.startsWith(PAGE)) return [`${file} imports ${specifier}: the page runs in a browser`]
  const isAllowed =
    SHARED_WITH_PAGE.has(target) ||
    (found.isType && PAGE_TYPES.has(target)) ||
    /^preact(\/hooks)?$/.test(target) ||
    // In a part of its own, which is loaded when a terminal is opened.
    (target === '@xterm/xterm' && file.startsWith(`${PAGE}terminal/`))
  return isAllowed ? [] : [`${file} imports ${specifier}: the page imports only the view model`]
}

function devPageImport({ file, specifier, target }: Import): string[] {
  if (!file.startsWith(DEV_PAGE)) return [`${file} imports ${specifier}: the page runs in a browser`]
  const isAllowed = target.startsWith(DEV_PAGE) || target === DEV_VIEW_MODEL || /^preact(\/hooks)?$/.test(target)
  return isAllowed ? [] : [`${file} imports ${specifier}: the page imports only the view model`]
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

/** Nothing in the server itself may reach a decoder without a bound, also not on demand. */
function decodersOutsideWorkers(sources: Sources): string[] {
  const missing = [...UNBOUNDED_DECODERS, ...UNBOUNDED_ENTRIES].filter((file) => !sources.has(file))
  const found = missing.map((file) => `${file}: not there any more; correct the list of decoders`)
  const reached = new Set(UNBOUNDED_ENTRIES)
  for (const file of reached) {
    for (const { specifier, target, isType } of importsOf(file, sources.get(file) ?? '')) {
      if (isType) continue
      if (UNBOUNDED_DECODERS.includes(`${target}.ts`))
        found.push(`${file} imports ${specifier}: it expands content, which only a process with a memory limit may do`)
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
