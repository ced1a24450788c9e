import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

import { parseFrontmatter } from './frontmatter.js'
import { decodeManifest, splitManifest } from './skill-files.js'

test('no text makes it throw, and the result is serializable', () => {
  const pieces = fc.constantFrom(
    'description: ',
    'name: ',
    ': ',
    '\n',
    '  ',
    '- ',
    '"',
    "'",
    '|',
    '>',
    '[',
    '{',
    '&a ',
    '*a',
    '#',
    '\t',
    '!!x ',
    '---',
    'a',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.oneof(pieces, fc.string())).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (given) => {
      const { fields } = parseFrontmatter(given)
      expect(JSON.parse(JSON.stringify(fields))).toEqual(fields)
    }),
    { numRuns: 500 },
  )
})

test('a description on one line is never lost, whatever it contains', () => {
  const sentence = fc
    .string({ minLength: 1 })
    .map((text) => `It ${text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()}`.trim())
    // The rest is a YAML comment.
    .filter((text) => !text.includes(' #'))
  fc.assert(
    fc.property(sentence, (description) => {
      expect(parseFrontmatter(`name: it\ndescription: ${description}\n`).fields.description).toBe(description)
    }),
    { numRuns: 500 },
  )
})

test('plain fields are read as YAML reads them', () => {
  const word = fc.oneof(
    fc.constantFrom('true', 'False', 'NULL', 'null', 'yes', 'no', 'on', 'inf', 'NaN', "it's", '"x"', '-', '--', '---'),
    fc.constantFrom('a', 'Reads', 'files,', 'e5', '1e5', '0x1f', '1.5', '2026-01-01', '(b)', 'a/b', '–', 'c++', '...'),
  )
  const value = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
  const key = fc.constantFrom('name', 'description', 'argument-hint', 'x_1', 'yes', 'null', 'constructor')
  const field = fc.tuple(key, value).map((parts) => parts.join(': '))
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 3 }), (lines) => {
      const { fields, problem } = parseFrontmatter(lines.join('\n'))
      if (problem === undefined) expect(fields).toEqual(parse(lines.join('\n'), { logLevel: 'silent' }))
    }),
    { numRuns: 500 },
  )
})

test('valid YAML is returned unchanged and without a problem', () => {
  const text = 'name: it\ndescription: "a: b"\nmetadata:\n  version: "1.0"\n  tags: [a, b]\nnumber: 1.5\nnothing:\n'
  expect(parseFrontmatter(text)).toEqual({
    fields: {
      name: 'it',
      description: 'a: b',
      metadata: { version: '1.0', tags: ['a', 'b'] },
      number: 1.5,
      nothing: null,
    },
  })
})

test('only invalid lines are repaired', () => {
  const { fields, problem } = parseFrontmatter(
    'title: a: b\ndescription: "say \\"hi\\" \\u00e9"\nmetadata:\n  version: 2\n',
  )
  expect(fields).toEqual({ title: 'a: b', description: 'say "hi" é', metadata: { version: 2 } })
  expect(problem).toBeDefined()
})

test('any bytes can be split', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const { text } = decodeManifest(bytes)
      expect(typeof splitManifest(text).body).toBe('string')
    }),
  )
})

test('the body has no leading blank lines', () => {
  expect(splitManifest('---\na: b\n---\n\n  \n\n  x\n---\ny\n')).toEqual({ frontmatter: 'a: b', body: '  x\n---\ny\n' })
  expect(splitManifest('x\n---\n')).toEqual({ frontmatter: undefined, body: 'x\n---\n' })
})

test('the description is found among thousands of invalid lines', () => {
  const { fields, problem } = parseFrontmatter(`${'a: b: c\n'.repeat(1900)}description: one: two`)
  expect(fields.description).toBe('one: two')
  expect(problem).toBeDefined()
})
