// Skills found by URI, also nested ones; and lists that are refreshed before they are read.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { eventually } from '../../../../test/support/eventually.js'
import { createChangeEvents } from '../definitions/change-events.js'
import { defineSkill, type SkillDefinition } from '../definitions/skill.js'
import { Failure } from '../errors.js'
import { connectMemoryClient, type MemoryClient } from '../memory/memory-client.js'
import { openMemoryTransport } from '../memory/memory-transport.js'
import { createMcpServer } from '../server/mcp-server.js'
import { createSkillRegistry, skillFileUri } from './skill-registry.js'

function skill(name: string, prefix = ''): SkillDefinition {
  const uri = `skill://${prefix}${name}/SKILL.md`
  return defineSkill({ name, uri, frontmatter: { name, description: 'x' }, files: () => [] })
}

describe('the skill registry', () => {
  test('finds the innermost skill that contains a directory', () => {
    const [outer, inner] = [skill('outer'), skill('inner', 'outer/skills/')]
    const registry = createSkillRegistry([outer, inner])
    expect(registry.findFolder('skill://outer')).toEqual({ skill: outer, path: '' })
    expect(registry.findFolder('skill://outer/skills')).toEqual({ skill: outer, path: 'skills' })
    expect(registry.findFolder('skill://outer/skills/inner')).toEqual({ skill: inner, path: '' })
    expect(registry.findFolder('skill://outer/skills/inner/a%20b/c')).toEqual({ skill: inner, path: 'a b/c' })
    expect(registry.findFolder('skill://other/outer')).toBeUndefined()
    expect(registry.findFolder('skill://outer/%')).toBeUndefined()
  })

  test('returns the path that a URI was made of', () => {
    const one = skill('one')
    const registry = createSkillRegistry([one])
    const part = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => !text.includes('/') && text.isWellFormed())
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const path = parts.join('/')
        expect(registry.findFolder(skillFileUri(one, path))).toEqual({ skill: one, path })
      }),
    )
    fc.assert(fc.property(fc.string(), (uri) => void registry.findFolder(uri)))
  })

  test.each([
    ['an address that does not say the name', { ...skill('one'), uri: 'skill://two/SKILL.md' }],
    ['frontmatter that says another name', { ...skill('one'), frontmatter: { name: 'two' } }],
  ])('rejects %s', (_, wrong) => {
    expect(() => createSkillRegistry([wrong])).toThrow('skill one must')
  })

  test('rejects two skills with one URI', () => {
    expect(() => createSkillRegistry([skill('one'), skill('one')])).toThrow('registered twice')
  })
})

test('a skill that was just removed does not break the list', async () => {
  const gone = {
    ...skill('gone'),
    files: () => {
      throw new Failure('gone is gone')
    },
  }
  const client = await connectMemoryClient(
    openMemoryTransport(createMcpServer({ name: 'x', version: '1', tools: [], skills: [gone, skill('here')] })),
  )
  expect(await client.request('skills/list', {})).toMatchObject({ skills: [{ uri: 'skill://here/SKILL.md' }] })
  await expect(client.request('skills/get', { uri: gone.uri })).rejects.toThrow('gone is gone')
})

describe('lists that are refreshed', () => {
  const prompt = (name: string) => ({ name, description: name, get: () => [] })

  function served(prepare: () => Promise<void> | undefined) {
    const names: string[] = []
    const changeEvents = createChangeEvents()
    const server = createMcpServer({
      name: 'x',
      version: '1',
      tools: [],
      changeEvents,
      prompts: () => names.map(prompt),
      refreshLists: () => prepare(),
    })
    let client: Promise<MemoryClient> | undefined
    const listed = async (): Promise<unknown> =>
      (await (client ??= connectMemoryClient(openMemoryTransport(server)))).request('prompts/list')
    return { names, changeEvents, server, listed }
  }

  test('are read after the first refresh, synchronous or not', async () => {
    for (const wait of [undefined, Promise.resolve()]) {
      const { names, server, listed } = served(() => {
        if (names.length === 0) names.push('a')
        return wait
      })
      expect(server.resourceRegistry.hasPrompts).toBe(false)
      expect(await listed()).toMatchObject({ prompts: [{ name: 'a' }] })
      names.push('b')
      expect(await listed()).toMatchObject({ prompts: [{ name: 'a' }] })
      server.changeEvents.notifyListChanged('prompts')
      expect(await listed()).toMatchObject({ prompts: [{ name: 'a' }, { name: 'b' }] })
    }
  })

  test('are refreshed soon after initialize, and errors are logged', async () => {
    const errors: unknown[] = []
    let count = 0
    const server = createMcpServer({
      name: 'x',
      version: '1',
      tools: [],
      logError: (error) => errors.push(error),
      refreshLists: () => {
        count++
        throw new Error('not today')
      },
    })
    server.scheduleRefresh()
    expect(count).toBe(0)
    await eventually(() => errors.length > 0)
    expect(count).toBe(1)
    expect(errors).toMatchObject([{ message: 'not today' }])
  })
})
