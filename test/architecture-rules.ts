// The architecture rules as a function: sources in, violations out. The test runs it on src/ and on planted violations.

import { dirname, join, normalize } from 'node:path'

/** Low to high; a file may import its own folder and those below. */
const LADDER = ['lib', 'platform', 'config', 'store', 'services', 'tools', 'protocol', 'transport', 'cli', '']

/** `web` and `protocol` are on the same level: neither imports the other. */
const BESIDE = new Map([['web', 'protocol']])

/** One module for each effect: what the source may not contain, and the files that may. */
const EFFECT_MODULES: readonly { effect: string; pattern: RegExp; doors: readonly string[] }[] = [
  { effect: 'starting programs', pattern: /['"](node:)?child_process['"]/, doors: ['platform/process.ts'] },
  { effect: 'reading the environment', pattern: /\bprocess\.env\b/, doors: ['config/load.ts'] },
  {
    effect: 'stdout',
    pattern: /\bprocess\.stdout\b|\bconst \{[^}]*\bstdout\b[^}]*\} = process\b|\bconsole\.(log|info)\b/,
    doors: ['transport/stdio.ts', 'cli/terminal.ts'],
  },
  { effect: 'stderr', pattern: /\bprocess\.stderr\b|\bconsole\./, doors: ['platform/log.ts', 'cli/terminal.ts'] },
  {
    effect: 'outgoing HTTP',
    // A method `x.fetch(…)` is not the global fetch.
    pattern:
      /(?<!\.)\bfetch\(|\bglobalThis\.fetch\b|['"]undici['"]|\bhttps?\.(request|get)\(|\bimport \{[^}]*\b(request|get)\b[^}]*\} from 'node:https?'/,
    // The page runs in a browser and sends requests to its own server.
    doors: [
      'platform/http.ts',
      'platform/probe.ts',
      'platform/way-out/exchange.ts',
      'platform/way-out/proxy-tunnel.ts',
      'platform/way-out/upstream-tunnel.ts',
      'web/page/server.ts',
    ],
  },
  {
    effect: 'sockets',
    pattern:
      /\bimport \{[^}]*\b(connect|createServer|createConnection)\b[^}]*\} from 'node:(net|tls)'|['"]node:(dgram|http2)['"]/,
    doors: [
      'platform/local-socket.ts',
      'platform/port.ts',
      'platform/probe.ts',
      'platform/way-out/dial.ts',
      'platform/way-out/secured.ts',
    ],
  },
  {
    effect: 'looking up names',
    pattern: /['"]node:dns(\/promises)?['"]/,
    doors: ['platform/way-out/system-resolve.ts'],
  },
  {
    effect: 'threads',
    pattern: /['"](node:)?worker_threads['"]/,
    // The extractor runs in a thread; the image worker, a separate process, is supervised from one.
    doors: [
      'platform/thread.ts',
      'services/documents/extract/worker.ts',
      'services/images/darkroom/main.ts',
      'services/images/darkroom/watch.ts',
    ],
  },
  {
    effect: "changing other programs' files",
    pattern: /\b(write|remove)PersonsFile\b/,
    doors: ['store/persons-file.ts', 'cli/install/install.ts', 'cli/install/uninstall.ts'],
  },
  {
    effect: 'SQL',
    pattern: /['"](node:sqlite|@photostructure\/sqlite|pg)['"]/,
    doors: ['store/state/sqlite-library.ts', 'store/state/postgres.ts'],
  },
  { effect: 'native code', pattern: /\bprocess\.dlopen\b/, doors: ['store/state/sqlite-library.ts'] },
  {
    effect: 'what Bun has',
    pattern: /\bglobalThis, 'Bun'|\bBun\.\w|\bprocess\.versions\b/,
    doors: ['platform/bun.ts'],
  },
  {
    // Node 20 collects such signals as garbage before they abort; lib/deadline.ts replaces them.
    effect: 'AbortSignal.any and AbortSignal.timeout',
    pattern: /\bAbortSignal\.(any|timeout)\b|\bconst \{[^}]*\b(any|timeout)\b[^}]*\} = AbortSignal\b/,
    // Runs in browsers.
    doors: ['web/page/watch-board.ts'],
  },
  {
    effect: 'decoding images',
    pattern: /\bimport\('(sharp|libheif-js|@napi-rs\/canvas)/,
    // The doctor decodes nothing; it only checks whether they can be loaded.
    doors: ['sharp', 'heic', 'pdf']
      .map((name) => `services/images/darkroom/${name}.ts`)
      .concat('cli/examine-images.ts'),
  },
]

/** The page runs in a browser: it imports no server code, only the types of what it shows. */
const PAGE = 'web/page/'
const PAGE_KNOWS = /^(services\/board\/view|store\/state\/\w+-rows)\.js$/
/** The phrases that the page shares with the inbox run in both, so they import nothing else. */
const LANGUAGES = 'services/board/languages/'

export type Sources = ReadonlyMap<string, string>

export function violations(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) => [
    ...upwardImports(file, text),
    ...forbiddenEffects(file, text),
    ...strayPageImports(file, text),
  ])
}

function upwardImports(file: string, text: string): string[] {
  const imports = text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)
  return [...imports].flatMap(([, target = '']) => {
    const from = layerOf(file)
    const to = layerOf(normalize(join(dirname(file), target)))
    if (from === to) return []
    const sideways = BESIDE.get(from) === to || BESIDE.get(to) === from
    return sideways || rung(to) > rung(from)
      ? [`${file} imports ${target}: ${from || 'the top'} may not import ${to || 'the top'}`]
      : []
  })
}

function forbiddenEffects(file: string, text: string): string[] {
  return EFFECT_MODULES.filter(
    ({ pattern, doors }) => pattern.test(withoutComments(text)) && !doors.includes(file),
  ).map(({ effect, doors }) => `${file}: ${effect} belongs to ${doors.join(' and ')}`)
}

function strayPageImports(file: string, text: string): string[] {
  const imports = text.matchAll(
    /^(?:import( type)?[^'"]*|export[^'"=;()]*\bfrom )['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]/gm,
  )
  return [...imports].flatMap(([, isType, named, dynamic]) => {
    const target = named ?? dynamic ?? ''
    const path = target.startsWith('.') ? normalize(join(dirname(file), target)) : target
    if (file.startsWith(LANGUAGES) && !file.endsWith('.test.ts') && !path.startsWith(LANGUAGES))
      return [`${file} imports ${target}: the phrases run in a browser too`]
    if (path.startsWith(PAGE) === file.startsWith(PAGE) || path.startsWith(LANGUAGES)) return []
    if (!file.startsWith(PAGE)) return [`${file} imports ${target}: the page runs elsewhere`]
    const isKnown = (isType !== undefined && PAGE_KNOWS.test(path)) || /^preact(\/hooks)?$/.test(path)
    return isKnown ? [] : [`${file} imports ${target}: the page takes from the house only the types of what it shows`]
  })
}

function layerOf(file: string): string {
  const [room, ...rest] = file.split('/')
  return rest.length > 0 && room !== undefined ? room : ''
}

function rung(room: string): number {
  const index = LADDER.indexOf(BESIDE.get(room) ?? room)
  if (index === -1) throw new Error(`src/${room} is not a room of the house`)
  return index
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '').replace(/\s\/\/ .*$/gm, '')
}
