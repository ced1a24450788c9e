// Skills as prompts, as resources, and for hosts that support the Skills extension.

import { createHash } from 'node:crypto'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { type Json, modernMeta, type TestClient } from '../support/client.js'
import { newSkillProject } from './support.js'

const EXTENSION = 'io.modelcontextprotocol/skills'

describe('prompts', () => {
  test('are the skills, with one argument', async () => {
    const { put, skill, start } = newSkillProject()
    skill('it', 'Do $ARGUMENTS.')
    put('hinted/SKILL.md', '---\ndescription: Hinted\nargument-hint: "<version>"\n---\nText')
    const client = start()
    const { prompts } = (await client.request('prompts/list')).result
    expect(prompts.map(({ name }: Json) => name)).toEqual([
      'create-skill',
      'debug-failing-command',
      'hinted',
      'it',
      'release-notes',
    ])
    expect(prompts[3]).toEqual({
      name: 'it',
      description: 'Does it',
      arguments: [{ name: 'arguments', description: 'Arguments to pass to the skill', required: false }],
    })
    expect(prompts[2].arguments[0].description).toBe('<version>')
    const { messages } = (await client.request('prompts/get', { name: 'it', arguments: { arguments: '$&' } })).result
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringMatching(/^\[skill: it \|.*\]\nDo \$&\.$/s) } },
    ])
    await client.close()
  })

  test('that are scripts are shown, not run', async () => {
    const { skill, start } = newSkillProject()
    skill('script', '#!/bin/sh\ntouch pwned; echo $ARGUMENTS\n')
    const client = start()
    const { messages } = (await client.request('prompts/get', { name: 'script', arguments: { arguments: 'x; y' } }))
      .result
    expect(messages[0].content.text).toMatch(/\n#!\/bin\/sh\ntouch pwned; echo \$ARGUMENTS\n\nArguments: x; y$/)
    await client.close()
  })

  test('of a deleted skill are a failure that reports it', async () => {
    const { project, skill, start } = newSkillProject()
    skill('it', 'x')
    const client = start()
    await client.request('prompts/list')
    rmSync(join(project, '.claude'), { recursive: true })
    expect((await client.request('prompts/get', { name: 'it' })).error.message).toMatch(
      /There is no skill called it|Unknown prompt: it/,
    )
    await client.close()
  })
})

describe('resources', () => {
  test('are the files of skills, byte for byte', async () => {
    const { put, skill, start } = newSkillProject()
    skill('it', 'Text')
    put('it/templates/ä b.md', '\uFEFF# Template\r\n')
    put('it/pixel.png', Buffer.from([0x89, 0x50, 0, 0xff]))
    const client = start()
    const { resources } = (await client.request('resources/list')).result
    expect(resources).toContainEqual({
      uri: 'skill://it/SKILL.md',
      name: 'it',
      description: 'Does it',
      mimeType: 'text/markdown',
    })
    const { resourceTemplates } = (await client.request('resources/templates/list')).result
    expect(resourceTemplates.map(({ uriTemplate }: Json) => uriTemplate)).toContain('skill://{name}/{+path}')
    const read = async (uri: string): Promise<Json> =>
      (await client.request('resources/read', { uri })).result.contents[0]
    expect(await read('skill://it/SKILL.md')).toMatchObject({
      mimeType: 'text/markdown',
      text: expect.stringMatching(/^---\nname: it\n.*Text$/s),
    })
    expect(await read('skill://it/templates/%C3%A4%20b.md')).toEqual({
      uri: 'skill://it/templates/%C3%A4%20b.md',
      mimeType: 'text/markdown',
      text: '\uFEFF# Template\r\n',
    })
    expect(await read('skill://it/pixel.png')).toEqual({
      uri: 'skill://it/pixel.png',
      mimeType: 'image/png',
      blob: 'iVAA/w==',
    })
    expect(await read('skill://create-skill/SKILL.md')).toMatchObject({
      text: expect.stringContaining('# Create a skill'),
    })
    await client.close()
  })

  test.each([
    'skill://it/../../../secret.txt',
    'skill://it/..%2F..%2F..%2Fsecret.txt',
    'skill://it/%2e%2e/%2e%2e/secret.txt',
    'skill://it/out.txt',
    'skill://it/%00',
    'skill://it//etc/passwd',
    'skill://../project/secret.txt',
    'skill://%2e%2e/SKILL.md',
    'skill://it',
    'skill://it/',
    'skill://none/SKILL.md',
    'skill://create-skill/other.md',
  ])('%s is not a resource', async (uri) => {
    const { project, skill, start } = newSkillProject()
    skill('it', 'Text')
    writeFileSync(join(project, 'secret.txt'), 'secret')
    symlinkSync(join(project, 'secret.txt'), join(project, '.claude/skills/it/out.txt'))
    const client = start()
    expect((await client.request('resources/read', { uri })).error).toMatchObject({ code: -32002 })
    await client.close()
  })

  test('notify subscribers that a skill has changed', async () => {
    const { skill, start } = newSkillProject()
    skill('it', 'Text')
    const client = start()
    await client.initialize('2025-11-25')
    await client.request('resources/list')
    await client.request('resources/subscribe', { uri: 'skill://it/SKILL.md' })
    skill('it', 'Other text')
    const { params } = await client.waitFor(({ method }) => method === 'notifications/resources/updated')
    expect(params).toEqual({ uri: 'skill://it/SKILL.md' })
    await client.close()
  })
})

describe('the Skills extension', () => {
  const ask = (client: TestClient, method: string, params: object = {}): Promise<Json> =>
    client.request(method, { ...modernMeta(), ...params })

  test('lists skills that a host can verify, and only those', async () => {
    const { put, skill, start } = newSkillProject()
    skill('it', 'Text')
    put('it/templates/a.md', 'a')
    put('it/templates/deep/b.md', 'b')
    put('colon/SKILL.md', '---\nname: colon\ndescription: a: b\n---\n')
    put('other-name/SKILL.md', '---\nname: another\ndescription: x\n---\n')
    put('Upper/SKILL.md', '---\nname: Upper\ndescription: x\n---\n')
    const client = start()
    const { result } = await ask(client, 'skills/list')
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: expect.any(Number), cacheScope: 'private' })
    expect(result.skills.map(({ uri }: Json) => uri)).toEqual(
      ['create-skill', 'debug-failing-command', 'it', 'release-notes'].map((name) => `skill://${name}/SKILL.md`),
    )
    const entry = result.skills[2]
    expect(entry.frontmatter).toEqual({ name: 'it', description: 'Does it' })
    expect(entry.resources.map(({ uri }: Json) => uri)).toEqual([
      'skill://it/SKILL.md',
      'skill://it/templates/a.md',
      'skill://it/templates/deep/b.md',
    ])
    for (const skillEntry of result.skills) {
      for (const { uri, digest, size } of skillEntry.resources) {
        const [{ text }] = (await ask(client, 'resources/read', { uri })).result.contents
        expect([uri, digest, size]).toEqual([
          uri,
          `sha256:${createHash('sha256').update(text).digest('hex')}`,
          Buffer.byteLength(text),
        ])
      }
    }
    expect((await ask(client, 'skills/get', { uri: 'skill://it/SKILL.md' })).result.skill).toEqual(entry)
    await client.close()
  })

  test('reads folders', async () => {
    const { put, skill, start } = newSkillProject()
    skill('it', 'Text')
    put('it/templates/a b.md', 'a')
    put('it/templates/deep/b.md', 'b')
    const client = start()
    const children = async (uri: string): Promise<Json> =>
      (await ask(client, 'resources/directory/read', { uri })).result.resources
    expect(await children('skill://it')).toEqual([
      { uri: 'skill://it/SKILL.md', name: 'SKILL.md', mimeType: 'text/markdown', size: expect.any(Number) },
      { uri: 'skill://it/templates', name: 'templates', mimeType: 'inode/directory' },
    ])
    expect(await children('skill://it/templates')).toEqual([
      { uri: 'skill://it/templates/a%20b.md', name: 'a b.md', mimeType: 'text/markdown', size: 1 },
      { uri: 'skill://it/templates/deep', name: 'deep', mimeType: 'inode/directory' },
    ])
    await client.close()
  })

  test('reads the folders also of an unverified skill', async () => {
    const { put, skill, start } = newSkillProject()
    skill('it', 'Text')
    put('it/model.bin', Buffer.alloc(1024 * 1024 + 1))
    const client = start()
    const { result } = await ask(client, 'skills/get', { uri: 'skill://it/SKILL.md' })
    expect(result.skill.resources).toBe('dynamic')
    const { resources } = (await ask(client, 'resources/directory/read', { uri: 'skill://it' })).result
    expect(resources.map(({ name }: Json) => name)).toEqual(['SKILL.md', 'model.bin'])
    const [built] = (await ask(client, 'resources/directory/read', { uri: 'skill://release-notes' })).result.resources
    expect(built.size).toBeGreaterThan(1000)
    await client.close()
  })

  test.each([
    ['skills/get', 'skill://none/SKILL.md'],
    ['skills/get', 'skill://it'],
    ['skills/get', 7],
    ['resources/directory/read', 'skill://it/SKILL.md'],
    ['resources/directory/read', 'skill://it/none'],
    ['resources/directory/read', 'skill://it/'],
    ['resources/directory/read', 'skill://it/..'],
    ['resources/directory/read', 'skill://none'],
    ['resources/directory/read', '%'],
    ['resources/directory/read', undefined],
  ])('%s of %s is refused', async (method, uri) => {
    const { skill, start } = newSkillProject()
    skill('it', 'Text')
    const client = start()
    expect((await ask(client, method, { uri })).error).toMatchObject({ code: -32602 })
    await client.close()
  })

  test('is paginated', async () => {
    const { skill, start } = newSkillProject()
    for (let number = 100; number < 220; number++) skill(`s-${number}`, 'x')
    const client = start()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { result } = await ask(client, 'skills/list', cursor === undefined ? {} : { cursor })
      expect(result.skills.length).toBeLessThanOrEqual(50)
      seen.push(...result.skills.map(({ uri }: Json) => uri))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    expect([...new Set(seen)]).toHaveLength(123)
    expect(seen).toHaveLength(123)
    await client.close()
  })

  test('is declared to legacy clients that support extensions, and to no other', async () => {
    const { start } = newSkillProject()
    const client = start()
    expect((await client.initialize('2025-06-18')).result.capabilities).not.toHaveProperty('extensions')
    expect((await client.initialize('2025-06-18', { extensions: {} })).result.capabilities.extensions).toEqual({
      [EXTENSION]: { directoryRead: true },
    })
    const { result } = await client.request('skills/list')
    expect(result.skills).toHaveLength(3)
    expect(result).not.toHaveProperty('ttlMs')
    await client.close()
  })
})
