import fc from 'fast-check'
import { expect, test } from 'vitest'

import { parseEnvFile } from './env-file.js'

test('parses the published example, including comments after values', () => {
  const text = `# scorpiox-env.txt — MCP-related settings

TOOLS=true                  # Enable MCP tool serving (default: true)
STREAMING=true              # Stream tool results as they arrive
MODEL=sonnet                # AI model for tool-use conversations
`
  expect(parseEnvFile(text)).toEqual({
    entries: [
      { key: 'TOOLS', value: 'true', line: 3 },
      { key: 'STREAMING', value: 'true', line: 4 },
      { key: 'MODEL', value: 'sonnet', line: 5 },
    ],
    problems: [],
  })
})

test.each([
  ['A=1', 'A', '1'],
  ['  A =  1  ', 'A', '1'],
  ['A=', 'A', ''],
  ['A= # all comment', 'A', ''],
  ['A=b=c', 'A', 'b=c'],
  ['A=a#b', 'A', 'a#b'],
  ['A="quoted"', 'A', '"quoted"'],
  ['\uFEFFA=1\r', 'A', '1'],
])('%j', (line, key, value) => {
  expect(parseEnvFile(line)).toEqual({ entries: [{ key, value, line: 1 }], problems: [] })
})

test.each([
  ['no equals sign', 'hello', 'expected KEY=VALUE'],
  ['no key', '=1', 'expected KEY=VALUE'],
  ['a long key', `${'K'.repeat(65)}=1`, 'longer than 64'],
  ['a long value', `K=${'v'.repeat(513)}`, 'longer than 512'],
])('%s is reported with its line', (_, line, about) => {
  expect(parseEnvFile(`A=1\n${line}\nB=2`)).toEqual({
    entries: [
      { key: 'A', value: '1', line: 1 },
      { key: 'B', value: '2', line: 3 },
    ],
    problems: [{ line: 2, about: expect.stringContaining(about) }],
  })
})

test('every line of any text is an entry, a problem or ignored', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const { entries, problems } = parseEnvFile(text)
      const lines = [...entries, ...problems].map(({ line }) => line)
      expect([...new Set(lines)]).toEqual(lines)
      for (const { key, value } of entries) expect(`${key}${value}`).not.toContain('\n')
    }),
  )
})
