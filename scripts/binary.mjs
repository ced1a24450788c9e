// Builds the program as one executable that needs neither Node.js nor node_modules: dist/scorpiox-code for the machine it
// is built on, with --all one for each system in dist/binaries/, or with --target SYSTEM one of those. Features and limits:
// docs/binary.md.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { rolldown } from 'rolldown'

import { findBun } from './find-bun.mjs'
import { rawText } from './raw-text.mjs'
import { SOURCE_CONDITIONS } from './source-conditions.mjs'

const TARGETS = [
  'linux-x64',
  'linux-arm64',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
  'windows-arm64',
]

/** Packages with native code or for one platform: the runtime has replacements, and they are not loaded from disk either. */
const ABSENT = [
  'sharp',
  '@photostructure/sqlite',
  'libheif-js',
  '@napi-rs/canvas',
  '@sparticuz/chromium',
  '@lydell/node-pty',
  'pg-native',
]

/** Child processes and threads of the executable are separate embedded files. */
const PARTS = [
  { file: 'scorpiox-code.js', source: 'packages/app/src/executable.ts', absent: ABSENT },
  // PDF pages cannot be drawn without a canvas, and the PDF parser is large.
  {
    file: 'image-worker.js',
    source: 'packages/server/src/features/images/worker/main.ts',
    absent: [...ABSENT, 'unpdf'],
  },
  {
    file: 'pdf-worker.js',
    source: 'packages/server/src/features/documents/extract/readers/pdf-worker.ts',
    absent: ABSENT,
  },
  {
    file: 'parts/extract-worker.js',
    source: 'packages/server/src/features/documents/extract/readers/worker.ts',
    absent: ABSENT,
  },
  { file: 'parts/pattern-worker.js', source: 'packages/server/src/patterns/worker.ts', absent: ABSENT },
]

// Do not read Bun settings of the directory in which the executable is started: it may belong to a project.
const FLAGS =
  '--compile --bytecode --minify --no-compile-autoload-dotenv --no-compile-autoload-bunfig --root . --asset page --asset dev-page --asset apps'

const root = resolve(import.meta.dirname, '..')
const options = { all: { type: 'boolean', default: false }, target: { type: 'string' } }
const { all, target: only } = parseArgs({ options }).values
if (only !== undefined && !TARGETS.includes(only)) stop(`no target ${String(only)}; there are ${TARGETS.join(', ')}`)
const bun = findBun(stop)
if (!existsSync(join(root, 'dist/page/index.html'))) stop('dist/ is missing: use npm run binary, which builds it first')
const buildDirectory = await mkdtemp(join(tmpdir(), 'scorpiox-binary-'))
try {
  for (const part of PARTS) await bundle(part)
  for (const page of ['page', 'dev-page', 'apps'])
    await cp(join(root, 'dist', page), join(buildDirectory, page), { recursive: true })
  const folder = join(root, 'dist/binaries')
  if (all) await compileAll(folder)
  else if (only === undefined) await compileHere()
  else await compileFor(only, folder)
} finally {
  await rm(buildDirectory, { recursive: true, force: true })
}

/** Bundles also the npm packages, which dist/ does not contain. */
async function bundle({ file, source, absent }) {
  const build = await rolldown({
    input: join(root, source),
    cwd: root,
    platform: 'node',
    tsconfig: false,
    // The entry for Node.js loads files that bundlers do not find.
    resolve: {
      conditionNames: SOURCE_CONDITIONS,
      alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') },
    },
    plugins: [without(absent), rawText],
    // The package declares no side effects, which is true only for its library.
    treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/].*main\.ts$/, sideEffects: true }] },
    // Source paths are meaningless on other machines.
    transform: { define: { 'import.meta': '{}', 'import.meta.dirname': '""', 'import.meta.url': '"file:///"' } },
  })
  const entryFileNames = basename(file)
  const chunkFileNames = `${basename(file, '.js')}/[name].js`
  await build.write({ dir: join(buildDirectory, dirname(file)), entryFileNames, chunkFileNames, format: 'cjs' })
  await build.close()
}

function without(packages) {
  const mark = '\0absent:'
  return {
    name: 'without',
    resolveId: (id) => (packages.some((name) => `${id}/`.startsWith(`${name}/`)) ? `${mark}${id}` : null),
    load: (id) => (id.startsWith(mark) ? `throw new Error('${id.slice(mark.length)} is not included')` : null),
  }
}

async function compileHere() {
  await compile(join(root, 'dist', process.platform === 'win32' ? 'scorpiox-code.exe' : 'scorpiox-code'))
}

async function compileAll(folder) {
  let sums = ''
  for (const target of TARGETS) {
    const name = await compileFor(target, folder)
    const hash = createHash('sha256').update(await readFile(join(folder, name)))
    sums += `${hash.digest('hex')}  ${name}\n`
  }
  await writeFile(join(folder, 'SHA256SUMS'), sums)
}

async function compileFor(target, folder) {
  await mkdir(folder, { recursive: true })
  const name = `scorpiox-code-${target}${target.startsWith('windows') ? '.exe' : ''}`
  await compile(join(folder, name), `--target=bun-${target}`)
  return name
}

async function compile(outfile, ...target) {
  const args = ['build', ...FLAGS.split(' '), ...target, ...PARTS.map(({ file }) => file), '--outfile', outfile]
  const { status, stdout, stderr } = spawnSync(bun, args, { cwd: buildDirectory, encoding: 'utf8' })
  if (status !== 0) stop(`${bun} could not build ${outfile}:\n${stdout}${stderr}`)
  const { size } = await stat(outfile)
  console.log(`${outfile.slice(root.length + 1)}: ${(size / 1e6).toFixed(1)} MB`)
}

function stop(reason) {
  console.error(reason)
  process.exit(1)
}
