// Builds dist/: the program as one CommonJS file (it starts 3 to 4 ms sooner than ESM), the library as ESM with types.

import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

// In one file, the bundler would load every foreign module at the top. Behind a CommonJS wrapper each is loaded by the
// first module that runs and imports it, so a server that only speaks never loads node:http.
const foreignOnFirstUse = {
  name: 'foreign-on-first-use',
  resolveId(id, importer) {
    if (!id.startsWith('node:') && id !== 'ws') return null
    return importer?.startsWith('\0foreign:') ? { id, external: true } : { id: `\0foreign:${id}` }
  },
  load(id) {
    if (!id.startsWith('\0foreign:')) return null
    return { code: `module.exports = require(${JSON.stringify(id.slice('\0foreign:'.length))})`, moduleType: 'js' }
  },
}

await rm('dist', { recursive: true, force: true })
await mkdir('dist', { recursive: true })
await bundle('src/main.ts', { file: 'dist/scorpiox-code.js', format: 'cjs', codeSplitting: false })
// In parts: who serves over stdio never loads HTTP.
await bundle('src/library.ts', {
  dir: 'dist',
  format: 'esm',
  entryFileNames: 'library.mjs',
  chunkFileNames: 'library/[name].mjs',
})
// Judged on its own, against other validators and the official suite.
await bundle('src/lib/json-schema/compile.ts', {
  file: 'dist/judge/json-schema.mjs',
  format: 'esm',
  codeSplitting: false,
})
// The package is ESM; this folder's .js file is not, and the types describe what is.
await writeFile('dist/package.json', '{ "type": "commonjs" }\n')
await chmod('dist/scorpiox-code.js', 0o755)
declarations()
await writeFile('dist/types/package.json', '{ "type": "module" }\n')

async function bundle(input, output) {
  const plugins = output.format === 'cjs' ? [foreignOnFirstUse] : []
  const build = await rolldown({
    input,
    platform: 'node',
    tsconfig: false,
    external: output.format === 'cjs' ? ['jose'] : ['ws', 'jose'],
    onLog: failOnWarning,
    plugins,
  })
  await build.write({ ...output, minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } } })
  await build.close()
}

function failOnWarning(level, log) {
  if (level === 'warn') throw new Error(log.message)
}

function declarations() {
  const tsc = 'node_modules/typescript/bin/tsc'
  const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
  if (run.status !== 0) process.exit(run.status ?? 1)
}
