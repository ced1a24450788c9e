// Icons of servers, tools, resources, templates and prompts: who gets them, and which are rejected.

import { afterEach, describe, expect, test } from 'vitest'

import {
  connect,
  definePrompt,
  defineResource,
  defineTemplate,
  defineTool,
  type Icon,
  type RunningHttpServer,
  serveHttp,
  type ServeOptions,
} from '@scorpiox/app/library'
import { LEGACY, MODERN } from '../support/client.js'
import { openSession, requestModern } from './http-call.js'

const icons: readonly Icon[] = [
  { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48', '96x96'], theme: 'light' },
  { src: 'data:image/svg+xml;base64,PHN2Zy8+', sizes: ['any'] },
]
const server: ServeOptions = {
  name: 'tested',
  version: '1',
  icons,
  tools: [defineTool({ name: 'do', icons, run: () => 'done' })],
  resources: [defineResource({ uri: 'x://a', name: 'a', icons, read: () => '' })],
  templates: [defineTemplate({ uriTemplate: 'x://{b}', name: 'b', icons, read: () => '' })],
  prompts: [definePrompt({ name: 'c', icons, get: () => [] })],
}

let serving: RunningHttpServer | undefined
afterEach(() => serving?.close())

test.each([...LEGACY, MODERN] as const)('are sent at %s if it knows them', async (revision) => {
  const client = await connect(server, { revision })
  const expected = revision < '2025-11-25' ? undefined : icons
  const { tools } = await client.request('tools/list')
  const { resources } = await client.request('resources/list')
  const { resourceTemplates } = await client.request('resources/templates/list')
  const { prompts } = await client.request('prompts/list')
  for (const list of [tools, resources, resourceTemplates, prompts]) {
    expect(list).toHaveLength(1)
    expect(list).toMatchObject([expected ? { icons: expected } : {}])
    expect(JSON.stringify(list).includes('icons')).toBe(expected !== undefined)
  }
  await client.close()
})

test('of the server are in the answer to initialize and server/discover, not in every result', async () => {
  serving = await serveHttp(server)
  const { url } = serving
  const info = 'io.modelcontextprotocol/serverInfo'
  const discovered = await requestModern(url, 'server/discover')
  expect(discovered.body.result._meta[info]).toEqual({ name: 'tested', version: '1', icons })
  const called = await requestModern(url, 'tools/call', { name: 'do' })
  expect(called.body.result._meta[info]).toEqual({ name: 'tested', version: '1' })
  expect((await openSession(url, '2025-11-25')).initialized.serverInfo).toEqual({ name: 'tested', version: '1', icons })
  expect((await openSession(url, '2025-06-18')).initialized.serverInfo).toEqual({ name: 'tested', version: '1' })
})

describe('a definition is rejected', () => {
  const src = 'https://example.com/icon.png'
  test.each<[string, object]>([
    ['http', { src: 'http://example.com/icon.png' }],
    ['a script', { src: 'javascript:alert(1)' }],
    ['a path', { src: '/icon.png' }],
    ['a page', { src: 'data:text/html,<p>' }],
    ['no src', {}],
    ['a type that is no image', { src, mimeType: 'text/html' }],
    ['a size without a unit', { src, sizes: ['48'] }],
    ['a size that is no list', { src, sizes: '48x48' }],
    ['another theme', { src, theme: 'blue' }],
  ])('for %s', async (_, icon) => {
    const wrong = [icon] as never
    const tool = defineTool({ name: 'do', icons: wrong, run: () => 'done' })
    await expect(connect({ ...server, tools: [tool] })).rejects.toThrow('tool do has an icon that clients reject')
    await expect(connect({ ...server, icons: wrong })).rejects.toThrow('tested has an icon that clients reject')
  })

  test('also among resources, templates and prompts', async () => {
    const wrong = [{ src: 'file:///icon.png' }]
    for (const more of [
      { resources: [defineResource({ uri: 'x://a', name: 'a', icons: wrong, read: () => '' })] },
      { templates: [defineTemplate({ uriTemplate: 'x://{b}', name: 'b', icons: wrong, read: () => '' })] },
      { prompts: [definePrompt({ name: 'c', icons: wrong, get: () => [] })] },
    ]) {
      await expect(connect({ ...server, ...more })).rejects.toThrow('has an icon that clients reject')
    }
  })
})
