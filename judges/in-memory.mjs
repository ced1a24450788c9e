// Judge: the client packages of each period over the library's linked transport, with no process in between: tools,
// progress, sampling, cancelling and the end. LIBRARY_MODULE selects another build.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { textOf } from './shared/checks.mjs'
import { openReport } from './shared/report.mjs'
import { periodClients } from './shared/session.mjs'

const here = import.meta.dirname
const root = resolve(here, '..')
const built = resolve(process.env.LIBRARY_MODULE ?? join(root, 'dist/library.mjs'))
const { defineTool, createMemoryTransport, defineToolWith } = await import(pathToFileURL(built))

const word = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }

const report = openReport('in-memory')
for (const period of periodClients) await judge(period)
await report.check(
  'types',
  async () => checkTypes(),
  () => [],
)
report.finish()

async function judge(period) {
  const { label, revision, mode } = period
  const fates = []
  const { Client, onSampling } = await load(period)
  const client = new Client(
    { name: 'judge', version: '1.0.0' },
    { capabilities: { sampling: {} }, ...(mode && { versionNegotiation: { mode } }) },
  )
  onSampling(client, ({ params }) => ({
    role: 'assistant',
    model: 'judge',
    content: { type: 'text', text: `${params.messages[0].content.text}!` },
  }))
  const call = (name, args, options) =>
    period.from
      ? client.callTool({ name, arguments: args }, undefined, options)
      : client.callTool({ name, arguments: args }, options)
  const checks = [
    ['connects', async () => client.connect(await createMemoryTransport(serverFor(fates)))],
    ['names the server', () => assert.equal(client.getServerVersion().name, 'linked')],
    [
      'lists',
      async () =>
        assert.deepEqual(
          (await client.listTools()).tools.map(({ name }) => name),
          ['say', 'count', 'ask', 'wait'],
        ),
    ],
    ['calls', async () => assert.equal(textOf(await call('say', { word: 'hi' })), 'hi')],
    ['refuses', () => refuses(call('say', {}), revision)],
    ['receives progress', () => receivesProgress(call)],
    ['lends its model', async () => assert.equal(textOf(await call('ask', { word: 'hi' })), 'hi!')],
    ['cancels', () => cancels(call, fates)],
    ['closes', () => closes(client, fates)],
  ]
  for (const [what, check] of checks) {
    await report.check(
      `${label} | ${String(what)}`,
      async () => check(),
      () => [],
    )
  }
}

function serverFor(fates) {
  const over = defineToolWith()
  return {
    name: 'linked',
    version: '1.0.0',
    services: { diary: () => ({ write: (line) => fates.push(line), close: () => fates.push('closed') }) },
    tools: [
      defineTool({ name: 'say', input: word, run: ({ word: text }) => text }),
      defineTool({
        name: 'count',
        async run(_input, { progress }) {
          for (const step of [1, 2, 3]) progress(step, { total: 3 })
          return 'counted'
        },
      }),
      defineTool({
        name: 'ask',
        input: word,
        async run({ word: content }, { ask }) {
          const { sampled } = await ask({
            sampled: { kind: 'sample', messages: [{ role: 'user', content }], maxTokens: 9 },
          })
          return sampled.text
        },
      }),
      over({
        name: 'wait',
        services: ['diary'],
        run: (_input, { signal }, { diary }) =>
          new Promise((settle) => {
            diary.write('waits')
            signal.addEventListener('abort', () => {
              diary.write('stopped')
              settle('stopped')
            })
          }),
      }),
    ],
  }
}

async function refuses(called, revision) {
  if (revision === '2024-11-05') await assert.rejects(called, ({ code }) => code === -32602)
  else assert.ok((await called).isError)
}

async function receivesProgress(call) {
  const received = []
  await call('count', {}, { onprogress: ({ progress }) => received.push(progress) })
  assert.deepEqual(received, [1, 2, 3])
}

async function cancels(call, fates) {
  const controller = new AbortController()
  const called = call('wait', {}, { signal: controller.signal })
  while (!fates.includes('waits')) await new Promise(setImmediate)
  controller.abort()
  await assert.rejects(called)
  while (!fates.includes('stopped')) await new Promise(setImmediate)
}

async function closes(client, fates) {
  let isClosed = false
  client.onclose = () => (isClosed = true)
  await client.close()
  assert.ok(isClosed)
  assert.equal(fates.at(-1), 'closed')
}

/** The types of the packages must accept the transport, and a zod schema must type its tool. */
function checkTypes() {
  const folder = mkdtempSync(join(tmpdir(), 'judge-'))
  try {
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
    const theirs = ['@modelcontextprotocol', 'sdk-1.12.3', 'sdk-1.24.3', 'zod'].map((name) => [
      name,
      join(here, 'node_modules', name),
    ])
    const ours = [
      ['scorpiox-code', root],
      ['@types/node', join(root, 'node_modules/@types/node')],
    ]
    for (const [name, target] of [...theirs, ...ours]) symlinkSync(target, join(folder, 'node_modules', name), 'dir')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    copyFileSync(join(here, 'in-memory/types.ts'), join(folder, 'types.ts'))
    const options =
      '--module nodenext --target es2023 --strict --exactOptionalPropertyTypes --skipLibCheck --noEmit --types node'
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...options.split(' '), 'types.ts'], {
      cwd: folder,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The packages differ in how a handler is registered for a method. */
async function load({ from }) {
  if (!from) {
    const { Client } = await import('@modelcontextprotocol/client')
    return { Client, onSampling: (client, handler) => client.setRequestHandler('sampling/createMessage', handler) }
  }
  const { Client } = await import(`${from}/client/index.js`)
  const { CreateMessageRequestSchema } = await import(`${from}/types.js`)
  return { Client, onSampling: (client, handler) => client.setRequestHandler(CreateMessageRequestSchema, handler) }
}
