import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { ContentBlock, ToolOutput } from '../definitions/tool.js'
import type { ClientProfile } from '../revisions/client-profile.js'
import { formatToolResult, type ToolResultOptions } from './tool-result.js'

const client: ClientProfile = {
  revision: '2026-07-28',
  name: '',
  version: '',
  capabilities: {},
  logLevel: undefined,
  toolCallFormat: undefined,
}

function blocksOf(output: ToolOutput, options: ToolResultOptions): readonly ContentBlock[] {
  return JSON.parse(`{${formatToolResult(output, client, options)}}`).content
}

test('structured content and embedded text are well-formed', () => {
  const blocks: ToolOutput = [{ type: 'resource', resource: { uri: 'x', text: 'half \ud800' } }]
  expect(formatToolResult(blocks, client, { structured: { text: '\udfff' } })).not.toContain('\\ud')
})

const text = fc.string({ unit: 'binary' })
const outputs: fc.Arbitrary<ToolOutput> = fc.oneof(
  text,
  fc.array(text.map((each) => ({ type: 'text' as const, text: each }))),
  fc.record({ content: text, isError: fc.boolean() }),
)

test('adds a newline to each non-empty text block on request, and changes nothing else', () => {
  fc.assert(
    fc.property(outputs, fc.option(text, { nil: undefined }), (output, pendingText) => {
      const plain = blocksOf(output, { pendingText })
      const ended = plain.map((block) =>
        block.type !== 'text' || block.text === '' || block.text.endsWith('\n')
          ? block
          : { ...block, text: `${block.text}\n` },
      )
      expect(blocksOf(output, { pendingText, newlineAfterText: true })).toEqual(ended)
    }),
  )
})

test('pending text is a separate block followed by an empty line', () => {
  expect(blocksOf('output', { pendingText: 'RING', newlineAfterText: true })).toEqual([
    { type: 'text', text: 'RING\n\n' },
    { type: 'text', text: 'output\n' },
  ])
})
