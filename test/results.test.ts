// What a model receives: text and images, no structured content, and instructions that name only available tools.
// Several clients show their model `structuredContent` instead of the text, so none may be sent.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import {
  emptyFolder,
  type Json,
  LEGACY,
  MODERN,
  modernMeta,
  resultData,
  startServer,
  type TestClient,
} from './support/client.js'

const REVISIONS = [...LEGACY, MODERN]
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** A call of each tool that needs no network, and failing ones. */
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ['Bash', { command: 'printf unfinished' }],
  ['Bash', { command: 'echo out; exit 3' }],
  ['Bash', { command: 'true' }],
  ['Bash', {}],
  ['BackgroundBash', { command: 'echo job' }],
  ['ReadBgOutput', { task_id: 1, wait_for_end: true }],
  ['ReadBgOutput', { task_id: 99 }],
  ['ListBgTasks', {}],
  ['KillBgTask', { task_id: 1 }],
  ['ReadImage', { file_path: 'pixel.png' }],
  ['ReadImage', { file_path: 'missing.png' }],
  ['ReadDocs', { url: 'http://127.0.0.1:9/' }],
  ['WebSearch', { query: '' }],
  ['TaskManager', { action: 'create', query: '', text: 'Ship' }],
  ['TaskManager', { action: 'list', query: '' }],
  ['PlanMode', { action: 'enter', goal: 'Ship' }],
  ['PlanMode', { action: 'json' }],
  ['PlanMode', { action: 'reset' }],
  ['AskUserQuestion', { questions_json: '{"questions":[{"text":"Which?","options":["A","B"]}]}' }],
  ['InvokeSkill', { skill_name: 'debug-failing-command' }],
  ['InvokeSkill', { skill_name: 'none' }],
  ['SetCallback', { action: 'list' }],
]

async function open(revision: string, env: NodeJS.ProcessEnv = {}): Promise<TestClient> {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, 'pixel.png'), Buffer.from(PIXEL, 'base64'))
  const client = startServer({ cwd, env })
  if (revision !== MODERN) await client.initialize(revision)
  return client
}

const ask = (client: TestClient, revision: string, method: string, params: object = {}): Promise<Json> =>
  client.request(method, revision === MODERN ? { ...params, ...modernMeta() } : params)

test.concurrent.each(REVISIONS)('no tool declares or sends structured content, at %s', async (revision) => {
  const client = await open(revision)
  const { tools } = (await ask(client, revision, 'tools/list')).result
  expect(tools.filter((tool: Json) => 'outputSchema' in tool).map(({ name }: Json) => name)).toEqual([])
  const wrong: unknown[] = []
  for (const [name, args] of CALLS) {
    const { result, error } = await ask(client, revision, 'tools/call', { name, arguments: args })
    // At 2024-11-05 wrong arguments are a protocol error.
    if (error?.code === -32602) continue
    const types = new Set(result?.content?.map(({ type }: Json) => type))
    const texts = result?.content?.filter(({ type }: Json) => type === 'text') ?? []
    const isFine =
      result?.structuredContent === undefined &&
      [...types].every((type) => type === 'text' || type === 'image') &&
      texts.length > 0 &&
      texts.every(({ text }: Json) => text.endsWith('\n'))
    if (!isFine) wrong.push({ name, args, result, error })
  }
  expect(wrong).toEqual([])
  await client.close()
})

test('data for programs is in _meta, beside the members of the revision', async () => {
  const client = await open(MODERN)
  const called = { name: 'Bash', arguments: { command: 'exit 3' } }
  const { _meta: meta, isError } = (await ask(client, MODERN, 'tools/call', called)).result
  expect([isError, Object.keys(meta).toSorted()]).toEqual([
    true,
    ['io.github.scorpiox/result', 'io.modelcontextprotocol/serverInfo'],
  ])
  await client.initialize('2024-11-05')
  const legacy = (await client.request('tools/call', called)).result
  expect(resultData(legacy)).toMatchObject({ exitCode: 3, timedOut: false })
  await client.close()
})

test.each([
  ['codex-mcp-client', 10_000],
  ['test', 31_000],
])('for %s a long output with its notes has at most %i characters, and its end', async (name, most) => {
  const client = startServer()
  await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name, version: '1' },
  })
  const { result } = await client.request('tools/call', { name: 'Bash', arguments: { command: 'seq 1 100000' } })
  const [{ text }] = result.content
  expect(text).toMatch(/\n99999\n100000\n\[All 588,895 bytes of output are kept: ReadBgOutput\(task_id: 1.*\]\n$/)
  expect(text.length).toBeLessThan(most)
  expect(text.length).toBeGreaterThan(most * 0.7)
  const read = { name: 'ReadBgOutput', arguments: { task_id: 1 } }
  expect((await client.request('tools/call', read)).result.content[0].text.length).toBeLessThan(most)
  await client.close()
})

test.each(REVISIONS)('instructions contain what no single description does, at %s', async (revision) => {
  const client = startServer()
  const answer =
    revision === MODERN ? await ask(client, revision, 'server/discover') : await client.initialize(revision)
  const { instructions } = answer.result
  expect(instructions.length).toBeLessThanOrEqual(1200)
  for (const word of ['cd', 'pattern', 'plan mode', 'callback', 'WebSearch'])
    expect(instructions.toLowerCase()).toContain(word.toLowerCase())
  await client.close()
})

test('instructions name only enabled tools', async () => {
  const names = ['Bash', 'ReadDocs', 'WebSearch', 'TaskManager', 'PlanMode', 'AskUserQuestion', 'InvokeSkill']
  const jobs = ['BackgroundBash', 'ReadBgOutput', 'ListBgTasks', 'KillBgTask', 'SetCallback', 'ReadImage']
  for (const off of [...names, ...jobs]) {
    const client = startServer({ env: { [`TOOL_${off.toUpperCase()}`]: '0' } })
    const { instructions } = (await client.initialize('2025-11-25')).result
    expect(instructions.match(new RegExp(`\\b${off}\\b`)), `${off} in: ${instructions}`).toBeNull()
    await client.close()
  }
})
