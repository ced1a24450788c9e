// What each revision shows of tools, blocks, server info, resources, templates and prompts.

import { describe, expect, test } from 'vitest'

import type { ContentBlock } from '../definitions/tool.js'
import { projectBlock, projectIdentity, projectTool } from './projection.js'
import { projectPrompt, projectResource, projectTemplate } from './resource-projection.js'
import type { Revision } from './revision.js'

const BEFORE_TITLES = ['2024-11-05', '2025-03-26'] as const
const WITH_TITLES = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

/** The value as a client receives it. */
function sent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

describe('tools', () => {
  const schemas = { inputSchema: { type: 'object' }, outputSchema: { type: 'object', title: 'out' } }
  const hints = { readOnly: false, destructive: true, idempotent: true, openWorld: false }
  const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }
  const tool = { name: 't', title: 'T', description: 'D', hints, ...schemas }
  const { inputSchema, outputSchema } = schemas

  test('have name, description and input at 2024-11-05', () => {
    expect(sent(projectTool(tool, '2024-11-05'))).toEqual({ name: 't', description: 'D', inputSchema })
  })

  test('have the title among the annotations at 2025-03-26', () => {
    expect(sent(projectTool(tool, '2025-03-26'))).toEqual({
      name: 't',
      description: 'D',
      inputSchema,
      annotations: { title: 'T', ...annotations },
    })
  })

  test.each(WITH_TITLES)('have everything at %s', (revision) => {
    expect(sent(projectTool(tool, revision))).toEqual({
      name: 't',
      title: 'T',
      description: 'D',
      inputSchema,
      outputSchema,
      annotations,
    })
  })

  test.each(['2025-03-26', ...WITH_TITLES] as const)(
    'have no annotations without title and hints, at %s',
    (revision) => {
      const bare = { name: 't', title: undefined, description: undefined, hints: undefined, outputSchema: undefined }
      expect(sent(projectTool({ ...bare, inputSchema }, revision))).toEqual({ name: 't', inputSchema })
    },
  )

  test('do not repeat the defaults of the protocol', () => {
    const { annotations: shown } = projectTool({ ...tool, hints: { idempotent: false, openWorld: true } }, '2025-11-25')
    expect(shown).toBeUndefined()
  })
})

describe('content blocks', () => {
  const audio: ContentBlock = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }
  const link: ContentBlock = { type: 'resource_link', uri: 'x://a', name: 'a' }

  test('audio is described in text at 2024-11-05 only', () => {
    expect(projectBlock(audio, '2024-11-05')).toEqual({
      type: 'text',
      text: '[audio, audio/wav, 4 base64 characters: not shown at this protocol revision]',
    })
    expect(projectBlock(audio, '2025-03-26')).toBe(audio)
  })

  test.each(BEFORE_TITLES)('a link is text at %s', (revision) => {
    expect(projectBlock(link, revision)).toEqual({ type: 'text', text: 'a: x://a' })
    expect(projectBlock({ ...link, title: 'A', description: 'first' }, revision)).toEqual({
      type: 'text',
      text: 'A: x://a (first)',
    })
  })

  test.each(WITH_TITLES)('a link is a link at %s', (revision) => {
    expect(projectBlock(link, revision)).toBe(link)
  })

  test('text and images are the same everywhere', () => {
    const blocks: ContentBlock[] = [
      { type: 'text', text: 'a' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ]
    expect(blocks.map((block) => projectBlock(block, '2024-11-05'))).toEqual(blocks)
  })
})

/** Whether the title of a value is shown. */
const TITLES: readonly (readonly [Revision, object])[] = [
  ...BEFORE_TITLES.map((revision) => [revision, {}] as const),
  ...WITH_TITLES.map((revision) => [revision, { title: 'T' }] as const),
]

describe.each(TITLES)('at %s', (revision, title) => {
  test('server info', () => {
    expect(projectIdentity({ name: 'n', version: '1', title: 'T' }, revision)).toEqual({
      name: 'n',
      version: '1',
      ...title,
    })
    expect(sent(projectIdentity({ name: 'n', version: '1' }, revision))).toEqual({ name: 'n', version: '1' })
  })

  test('resource', () => {
    const shown = { uri: 'x://a', name: 'a', description: 'D', mimeType: 'text/plain', size: 3 }
    expect(sent(projectResource({ ...shown, title: 'T', read: () => '' }, revision))).toEqual({ ...shown, ...title })
  })

  test('template', () => {
    const shown = { uriTemplate: 'x://{a}', name: 'a', description: 'D', mimeType: 'text/plain' }
    expect(sent(projectTemplate({ ...shown, title: 'T', read: () => '' }, revision))).toEqual({ ...shown, ...title })
  })

  test('prompt', () => {
    const shown = { name: 'p', description: 'D', arguments: [{ name: 'a', description: 'A', required: true }] }
    const prompt = { ...shown, title: 'T', get: () => [] }
    expect(sent(projectPrompt(prompt, revision))).toEqual({ ...shown, ...title })
    expect(sent(projectPrompt({ name: 'p', get: () => [] }, revision))).toEqual({ name: 'p' })
  })
})
