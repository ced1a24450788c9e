import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { Block, Words } from '../tools/tool.js'
import type { Client } from './client.js'
import { contentMembers, type ContentOptions } from './content.js'

const client: Client = { revision: '2026-07-28', name: '', capabilities: {}, logLevel: undefined, dialect: undefined }

function blocksOf(output: Words, options: ContentOptions): readonly Block[] {
  return JSON.parse(`{${contentMembers(output, client, options)}}`).content
}

test('structured content and embedded text are well-formed', () => {
  const blocks: Words = [{ type: 'resource', resource: { uri: 'x', text: 'half \ud800' } }]
  expect(contentMembers(blocks, client, { structured: { text: '\udfff' } })).not.toContain('\\ud')
})

const text = fc.string({ unit: 'binary' })
const outputs: fc.Arbitrary<Words> = fc.oneof(
  text,
  fc.array(text.map((each) => ({ type: 'text' as const, text: each }))),
  fc.record({ content: text, isError: fc.boolean() }),
)

test('adds a newline to each non-empty text block on request, and changes nothing else', () => {
  fc.assert(
    fc.property(outputs, fc.option(text, { nil: undefined }), (output, front) => {
      const plain = blocksOf(output, { front })
      const ended = plain.map((block) =>
        block.type !== 'text' || block.text === '' || block.text.endsWith('\n')
          ? block
          : { ...block, text: `${block.text}\n` },
      )
      expect(blocksOf(output, { front, newline: true })).toEqual(ended)
    }),
  )
})

test('pending text is a separate block followed by an empty line', () => {
  expect(blocksOf('output', { front: 'RING', newline: true })).toEqual([
    { type: 'text', text: 'RING\n\n' },
    { type: 'text', text: 'output\n' },
  ])
})
