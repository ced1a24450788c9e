// Builds dist/: the program as CommonJS (it starts 3 to 4 ms sooner than ESM), the library as ESM with types. Each is one
// file and parts beside it that are loaded when needed: what is not parsed at the start costs nothing there.

import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

await rm('dist', { recursive: true, force: true })
await mkdir('dist', { recursive: true })
await bundle('src/main.ts', {
  dir: 'dist',
  format: 'cjs',
  entryFileNames: 'scorpiox-code.js',
  chunkFileNames: 'parts/[name].js',
})
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
// Killed, starved and raced on its own.
await bundle('src/store/state/open-state.ts', { file: 'dist/judge/state.mjs', format: 'esm', codeSplitting: false })
await mkdir('dist/page', { recursive: true })
await copyFile('src/web/page/index.html', 'dist/page/index.html')
// The package is ESM; this folder's .js file is not, and the types describe what is.
await writeFile('dist/package.json', '{ "type": "commonjs" }\n')
await chmod('dist/scorpiox-code.js', 0o755)
declarations()
await writeFile('dist/types/package.json', '{ "type": "module" }\n')

async function bundle(input, output) {
  const build = await rolldown({
    input,
    platform: 'node',
    tsconfig: false,
    external: ['ws', 'jose', 'pg', 'yaml', '@clack/prompts', '@photostructure/sqlite'],
    onLog: failOnWarning,
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
