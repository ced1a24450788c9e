// Builds the program as one executable that needs neither Node.js nor node_modules: dist/scorpiox-code for the machine it
// is built on, or with --all one for each system in dist/binaries/. docs/binary.md says what it has and lacks.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { rolldown } from 'rolldown'

import { findBun } from './find-bun.mjs'

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

/** What the executable starts as a program or a thread of its own is a file of its own within it. */
const PARTS = {
  'scorpiox-code.js': 'src/executable.ts',
  'darkroom.js': 'src/services/images/darkroom/main.ts',
  'parts/extract-worker.js': 'src/services/documents/extract/worker.ts',
}

/** Native code, or made for one system: the runtime has something else for it. None is looked for on the disk either. */
const ABSENT = ['sharp', '@photostructure/sqlite', 'libheif-js', '@napi-rs/canvas', '@sparticuz/chromium', 'pg-native']

const absent = {
  name: 'absent',
  resolveId: (id) => (ABSENT.some((name) => `${id}/`.startsWith(`${name}/`)) ? `\0absent:${id}` : null),
  load: (id) => (id.startsWith('\0absent:') ? `throw new Error(${JSON.stringify(id.slice(8))} + ' is not here')` : null),
}

// Settings of Bun in the folder that it is started in would be those of a project, and are not read.
const FLAGS = '--compile --bytecode --minify --no-compile-autoload-dotenv --no-compile-autoload-bunfig --root . --asset page'

const root = resolve(import.meta.dirname, '..')
const { all } = parseArgs({ options: { all: { type: 'boolean', default: false } } }).values
const bun = findBun(stop)
if (!existsSync(join(root, 'dist/page/index.html'))) stop('dist/ is missing: use npm run binary, which builds it first')
const workshop = await mkdtemp(join(tmpdir(), 'scorpiox-binary-'))
try {
  for (const [file, source] of Object.entries(PARTS)) await bundle(join(root, source), join(workshop, file))
  await cp(join(root, 'dist/page'), join(workshop, 'page'), { recursive: true })
  await (all ? compileAll(join(root, 'dist/binaries')) : compileHere())
} finally {
  await rm(workshop, { recursive: true, force: true })
}

/** With the packages it uses, which dist/ leaves to npm. */
async function bundle(input, file) {
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    tsconfig: false,
    // The file that Node.js would take has parts that no bundler finds.
    resolve: { alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') } },
    plugins: [absent],
    // The package says that importing its files does nothing, which is so of its library.
    treeshake: { moduleSideEffects: [{ test: /[\/]src[\/].*main\.ts$/, sideEffects: true }] },
    // Where the sources lie means nothing elsewhere.
    transform: { define: { 'import.meta': '{}', 'import.meta.dirname': '""', 'import.meta.url': '"file:///"' } },
  })
  await build.write({ dir: dirname(file), entryFileNames: basename(file), chunkFileNames: `${basename(file, '.js')}/[name].js`, format: 'cjs' })
  await build.close()
}

async function compileHere() {
  await compile(join(root, 'dist', process.platform === 'win32' ? 'scorpiox-code.exe' : 'scorpiox-code'))
}

async function compileAll(folder) {
  await mkdir(folder, { recursive: true })
  let sums = ''
  for (const target of TARGETS) {
    const name = `scorpiox-code-${target}${target.startsWith('windows') ? '.exe' : ''}`
    await compile(join(folder, name), `--target=bun-${target}`)
    const hash = createHash('sha256').update(await readFile(join(folder, name)))
    sums += `${hash.digest('hex')}  ${name}\n`
  }
  await writeFile(join(folder, 'SHA256SUMS'), sums)
}

async function compile(outfile, ...target) {
  const args = ['build', ...FLAGS.split(' '), ...target, ...Object.keys(PARTS), '--outfile', outfile]
  const { status, stdout, stderr } = spawnSync(bun, args, { cwd: workshop, encoding: 'utf8' })
  if (status !== 0) stop(`${bun} could not build ${outfile}:\n${stdout}${stderr}`)
  const { size } = await stat(outfile)
  console.log(`${outfile.slice(root.length + 1)}: ${(size / 1e6).toFixed(1)} MB`)
}

function stop(reason) {
  console.error(reason)
  process.exit(1)
}
