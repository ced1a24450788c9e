// How much of the library a small server loads. A server of one tool is bundled and minified as its author would do it,
// then started and called; what the process has loaded by then is the kernel, whatever is left comes when it is needed.

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
  description: 'Greets somebody',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  run: ({ name }) => name,
  render: (name) => \`Hello, \${name}\`,
})
await serve({ name: 'greeter', version: '1.0.0', tools: [greet] })`

const MESSAGES = [
  ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'size', version: '0' } }],
  ['tools/list', {}],
  ['tools/call', { name: 'greet', arguments: { name: 'Ann' } }],
  ['tools/call', { name: 'greet', arguments: { name: 1 } }],
]

/** The bytes of each part that the server loads, and of those it leaves alone. */
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

/** The bytes of each part of a program that imports the library, minified; written to `dir` if it is given. */
export async function bundled(program, { dir } = {}) {
  const build = await rolldown({
    input: 'entry',
    platform: 'node',
    tsconfig: false,
    // What npm installs beside the library is loaded from there.
    external: ['ws', 'jose'],
    plugins: [
      {
        name: 'program',
        // Whoever bundles may not know that the package has no side effects: it must show.
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

/** The names of the files that a process has loaded, by its own account. */
async function loadedBy(folder) {
  const coverage = join(folder, 'coverage')
  const server = spawn(process.execPath, [join(folder, 'entry.mjs')], {
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let said = ''
  server.stdout.on('data', (chunk) => {
    said += chunk
    if (said.split('\n').length > MESSAGES.length) server.stdin.end()
  })
  const over = new Promise((resolve) => server.once('exit', resolve))
  for (const [id, [method, params]] of MESSAGES.entries()) {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  }
  const timer = setTimeout(() => server.kill('SIGKILL'), 20_000)
  await over
  clearTimeout(timer)
  if (!said.includes('Hello, Ann')) throw new Error(`the server did not answer as it should: ${said}`)
  const urls = readdirSync(coverage).flatMap((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')).result)
  return new Set(urls.map(({ url }) => basename(url)))
}
