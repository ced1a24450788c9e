import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { ContentBlock, ToolOutput } from '@scorpiox/mcp/definitions/tool'
import { formatToolResult } from '@scorpiox/mcp/methods/tool-result'
import type { ClientProfile } from '@scorpiox/mcp/revisions/client-profile'
import { ARMORIQ_FORMAT } from './armoriq.js'

const armoriq: ClientProfile = {
  revision: '2024-11-05',
  name: '',
  version: '',
  capabilities: {},
  logLevel: undefined,
  toolCallFormat: ARMORIQ_FORMAT,
}

function textsOf(output: ToolOutput): string[] {
  const { content } = JSON.parse(`{${formatToolResult(output, armoriq, {})}}`)
  expect(content.filter((item: ContentBlock) => item.type !== 'text')).toEqual([])
  return content.map((item: { text: string }) => item.text)
}

const units = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes))
const text = fc.oneof(
  fc.string(),
  units,
  fc.json(),
  fc.json().map((json) => `${json} `),
  fc.json().map((json) => `\ufeff${json}`),
  fc.json().map((json) => json.slice(0, -1)),
  fc.json().map((json) => `[${json}`),
)
const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  text.map((content) => ({ type: 'text' as const, text: content })),
  fc.record({ type: fc.constantFrom('image' as const, 'audio' as const), data: fc.base64String(), mimeType: text }),
  fc.record({ type: fc.constant('resource' as const), resource: fc.record({ uri: text, text }) }),
  fc.record({ type: fc.constant('resource' as const), resource: fc.record({ uri: text, blob: fc.base64String() }) }),
  fc.record({ type: fc.constant('resource_link' as const), uri: text, name: text }),
)
const content = fc.oneof(text, fc.array(block))
const outputs = fc.oneof(content, fc.record({ content, isError: fc.boolean() }))

test('every text is valid JSON, whatever a tool returns', () => {
  fc.assert(
    fc.property(outputs, (results) => {
      for (const item of textsOf(results)) {
        expect(typeof JSON.parse(item)).toBe('object')
        expect(JSON.parse(item)).not.toBeNull()
        expect(item.isWellFormed()).toBe(true)
      }
    }),
    { numRuns: 3000 },
  )
})

test.each([
  ['plain', '{"result":"plain"}'],
  ['{"a":1}', '{"a":1}'],
  [' [1] ', ' [1] '],
  ['{"a":1', '{"result":"{\\"a\\":1"}'],
  ['5', '{"result":"5"}'],
  ['null', '{"result":"null"}'],
  ['', '{"result":""}'],
])('%j becomes %j', (output, json) => {
  expect(textsOf(output)).toEqual([json])
  expect(textsOf({ content: output, isError: true })).toEqual([JSON.stringify({ error: output })])
})
