// Measures how much of the library a small server loads. Bundles and minifies a server with one tool, starts it and calls
// the tool; the chunks loaded by then are the kernel, the others are loaded on demand.

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { rolldown } from 'rolldown'

const LIBRARY = fileURLToPath(new URL('../dist/library.mjs', import.meta.url))

const SERVER = `
import { defineTool, serve } from 'scorpiox-code'
const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Greets a person',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  run: ({ name }) => name,
  format: (name) => \`Hello, \${name}\`,
})
await serve({ name: 'greeter', version: '1.0.0', tools: [greet] })`

const MESSAGES = [
  ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'size', version: '0' } }],
  ['tools/list', {}],
  ['tools/call', { name: 'greet', arguments: { name: 'Ann' } }],
  ['tools/call', { name: 'greet', arguments: { name: 1 } }],
]

/** Bytes of each loaded chunk, and of each chunk that was not loaded. */
export async function kernelSize() {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'))
  try {
    const parts = await bundled(SERVER, { dir: folder })
    const names = await loadedBy(folder)
    const pick = (isLoaded) =>
      Object.fromEntries(Object.entries(parts).filter(([name]) => names.has(name) === isLoaded))
    return { loaded: pick(true), apart: pick(false) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Minified bytes of each chunk of a program that imports the library; written to `dir` if given. */
export async function bundled(program, { dir } = {}) {
  const build = await rolldown({
    input: 'entry',
    platform: 'node',
    tsconfig: false,
    // npm dependencies of the library are not bundled.
    external: ['ws', 'jose'],
    plugins: [
      {
        name: 'program',
        // Tree shaking must work even if the bundler ignores the package's `sideEffects`.
        resolveId: (id) =>
          id === 'entry' ? id : id === 'scorpiox-code' ? { id: LIBRARY, moduleSideEffects: true } : null,
        load: (id) => (id === 'entry' ? program : null),
      },
    ],
  })
  const output = { format: 'esm', minify: true, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' }
  const made = await (dir ? build.write({ ...output, dir }) : build.generate(output))
  await build.close()
  return Object.fromEntries(made.output.map(({ fileName, code }) => [fileName, Buffer.byteLength(code)]))
}

/** The names of the files that a process reports as loaded. */
async function loadedBy(folder) {
  const coverage = join(folder, 'coverage')
  const server = spawn(process.execPath, [join(folder, 'entry.mjs')], {
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  server.stdout.on('data', (chunk) => {
    output += chunk
    if (output.split('\n').length > MESSAGES.length) server.stdin.end()
  })
  const exited = new Promise((resolve) => server.once('exit', resolve))
  for (const [id, [method, params]] of MESSAGES.entries()) {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  }
  const timer = setTimeout(() => server.kill('SIGKILL'), 20_000)
  await exited
  clearTimeout(timer)
  if (!output.includes('Hello, Ann')) throw new Error(`unexpected output of the server: ${output}`)
  const urls = readdirSync(coverage).flatMap((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')).result)
  return new Set(urls.map(({ url }) => basename(url)))
}
