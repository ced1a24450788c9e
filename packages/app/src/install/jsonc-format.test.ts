// Adding an entry to JSON text and removing it restores the text exactly, for any text.

import fc from 'fast-check'
import { parse, visit } from 'jsonc-parser'
import { expect, test } from 'vitest'

import { JSONC_FORMAT } from './jsonc-format.js'

const ENTRY = { command: '/home/ann/.scorpiox/scorpiox-code', args: [] }
const WINDOWS = { type: 'stdio', command: 'C:\\Users\\Ann\\.scorpiox\\scorpiox-code.exe', args: [] }

function added(text: string): string {
  return JSONC_FORMAT.add(text, 'mcpServers', ENTRY).text
}

function thereAndBack(text: string, entry: typeof ENTRY = ENTRY): string {
  const { text: connected, insertion } = JSONC_FORMAT.add(text, 'mcpServers', entry)
  expect(JSONC_FORMAT.read(connected, 'mcpServers')).toEqual({ kind: 'present', entry })
  return JSONC_FORMAT.remove(connected, 'mcpServers', insertion)
}

const gap = (more: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...more), { maxLength: 3 }).map((parts) => parts.join(''))
const WHITE = [' ', '\t', '\n', '\r\n', '\n    ']
const COMMENTED = [...WHITE, '/* a, "b": { */', '/**/', '// it\'s "so": {\n', '// }\r\n', '/* two\nlines */ ']

/** Values in the formatting of editors, programs and users. */
function texts(space: fc.Arbitrary<string>, comma: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const key = fc.oneof(fc.constantFrom('mcpServer', 'a', 'env', '__proto__', '', 'é"\\'), fc.string({ maxLength: 6 }))
  return fc.letrec<{ value: string; object: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.json({ maxDepth: 0 }),
      tie('object'),
      fc
        .tuple(space, fc.array(fc.tuple(tie('value'), space), { maxLength: 3 }), comma)
        .map(([head, items, end]) =>
          items.length === 0 ? `[${head}]` : `[${head}${items.map(([item, after]) => item + after).join(',')}${end}]`,
        ),
    ),
    object: objectOf(fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 3, selector: ([name]) => name })),
  })).object

  function objectOf(members: fc.Arbitrary<readonly [string, string][]>): fc.Arbitrary<string> {
    return fc.tuple(members, fc.array(space, { minLength: 20, maxLength: 20 }), comma).map(([list, spaces, end]) => {
      const written = list.map(
        ([name, value], index) =>
          `${spaces[4 * index + 1]}${JSON.stringify(name)}${spaces[4 * index + 2]}:${spaces[4 * index + 3]}${value}${spaces[4 * index + 4]}`,
      )
      return `{${spaces[0]}${written.join(',')}${list.length > 0 ? end : ''}${spaces[19]}}`
    })
  }
}

const strict = texts(gap(WHITE), fc.constant(''))
const lenient = texts(gap(COMMENTED), fc.constantFrom('', ',', ', // the last\n', ' /* c */ ,\n'))

/** With other servers, or with an empty container. */
const configurations = fc.oneof(strict, lenient).chain((root) =>
  fc
    .tuple(fc.constant(root), fc.boolean(), fc.oneof(strict, lenient), gap(COMMENTED))
    .map(([text, has, servers, space]) => {
      if (!has) return text
      const isEmpty = Object.keys(parse(text) as object).length === 0
      return text.replace('{', () => `{${space}"mcpServers":${servers}${isEmpty ? '' : ','}`)
    }),
)

/** Found by the parser, because a string may look like a comment. */
function commentsIn(text: string): readonly string[] {
  const comments: string[] = []
  visit(text, { onComment: (offset, length) => comments.push(text.slice(offset, offset + length)) })
  return comments
}

test('removing restores the text exactly, and adding keeps every comment', () => {
  fc.assert(
    fc.property(configurations, (text) => {
      fc.pre(JSONC_FORMAT.read(text, 'mcpServers').kind === 'absent')
      const connected = added(text)
      for (const comment of commentsIn(text)) expect(connected).toContain(comment)
      expect(thereAndBack(text)).toBe(text)
    }),
    { numRuns: 800 },
  )
})

test('strict JSON stays strict JSON and differs only in our entry', () => {
  fc.assert(
    fc.property(strict, (text) => {
      const before = JSON.parse(text) as Record<string, object>
      const after = JSON.parse(added(text)) as Record<string, object>
      expect(after).toEqual({ ...before, mcpServers: { ...before.mcpServers, scorpiox: ENTRY } })
    }),
    { numRuns: 200 },
  )
})

test('without a trace, exactly our entry is removed', () => {
  fc.assert(
    fc.property(configurations, (text) => {
      fc.pre(JSONC_FORMAT.read(text, 'mcpServers').kind === 'absent')
      const left = JSONC_FORMAT.remove(added(text), 'mcpServers', undefined)
      const { mcpServers: was = {}, ...before } = parse(text) as Record<string, unknown>
      expect(parse(left)).toEqual({ ...before, mcpServers: was })
    }),
    { numRuns: 300 },
  )
})

test('a truncated text is reported as broken with a position', () => {
  const text = '{\n  // mine\n  "mcpServers": {"a": {"command": "x", "args": ["\\u00e9", 1.5e3, true]},},\n}'
  for (let length = 1; length < text.length; length++) {
    const reading = JSONC_FORMAT.read(text.slice(0, length), 'mcpServers')
    expect(reading.kind, text.slice(0, length)).toBe('broken')
    if (reading.kind === 'broken') expect(reading.line).toBeGreaterThan(0)
  }
  expect(JSONC_FORMAT.read(text, 'mcpServers')).toEqual({ kind: 'absent' })
})

test.each([
  ['an array', '[]', 'it is an array, not an object'],
  ['a string', '"x"', 'it is a string, not an object'],
  ['null', 'null', 'it is null, not an object'],
  ['no servers but null', '{"mcpServers": null}', 'its "mcpServers" is null, not an object'],
  ['servers in an array', '{"mcpServers": []}', 'its "mcpServers" is an array, not an object'],
  ['servers in a string', '{"mcpServers": "a"}', 'its "mcpServers" is a string, not an object'],
  ['the servers twice', '{"mcpServers": {}, "mcpServers": {}}', 'it has "mcpServers" more than once'],
  [
    'our name twice',
    '{"mcpServers": {"scorpiox": {}, "scorpiox": {}}}',
    'its "mcpServers" has "scorpiox" more than once',
  ],
])('%s cannot contain our entry', (_, text, why) => {
  expect(JSONC_FORMAT.read(text, 'mcpServers')).toEqual({ kind: 'unsupported', why })
})

test('excessive nesting is reported as broken', () => {
  expect(JSONC_FORMAT.read('['.repeat(200_000), 'mcpServers').kind).toBe('broken')
})

test.each([
  ['nothing', '', '{\n  "mcpServers": {\n    "scorpiox": {\n      "command": "/x",\n      "args": []\n    }\n  }\n}\n'],
  [
    'an empty object',
    '{}\n',
    '{\n  "mcpServers": {\n    "scorpiox": {\n      "command": "/x",\n      "args": []\n    }\n  }\n}\n',
  ],
  ['one line', '{"a":1}', '{"a":1, "mcpServers": {"scorpiox": {"command": "/x", "args": []}}}'],
  [
    'tabs and CRLF',
    '{\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n',
    '{\r\n\t"mcpServers": {\r\n\t\t"a": {},\r\n\t\t"scorpiox": {\r\n\t\t\t"command": "/x",\r\n\t\t\t"args": []\r\n\t\t}\r\n\t}\r\n}\r\n',
  ],
  [
    'a comment behind the last one',
    '{\n  "mcpServers": {\n    "a": {} // mine\n    // "b": {}\n  }\n}',
    '{\n  "mcpServers": {\n    "a": {}, // mine\n    "scorpiox": {\n      "command": "/x",\n      "args": []\n    }\n    // "b": {}\n  }\n}',
  ],
  [
    'a trailing comma',
    '{\n  "mcpServers": {\n    "a": {},\n  },\n}',
    '{\n  "mcpServers": {\n    "a": {},\n    "scorpiox": {\n      "command": "/x",\n      "args": []\n    },\n  },\n}',
  ],
])('%s is edited in its own style', (_, text, wanted) => {
  expect(JSONC_FORMAT.add(text, 'mcpServers', { command: '/x', args: [] }).text).toBe(wanted)
})

test('a Windows path is escaped', () => {
  expect(thereAndBack('{ }', WINDOWS)).toBe('{ }')
  expect(JSON.parse(JSONC_FORMAT.add('', 'mcpServers', WINDOWS).text)).toEqual({ mcpServers: { scorpiox: WINDOWS } })
})

test('the command can change, and members of the user are kept', () => {
  const text = `{"mcpServers": {"scorpiox": {
    "command": "node", // the old way
    "args": ["/old/scorpiox-code.js", "-e", "MODEL=opus"],
    "env": {"A": "1"}, "disabled": true, "alwaysAllow": ["Bash"],
  }}}`
  const changed = JSONC_FORMAT.change(text, 'mcpServers', { command: '/new', args: ['-e', 'MODEL=opus'] })
  expect(changed).toBe(
    text.replace('"node"', '"/new"').replace('["/old/scorpiox-code.js", "-e", "MODEL=opus"]', '["-e", "MODEL=opus"]'),
  )
  const without = '{"mcpServers": {"scorpiox": {"command": "/a/scorpiox-code"}}}'
  expect(JSONC_FORMAT.change(without, 'mcpServers', { command: '/b' })).toBe(without.replace('/a/scorpiox-code', '/b'))
})

test('later changes of the user are kept when our entry is removed', () => {
  const { text, insertion } = JSONC_FORMAT.add('{}', 'mcpServers', ENTRY)
  const more = text.replace(/\}\n {2}\}\n\}/, '},\n    "b": {}\n  },\n  "theme": "dark"\n}')
  expect(JSON.parse(JSONC_FORMAT.remove(more, 'mcpServers', insertion))).toEqual({
    mcpServers: { b: {} },
    theme: 'dark',
  })
  const rewritten = JSON.stringify(JSON.parse(text), null, '\t')
  expect(JSON.parse(JSONC_FORMAT.remove(rewritten, 'mcpServers', { ...insertion, made: 'container' }))).toEqual({})
})
