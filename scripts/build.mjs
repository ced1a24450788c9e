// Builds dist/: the program as CommonJS (starts 3 to 4 ms faster than ESM), the library as ESM with types. Each consists of
// one entry file and chunks that are loaded on demand, because unparsed code does not delay the start. The page for
// browsers is in dist/page/: three files, and two that it loads when a terminal is opened; that of `dev` in dist/dev-page/,
// the views of MCP Apps in dist/apps/. The package @scorpiox/mcp is built in packages/mcp: dist/ and docs/.

import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { rolldown } from 'rolldown'

import { buildAppViews } from './build-app-views.mjs'
import { copyPackageDocs } from './package-docs.mjs'
import { readInspectorStyle, readPageStyle } from './page-style.mjs'
import { rawText } from './raw-text.mjs'
import { SOURCE_CONDITIONS } from './source-conditions.mjs'

/** Packages that are installed by npm, or optionally by the user. */
const { dependencies, optionalDependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url)))
const OPTIONAL = ['@photostructure/sqlite', 'libheif-js', '@napi-rs/canvas', '@sparticuz/chromium', '@lydell/node-pty']
const EXTERNAL = [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...OPTIONAL].map(
  (name) => new RegExp(`^${name}(/|$)`),
)

/**
 * The bundler would put its helpers into the chunk of some service, which every chunk that needs them would then load. A
 * separate entry keeps them in a chunk of their own.
 */
const HELPERS = 'helpers'
const PROGRAM = 'program'
const COMMON = 'common'
const COMMAND_LINE = 'command-line'
const HTTP_START = 'http-start'
const SHARED = 'shared'
const AFTER_START = 'after-start'
/** What `serve --http` loads before its first answer; launch.ts compiles these files with a code cache. */
const IN_DIST = new Set([PROGRAM, COMMON, COMMAND_LINE, HTTP_START])
/** What all commands load. */
const COMMAND_LINE_MODULES = [
  'packages/app/src/arguments.ts',
  'packages/app/src/cli/commands.ts',
  'packages/app/src/cli/help.ts',
]
const HTTP_START_MODULES = ['packages/app/src/cli/serve-http.ts']
/** Of these two, what tools load too: they must not load the rest. */
const COMMON_MODULES = [
  'packages/server/src/clients/client-paths.ts',
  'packages/server/src/config/workspace-root.ts',
  'packages/server/src/process/shell-quote.ts',
  'packages/server/src/storage/file-lock.ts',
  'packages/server/src/terminal/terminal.ts',
]
/** What main.ts loads after the first answers. */
const AFTER_START_MODULES = [
  'packages/console/src/open-server-feed.ts',
  'packages/mcp/src/json-schema/compile-simple.ts',
  'packages/server/src/features/secrets/deferred-secrets.ts',
  'packages/server/src/features/shell/startup-tasks.ts',
  'packages/server/src/sandbox/command-sandbox.ts',
  'packages/server/src/storage/flag-files.ts',
]
const helpersPlugin = {
  name: HELPERS,
  resolveId: (id) => (id === HELPERS ? id : null),
  load: (id) => (id === HELPERS ? "import path from 'node:path'\nexport default path" : null),
}

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

await mkdir('dist', { recursive: true })
// Everything except the executables, which are built by another script and may be running.
const old = (await readdir('dist')).filter((name) => !/^(scorpiox-code(\.exe)?|binaries)$/.test(name))
for (const name of old) await rm(`dist/${name}`, { recursive: true, force: true })
await bundleProgram()
// The processes that read images and PDFs.
await bundle('packages/server/src/features/images/worker/main.ts', {
  file: 'dist/image-worker.js',
  format: 'cjs',
  codeSplitting: false,
})
await bundle('packages/server/src/features/documents/extract/readers/pdf-worker.ts', {
  file: 'dist/pdf-worker.js',
  format: 'cjs',
  codeSplitting: false,
})
await bundle('packages/app/src/library.ts', {
  dir: 'dist',
  format: 'esm',
  entryFileNames: 'library.mjs',
  chunkFileNames: 'library/[name].mjs',
})
// The kernel as a package of its own.
await rm('packages/mcp/dist', { recursive: true, force: true })
await bundle('packages/mcp/src/index.ts', {
  dir: 'packages/mcp/dist',
  format: 'esm',
  entryFileNames: 'index.mjs',
  chunkFileNames: 'parts/[name].mjs',
})
await copyPackageDocs('docs', 'packages/mcp/docs')
// Its command `dev`, which no server loads.
await bundle('packages/dev/src/main.ts', {
  file: 'packages/mcp/dist/dev/scorpiox-mcp.mjs',
  format: 'esm',
  codeSplitting: false,
  banner: '#!/usr/bin/env node',
})
await chmod('packages/mcp/dist/dev/scorpiox-mcp.mjs', 0o755)
// The worker thread of the extractor, which loads packages that no other code may load.
await bundle('packages/server/src/features/documents/extract/readers/worker.ts', {
  file: 'dist/parts/extract-worker.js',
  format: 'cjs',
  codeSplitting: false,
})
// The worker thread that matches the patterns of callers.
await bundle('packages/server/src/patterns/worker.ts', {
  file: 'dist/parts/pattern-worker.js',
  format: 'cjs',
  codeSplitting: false,
})
await buildPage()
await buildAppViews({ minifyStyle: smaller, onLog: failOnWarning })
await buildDevPage()
await copySqlite()
// Tested separately against other validators and the official suite.
await bundle('packages/mcp/src/json-schema/compile.ts', {
  file: 'dist/judge/json-schema.mjs',
  format: 'esm',
  codeSplitting: false,
})
// Tested separately with killed, resource-starved and concurrent processes.
await bundle('packages/server/src/state.ts', { file: 'dist/judge/state.mjs', format: 'esm', codeSplitting: false })
// Benchmarked separately against another browser driver.
await bundle(
  {
    'find-browser': 'packages/server/src/browser/find-browser.ts',
    'open-browser': 'packages/server/src/browser/browser-pool.ts',
    'way-out': 'packages/server/src/guarded-fetch/guarded-fetch.ts',
  },
  { dir: 'dist/judge/browser', format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'parts/[name].mjs' },
)
// Compared with the profiles of another generator.
await bundle(
  {
    seatbelt: 'packages/server/src/sandbox/seatbelt-profile.ts',
    'mount-plan': 'packages/server/src/sandbox/mount-plan.ts',
  },
  { dir: 'dist/judge/seatbelt', format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'parts/[name].mjs' },
)
// Compared with recordings of other terminals.
await bundle('packages/server/src/features/shell/terminal-screen.ts', {
  file: 'dist/judge/terminal-screen.mjs',
  format: 'esm',
  codeSplitting: false,
})
// Measured and trained on a page corpus outside of this repository.
await bundle('packages/server/src/features/documents/extract/extractor.ts', {
  file: 'dist/judge/extractor.mjs',
  format: 'esm',
  codeSplitting: false,
})
await bundle('packages/server/src/features/documents/extract/readers/training-export.ts', {
  file: 'dist/judge/lesson.mjs',
  format: 'esm',
  codeSplitting: false,
})
// The package is ESM, but the .js file of this directory is CommonJS; the types describe the ESM library.
await writeFile('dist/package.json', '{ "type": "commonjs", "sideEffects": false }\n')
await chmod('dist/scorpiox-code.js', 0o755)
await writeDeclarations()

/**
 * Puts everything that main.ts imports statically into one file, `program.js`, which the entry compiles with a code cache.
 * Each further file would be searched, read and compiled on its own. What is loaded right after the start is one file too:
 * resolving the paths of thirty made V8 optimize the function that does it, which alone took 4 MB.
 */
async function bundleProgram() {
  const main = resolve('packages/app/src/main.ts')
  let groups
  const chooseGroup = (id, context) => {
    groups ??= listGroups(main, context)
    return groups.find(([, modules]) => modules.has(id))?.[0] ?? null
  }
  await bundle(
    { [PROGRAM]: main, [HELPERS]: HELPERS },
    {
      dir: 'dist',
      format: 'cjs',
      entryFileNames: '[name].js',
      chunkFileNames: ({ name }) => (IN_DIST.has(name) ? '[name].js' : 'parts/[name].js'),
      // They are a fifteenth of what every start reads.
      comments: { legal: true, annotation: false, jsdoc: false },
      // The entry imports `startProgram` by its name.
      minifyInternalExports: false,
      codeSplitting: {
        groups: [{ debugName: PROGRAM, name: chooseGroup }],
        includeDependenciesRecursively: false,
      },
    },
    { preserveEntrySignatures: 'allow-extension' },
  )
  await rm(`dist/${HELPERS}.js`)
  for (const name of IN_DIST) {
    // Node.js cannot resolve it in a file that launch.ts has compiled.
    if ((await readFile(`dist/${name}.js`, 'utf8')).includes(' import(')) {
      throw new Error(
        `dist/${name}.js imports a package or a module of Node.js on demand: use process.getBuiltinModule`,
      )
    }
  }
  await bundle('packages/app/src/launch.ts', {
    file: 'dist/scorpiox-code.js',
    format: 'cjs',
    codeSplitting: false,
  })
}

/** The names of files with their modules; a module is in the first that has it. */
function listGroups(main, context) {
  const list = (paths) =>
    listStaticImports(
      paths.map((path) => resolve(path)),
      context,
    )
  const commandLine = list(COMMAND_LINE_MODULES)
  const http = list(HTTP_START_MODULES)
  const afterStart = list(AFTER_START_MODULES)
  return [
    [PROGRAM, list([main])],
    // What a server loads over HTTP before its first answer, and over stdio after it: two small modules.
    [SHARED, new Set([...http].filter((id) => afterStart.has(id)))],
    [COMMON, list(COMMON_MODULES)],
    [COMMAND_LINE, commandLine],
    [HTTP_START, http],
    [AFTER_START, afterStart],
  ]
}

function listStaticImports(entries, context) {
  const found = new Set(entries)
  for (const id of found) {
    // It re-exports a whole feature, of which most is not used here.
    if (id.endsWith('/lazy.ts')) found.delete(id)
    else for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  }
  return found
}

async function bundle(input, output, inputOptions = {}) {
  const build = await rolldown({
    input,
    ...inputOptions,
    platform: 'node',
    tsconfig: false,
    resolve: { conditionNames: SOURCE_CONDITIONS },
    external: EXTERNAL,
    plugins: [helpersPlugin, rawText],
    onLog: failOnWarning,
  })
  await build.write({
    charset: 'ascii',
    ...output,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
  })
  await build.close()
}

/** The page that the HTTP server serves. */
async function buildPage() {
  const build = await rolldown({
    input: 'packages/console/src/page/main.tsx',
    platform: 'browser',
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    onLog: failOnWarning,
  })
  const licence = await readFile('node_modules/@xterm/xterm/LICENSE', 'utf8')
  await build.write({
    dir: 'dist/page',
    format: 'esm',
    entryFileNames: 'page.js',
    // What is loaded on demand; terminal.js is everything that only a terminal needs.
    chunkFileNames: ({ name }) => (name === 'xterm-display' ? 'terminal.js' : `${name}.js`),
    minify: true,
    postBanner: ({ isEntry, name }) => {
      if (isEntry) return '/*! Contains Preact, MIT License, Copyright (c) 2015-present Jason Miller */'
      return name === 'xterm-display' ? `/*! Contains xterm.js, MIT License\n${licence}*/` : ''
    },
  })
  await build.close()
  const terminalStyle = await readFile('node_modules/@xterm/xterm/css/xterm.css', 'utf8')
  await writeFile(
    'dist/page/terminal.css',
    `/*! From xterm.js, MIT License, see terminal.js */${smaller(terminalStyle)}`,
  )
  await writeFile('dist/page/page.css', smaller(await readPageStyle()))
  await copyFile('packages/console/src/page/index.html', 'dist/page/index.html')
  // The manifest and the icons of the installed page.
  await cp('packages/console/src/page/pwa', 'dist/page', { recursive: true })
  const worker = await rolldown({
    input: 'packages/console/src/page-worker/service-worker.ts',
    platform: 'browser',
    tsconfig: false,
    onLog: failOnWarning,
  })
  await worker.write({ file: 'dist/page/service-worker.js', format: 'esm', codeSplitting: false, minify: true })
  await worker.close()
}

/** The inspector page of `dev`, for the program and for the kernel's package. */
async function buildDevPage() {
  const source = 'packages/dev/src/page'
  const build = await rolldown({
    input: `${source}/main.tsx`,
    platform: 'browser',
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    onLog: failOnWarning,
  })
  await build.write({
    file: 'dist/dev-page/page.js',
    format: 'esm',
    codeSplitting: false,
    minify: true,
    postBanner: '/*! Contains Preact, MIT License, Copyright (c) 2015-present Jason Miller */',
  })
  await build.close()
  await writeFile('dist/dev-page/page.css', smaller(await readInspectorStyle()))
  await copyFile(`${source}/index.html`, 'dist/dev-page/index.html')
  await cp('dist/dev-page', 'packages/mcp/dist/dev/page', { recursive: true })
}

/** Removes comments and insignificant spaces; spaces around a colon may be significant. */
function smaller(style) {
  return style
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .trim()
}

/**
 * SQLite for Node.js 20, which has none: the prebuilt files of the package for all platforms. As a dependency, the package
 * would add 29 MB and an install script to every installation.
 */
async function copySqlite() {
  const from = 'node_modules/@photostructure/sqlite'
  await mkdir('dist/sqlite')
  await copyFile(`${from}/LICENSE`, 'dist/sqlite/LICENSE')
  for (const platform of await readdir(`${from}/prebuilds`)) {
    for (const file of await readdir(`${from}/prebuilds/${platform}`)) {
      const libc = file.endsWith('.musl.node') ? 'musl' : 'usual'
      await copyFile(`${from}/prebuilds/${platform}/${file}`, `dist/sqlite/${platform}-${libc}.node`)
    }
  }
}

function failOnWarning(level, log) {
  // Slow plugins are reported on a busy machine.
  if (level === 'warn' && log.code !== 'PLUGIN_TIMINGS') throw new Error(log.message)
}

/** Types of the kernel in packages/mcp/dist, and of the library in dist/types, where the kernel's lie beside it. */
async function writeDeclarations() {
  compileDeclarations('packages/mcp')
  compileDeclarations('tsconfig.build.json')
  const isType = (file) => !/\.mjs$|\/(parts|dev)$/.test(file)
  await cp('packages/mcp/dist', 'dist/types', { recursive: true, filter: isType })
  const library = await readFile('dist/declarations/app/src/library.d.ts', 'utf8')
  await writeFile('dist/types/library.d.ts', library.replaceAll(/'@scorpiox\/mcp\/([^']+)'/g, "'./$1.js'"))
  await rm('dist/declarations', { recursive: true })
  await keepReachable('dist/types', 'dist/types/library.d.ts')
  await keepReachable('packages/mcp/dist', 'packages/mcp/dist/index.d.ts')
  await writeFile('dist/types/package.json', '{ "type": "module" }\n')
}

function compileDeclarations(project) {
  const tsc = 'node_modules/typescript/bin/tsc'
  const run = spawnSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit' })
  if (run.status !== 0) process.exit(run.status ?? 1)
}

/** Keeps only the declaration files that the library's entry refers to; the compiler writes one for every file. */
async function keepReachable(folder, entry) {
  const kept = new Set([resolve(entry)])
  for (const file of kept) {
    const text = await readFile(file, 'utf8')
    for (const [, specifier] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      kept.add(resolve(dirname(file), `${specifier}.d.ts`))
    }
  }
  for (const found of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = resolve(found.parentPath, found.name)
    if (found.name.endsWith('.d.ts') && !kept.has(file)) await rm(file)
  }
}
