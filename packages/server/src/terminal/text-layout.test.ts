import fc from 'fast-check'
import { expect, test } from 'vitest'

import { formatDefinitions, wrapText } from './text-layout.js'

test.each([
  ['a bullet', '✓ tools: Bash and ReadImage', '✓ tools: Bash\n  and\n  ReadImage'],
  ['an indentation', '  → Serve HTTPS always', '  → Serve\n    HTTPS\n    always'],
  ['a word that is too long', 'see https://example.com/a/b now', 'see\nhttps://example.com/a/b\nnow'],
  ['characters of two columns', '설정 파일을 찾을 수 없음', '설정 파일을\n찾을 수 없음'],
])('%s', (_, text, wrapped) => {
  expect(wrapText(text, 13)).toBe(wrapped)
})

test('text is not wrapped if the output is not a terminal', () => {
  const text = `${'word '.repeat(100)}\n`
  expect(wrapText(text, undefined)).toBe(text)
})

test('no word is lost or broken at any width', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 1, max: 40 }), (words, columns) => {
      const lines = wrapText(words.join(' '), columns).split('\n')
      expect(lines.join(' ')).toBe(words.join(' '))
      expect(lines.filter((line) => line.length > columns && line.includes(' '))).toEqual([])
    }),
  )
})

test('meanings are aligned in a column, or placed below their terms on a narrow terminal', () => {
  const rows = [['-y, --yes', 'do it without asking for a confirmation'] as const, ['--json', 'print JSON'] as const]
  expect(formatDefinitions(rows, 40)).toBe(
    '  -y, --yes  do it without asking for a\n             confirmation\n  --json     print JSON\n',
  )
  expect(formatDefinitions(rows, 30)).toBe(
    '  -y, --yes\n      do it without asking for\n      a confirmation\n  --json\n      print JSON\n',
  )
})
