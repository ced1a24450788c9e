// Lists the functions that one warm `Bash` call executes, from the request line to its answer. Builds the program with a
// recording statement at the start of every function, serves it over stdio, and records some calls of `echo hi`.
//
//   node scripts/trace-call.mjs [--order] [--functions]
//
// - A function is a function, method, accessor, constructor or arrow function in packages/*/src. It counts once however
//   often it is entered. It is entered with its first statement: what its parameter list reads from the arguments comes
//   before.
// - A layer is a package, and within packages/server a feature or another folder of `src`. The folders json, text and util
//   are helpers without state, which belong to no layer.
// - A layer change is an entry in another layer than the entry before it. `echo hi` waits for the shell in between: the
//   entries of the event handlers are part of the sequence. A package change is an entry in another package.
// - Calls differ, because output and exit status may arrive together or apart. The printed call is the one with the median
//   number of functions.
// --functions lists the functions by file, --order the sequence of entries.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { rolldown } from 'rolldown'
import { parseSync } from 'rolldown/experimental'

import { rawText } from './raw-text.mjs'
import { SOURCE_CONDITIONS } from './source-conditions.mjs'

const WARM_UP_CALLS = 10
const RECORDED_CALLS = 9
const PAUSE_MS = 100
const HELPER = /\/src\/(json|text|util)\//

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dist', 'trace')
const state = mkdtempSync(join(tmpdir(), 'trace-call-'))
const recording = join(state, 'recording.jsonl')

/** Every instrumented function; the position is its number. */
const functions = []

/** Records from the arrival of a request with the id "traced" to the write of its answer. */
const RECORDER = `
const { appendFileSync } = require('node:fs')
let entries
globalThis.__enter = (number) => { if (entries) entries.push(number) }
const { emit } = process.stdin
process.stdin.emit = function (event, chunk, ...rest) {
  if (event === 'data' && chunk.includes('"traced"')) entries = []
  return emit.call(this, event, chunk, ...rest)
}
const { write } = process.stdout
process.stdout.write = function (text, ...rest) {
  const isAnswer = entries && text.includes('"id":"traced"')
  if (isAnswer) { appendFileSync(${JSON.stringify(recording)}, JSON.stringify(entries) + '\\n'); entries = undefined }
  return write.call(this, text, ...rest)
}
`

try {
  await buildInstrumented()
  await recordCalls()
  report()
} finally {
  rmSync(state, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
}

async function buildInstrumented() {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const external = ['@photostructure/sqlite', 'libheif-js', '@napi-rs/canvas', '@sparticuz/chromium']
  external.push(...Object.keys(dependencies), ...Object.keys(optionalDependencies))
  const build = await rolldown({
    input: { main: join(root, 'packages/app/src/main.ts') },
    cwd: root,
    platform: 'node',
    tsconfig: false,
    resolve: { conditionNames: SOURCE_CONDITIONS },
    external: external.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [
      rawText,
      { name: 'instrument', transform: { filter: { id: /\/packages\/.*\.tsx?$/ }, handler: instrument } },
    ],
    logLevel: 'silent',
  })
  await build.write({ dir: folder, format: 'cjs', entryFileNames: '[name].js', chunkFileNames: 'parts/[name].js' })
  await build.close()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
  writeFileSync(join(folder, 'recorder.js'), RECORDER)
  writeFileSync(join(folder, 'start.js'), "require('./main.js').startProgram()\n")
}

/** Inserts the recording statement into every function of a module. */
function instrument(code, id) {
  const file = relative(root, id)
  const { program, errors } = parseSync(id, code)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  const insertions = []
  visit(program, '')
  let result = code
  for (const { at, text } of insertions.toSorted((a, b) => b.at - a.at))
    result = result.slice(0, at) + text + result.slice(at)
  return result

  function visit(node, name) {
    if (Array.isArray(node)) return node.forEach((child) => visit(child, name))
    if (typeof node !== 'object' || node === null || typeof node.type !== 'string') return
    const own = node.id?.name ?? node.key?.name ?? node.id?.value ?? name
    if (node.body && /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) {
      const line = code.slice(0, node.start).split('\n').length
      const number = functions.push({ file, line, name: own }) - 1
      const enter = `globalThis.__enter?.(${number})`
      if (node.body.type === 'BlockStatement') insertions.push({ at: node.body.start + 1, text: `${enter};` })
      else {
        const arrow = code.lastIndexOf('=>', node.body.start) + 2
        insertions.push({ at: arrow, text: `(${enter},` }, { at: node.end, text: ')' })
      }
    }
    for (const child of Object.values(node)) visit(child, own)
  }
}

async function recordCalls() {
  const env = { PATH: process.env.PATH, HOME: state, XDG_RUNTIME_DIR: state }
  const args = ['--require', join(folder, 'recorder.js'), join(folder, 'start.js')]
  const server = spawn(process.execPath, args, { cwd: state, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const waiting = new Map()
  createInterface({ input: server.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
  })
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = async (id, method, params) => {
    const answer = new Promise((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    const { result, error } = await Promise.race([answer, ended])
    if (!result || result.isError) throw new Error(`the server answered ${JSON.stringify(result ?? error)}`)
  }
  const clientInfo = { name: 'trace-call', version: '0' }
  await request('initialize', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  for (let call = 0; call < WARM_UP_CALLS + RECORDED_CALLS; call++) {
    const id = call < WARM_UP_CALLS ? 'warm-up' : 'traced'
    await request(id, 'tools/call', { name: 'Bash', arguments: { command: 'echo hi' } })
    // The next shell is prepared meanwhile.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  server.stdin.end()
  await ended
}

function report() {
  const calls = readFileSync(recording, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => measure(JSON.parse(line)))
    .toSorted((a, b) => a.executed.length - b.executed.length)
  const call = calls[Math.floor(calls.length / 2)]
  const byLayer = groupBy(call.executed, ({ file }) => layerOf(file))
  const kernel = byLayer.mcp ?? []
  console.log(`functions: ${call.executed.length} (${calls[0].executed.length} to ${calls.at(-1).executed.length})`)
  console.log(`files: ${new Set(call.executed.map(({ file }) => file)).size}`)
  console.log(`layer changes: ${call.layers.length - 1}, package changes: ${call.packages.length - 1}`)
  console.log(`packages/mcp: ${kernel.length} functions`)
  for (const [layer, executed] of Object.entries(byLayer).toSorted(([, a], [, b]) => b.length - a.length)) {
    console.log(`  ${layer}: ${executed.length} functions, ${new Set(executed.map(({ file }) => file)).size} files`)
  }
  console.log(`layers in order: ${call.layers.join(' > ')}`)
  if (process.argv.includes('--functions')) {
    for (const [path, executed] of Object.entries(groupBy(call.executed, ({ file }) => file))) {
      console.log(`${path}\n  ${executed.map(({ name, line }) => `${name}:${line}`).join('\n  ')}`)
    }
  }
  if (process.argv.includes('--order'))
    for (const { file, line, name } of call.order) console.log(`${name} ${file}:${line}`)
}

function measure(numbers) {
  const order = numbers.map((number) => functions[number])
  const layers = withoutRepeats(
    order.map(({ file }) => file).filter((file) => !HELPER.test(file)),
    layerOf,
  )
  const packages = withoutRepeats(layers, (layer) => (/^(features|server)\//.test(layer) ? 'server' : layer))
  return { order, executed: [...new Set(order)], layers, packages }
}

function withoutRepeats(items, keyOf) {
  return items.map(keyOf).filter((key, index, keys) => key !== keys[index - 1])
}

function layerOf(file) {
  const [, packageName, , first, second] = file.split('/')
  if (packageName !== 'server') return packageName
  if (first === 'features') return `features/${second}`
  return `server/${first.endsWith('.ts') ? '' : first}`
}

function groupBy(items, keyOf) {
  const groups = {}
  for (const item of items) (groups[keyOf(item)] ??= []).push(item)
  return groups
}
