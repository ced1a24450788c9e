// skills/list, skills/get and resources/directory/read; and the methods of tasks.

import { describe, expect, test } from 'vitest'

import type { SkillDefinition } from '../definitions/skill.js'
import { defineTool } from '../definitions/tool.js'
import { Failure } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import { connectMemoryClient, RequestError } from '../memory/memory-client.js'
import { openMemoryTransport } from '../memory/memory-transport.js'
import { createMcpServer } from '../server/mcp-server.js'
import type { Revision } from '../revisions/revision.js'

const fails = (error: Error) => () => {
  throw error
}

function skill(name: string, members: Partial<SkillDefinition> = {}): SkillDefinition {
  return {
    name,
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name },
    files: () => undefined,
    ...members,
  }
}

const files = [
  { path: 'SKILL.md', digest: 'd1', size: 1, mimeType: 'text/markdown' },
  { path: 'docs/a b.md', digest: 'd2', size: 2 },
  { path: 'docs/deep/c.md', digest: 'd3', size: 3 },
]

const skills = [
  skill('full', { files: () => files }),
  skill('dynamic'),
  skill('listed', { files: fails(new Error('not this one')), listFiles: () => [{ path: 'only.md', size: 4 }] }),
  skill('failing', { files: fails(new Failure('Gone.')), listFiles: fails(new Failure('Gone.')) }),
]

async function request(method: string, params: JsonObject = {}, list = skills, revision: Revision = '2025-11-25') {
  const tool = defineTool({ name: 'run', taskSupport: 'sometimes', run: () => '' })
  const server = createMcpServer({ name: 'test', version: '0', tools: [tool], skills: list, pageSize: 2 })
  const client = await connectMemoryClient(openMemoryTransport(server), { revision })
  return client.request(method, params).catch((error: unknown) => {
    if (!(error instanceof RequestError)) throw error
    return { code: error.code, message: error.message, data: error.data }
  })
}

const full = {
  uri: 'skill://full/SKILL.md',
  frontmatter: { name: 'full' },
  resources: [
    { uri: 'skill://full/SKILL.md', digest: 'd1', size: 1 },
    { uri: 'skill://full/docs/a%20b.md', digest: 'd2', size: 2 },
    { uri: 'skill://full/docs/deep/c.md', digest: 'd3', size: 3 },
  ],
}
const dynamic = { uri: 'skill://dynamic/SKILL.md', frontmatter: { name: 'dynamic' }, resources: 'dynamic' }
const cache = { ttlMs: 300_000, cacheScope: 'private' }

describe('skills', () => {
  test('are listed with their files; one that cannot be read is left out', async () => {
    const list = skills.filter(({ name }) => name !== 'listed')
    expect(await request('skills/list', {}, list)).toEqual({ skills: [full, dynamic] })
    expect(await request('skills/list', {}, list, '2026-07-28')).toMatchObject({ skills: [full, dynamic], ...cache })
    expect(await request('skills/list')).toMatchObject({ code: -32603 })
  })

  test('are listed in pages of fifty', async () => {
    const many = Array.from({ length: 51 }, (_, index) => skill(`s${index}`))
    const first = await request('skills/list', {}, many)
    expect(first).toMatchObject({ skills: { length: 50 }, nextCursor: expect.any(String) })
    const { nextCursor: cursor } = { nextCursor: '', ...first }
    expect(Buffer.from(cursor, 'base64url').toString()).toBe('skills\nskill://s50/SKILL.md')
    expect(await request('skills/list', { cursor }, many)).toMatchObject({ skills: [{ frontmatter: { name: 's50' } }] })
  })

  test('are found by their URI', async () => {
    expect(await request('skills/get', { uri: full.uri })).toEqual({ skill: full })
    expect(await request('skills/get', { uri: dynamic.uri }, skills, '2026-07-28')).toMatchObject({
      skill: dynamic,
      ...cache,
    })
    const uri = `skill://${'x'.repeat(600)}`
    expect(await request('skills/get', { uri })).toEqual({
      code: -32602,
      message: `Unknown skill: ${uri.slice(0, 500)}`,
      data: { uri },
    })
    expect(await request('skills/get')).toMatchObject({
      code: -32602,
      message: "Invalid params: 'uri' must be a string",
    })
    expect(await request('skills/get', { uri: 'skill://failing/SKILL.md' })).toMatchObject({
      code: -32603,
      message: 'Gone.',
    })
  })
})

describe('directories of skills', () => {
  const read = (uri: string, params: JsonObject = {}, revision?: Revision) =>
    request('resources/directory/read', { uri, ...params }, skills, revision)

  test('have files and directories', async () => {
    expect(await read('skill://full')).toEqual({
      resources: [
        { uri: 'skill://full/SKILL.md', name: 'SKILL.md', mimeType: 'text/markdown', size: 1 },
        { uri: 'skill://full/docs', name: 'docs', mimeType: 'inode/directory' },
      ],
    })
    expect(await read('skill://full/docs', {}, '2026-07-28')).toMatchObject({
      resources: [
        { uri: 'skill://full/docs/a%20b.md', name: 'a b.md', size: 2 },
        { uri: 'skill://full/docs/deep', name: 'deep', mimeType: 'inode/directory' },
      ],
      ...cache,
    })
    expect(await read('skill://listed')).toEqual({
      resources: [{ uri: 'skill://listed/only.md', name: 'only.md', size: 4 }],
    })
  })

  test.each(['skill://none', 'skill://full/none', 'skill://full/SKILL.md', 'skill://dynamic'])(
    '%s is none',
    async (uri) => {
      expect(await read(uri)).toEqual({ code: -32602, message: `Not a directory: ${uri}`, data: { uri } })
    },
  )

  test('that cannot be read say why', async () => {
    expect(await read('skill://failing')).toMatchObject({ code: -32603, message: 'Gone.' })
    const uri = `skill://${'x'.repeat(600)}`
    expect(await read(uri)).toMatchObject({ message: `Not a directory: ${uri.slice(0, 500)}` })
    expect(await request('resources/directory/read')).toMatchObject({
      message: "Invalid params: 'uri' must be a string",
    })
  })

  test('are read in pages', async () => {
    const many = [skill('many', { files: () => ['a', 'b', 'c'].map((path) => ({ path, digest: path, size: 1 })) })]
    const first = await request('resources/directory/read', { uri: 'skill://many' }, many)
    const { nextCursor: cursor } = { nextCursor: '', ...first }
    expect(Buffer.from(cursor, 'base64url').toString()).toBe('directory skill://many\nskill://many/c')
    expect(await request('resources/directory/read', { uri: 'skill://many', cursor }, many)).toMatchObject({
      resources: [{ name: 'c' }],
    })
  })
})

test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
  '%s needs the extension and its parameters',
  async (method) => {
    expect(await request(method, { taskId: 'x' }, [], '2026-07-28')).toEqual({
      code: -32021,
      message: 'Missing required client capability',
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
    const tool = defineTool({ name: 'run', taskSupport: 'sometimes', run: () => '' })
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const server = createMcpServer({ name: 'test', version: '0', tools: [tool] })
    const client = await connectMemoryClient(openMemoryTransport(server), { revision: '2026-07-28', capabilities })
    await expect(client.request(method, { inputResponses: {} })).rejects.toThrow(
      "Invalid params: 'taskId' must be a string",
    )
    if (method === 'tasks/update') {
      await expect(client.request(method, { taskId: 'x' })).rejects.toThrow(
        "Invalid params: 'inputResponses' must be an object",
      )
    }
  },
)
