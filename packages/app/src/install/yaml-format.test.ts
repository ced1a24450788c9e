// Adding an entry to YAML text and removing it restores the text exactly, for any text.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'

import { YAML_FORMAT } from './yaml-format.js'

const ENTRY = { name: 'scorpiox', command: '/home/ann/.scorpiox/scorpiox-code', args: [] }
const WITHOUT_BASH = { ...ENTRY, env: { TOOL_BASH: '0' } }
const SERVERS = 'mcpServers'

function roundTrip(text: string, entry: object = ENTRY): string {
  const { text: connected, insertion } = YAML_FORMAT.add(text, SERVERS, { ...entry })
  expect(YAML_FORMAT.read(connected, SERVERS)).toEqual({ kind: 'present', entry })
  return YAML_FORMAT.remove(connected, SERVERS, insertion)
}

const scalar = fc.oneof(
  fc.constantFrom(
    'a: b',
    '# no comment',
    '- x',
    'two\nlines\n',
    'kept\n\n\n',
    '',
    ' ',
    'yes',
    '0',
    '*a',
    '&a',
    'é "',
    "'",
  ),
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
const key = fc.oneof(fc.constantFrom('models', 'env', 'a b', '- k', 'é'), fc.string({ minLength: 1, maxLength: 5 }))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}))
const server = fc.record({ name: fc.constantFrom('docs', 'gh'), command: scalar, env: value })
const documents = fc
  .tuple(
    fc.dictionary(key, value, { maxKeys: 4 }),
    fc.option(fc.array(server, { maxLength: 3 })),
    fc.record({
      indent: fc.constantFrom(2, 4),
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom('any', 'block', 'flow'),
      lineWidth: fc.constantFrom(0, 20, 80),
    }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([root, servers, options, isFirst, isCut]) => {
    const { [SERVERS]: _, ...rest } = root
    const held = servers === null ? {} : { [SERVERS]: servers }
    const text = stringify(isFirst ? { ...held, ...rest } : { ...rest, ...held }, options)
    return isCut ? text.replace(/\n+$/, '') : text
  })

/** Adds comments and empty lines at line ends outside values; results that do not parse are skipped. */
const commented = fc
  .tuple(documents, fc.array(fc.tuple(fc.nat(), fc.constantFrom('# c', '  # - name: scorpiox', '')), { maxLength: 3 }))
  .map(([text, comments]) =>
    comments.reduce((lines, [at, comment]) => lines.toSpliced(at % (lines.length + 1), 0, comment), text.split('\n')),
  )
  .map((lines) => lines.join('\n'))

test.each([ENTRY, WITHOUT_BASH])('removing restores the text exactly, and nothing else changes: %j', (entry) => {
  let tried = 0
  fc.assert(
    fc.property(fc.oneof(documents, commented), fc.constantFrom('\n', '\r\n'), (made, lineBreak) => {
      const text = made.replaceAll('\n', lineBreak)
      fc.pre(YAML_FORMAT.read(text, SERVERS).kind === 'absent')
      let back
      try {
        back = roundTrip(text, entry)
      } catch (error) {
        // Block texts at the very end of a file without a line break would become longer.
        expect(String(error)).toContain('cannot be changed without touching')
        expect(text.endsWith('\n')).toBe(false)
        return
      }
      tried++
      expect(back).toBe(text)
      const before = parse(text) as Record<string, unknown> | null
      const { text: connected } = YAML_FORMAT.add(text, SERVERS, entry)
      const after = parse(connected) as Record<string, unknown>
      if (before !== null) {
        const { [SERVERS]: others, ...rest } = before
        expect(after).toEqual({ ...rest, [SERVERS]: [...((others ?? []) as unknown[]), entry] })
      }
    }),
    { numRuns: 250 },
  )
  expect(tried).toBeGreaterThan(100)
})

test.each([
  [
    'nothing',
    '',
    'name: Local Config\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: scorpiox\n    command: /x\n    args: []\n',
  ],
  [
    'a comment only, no line break',
    '# mine',
    '# mine\nname: Local Config\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: scorpiox\n    command: /x\n    args: []\n',
  ],
  [
    'no servers',
    'name: A\nmodels: [] # none\n\n# the end\n',
    'name: A\nmodels: [] # none\n\n# the end\nmcpServers:\n  - name: scorpiox\n    command: /x\n    args: []\n',
  ],
  [
    'an empty value',
    'mcpServers: # none yet\nname: A\n',
    'mcpServers: # none yet\n  - name: scorpiox\n    command: /x\n    args: []\nname: A\n',
  ],
  [
    'servers in the middle, not indented',
    'mcpServers:\n- name: a # first\n  # last words\nname: A\n',
    'mcpServers:\n- name: a # first\n- name: scorpiox\n  command: /x\n  args: []\n  # last words\nname: A\n',
  ],
  [
    'brackets',
    'name: A\nmcpServers: []\n',
    'name: A\nmcpServers: [{"name": "scorpiox", "command": "/x", "args": []}]\n',
  ],
  [
    'brackets over several lines',
    'mcpServers: [\n  {name: a},\n  ]\n',
    'mcpServers: [\n  {name: a}, {"name": "scorpiox", "command": "/x", "args": []}\n  ]\n',
  ],
  ['JSON', '{"name": "A"}', '{"name": "A", "mcpServers": [{"name": "scorpiox", "command": "/x", "args": []}]}'],
  [
    'an end mark',
    '---\nname: A\n...\n',
    '---\nname: A\nmcpServers:\n  - name: scorpiox\n    command: /x\n    args: []\n...\n',
  ],
])('%s is edited in its own style and restored', (_, text, wanted) => {
  const entry = { name: 'scorpiox', command: '/x', args: [] }
  expect(YAML_FORMAT.add(text, SERVERS, entry).text).toBe(wanted)
  expect(roundTrip(text, entry)).toBe(text)
})

test.each([
  ['a: [1', 'broken', 1],
  ['a: 1\n b: 2\n', 'broken', 1],
  ['a: 1\na: 2\n', 'broken', 2],
  ['a: 1\n---\nb: 2\n', 'broken', 2],
  ['a: *unknown\n', 'broken', 1],
])('%j is not changed, and the error has a position', (text, kind, line) => {
  expect(YAML_FORMAT.read(text, SERVERS)).toMatchObject({ kind, line, why: expect.stringMatching(/./) })
})

test('excessive nesting is reported as broken', () => {
  expect(YAML_FORMAT.read(`a: ${'['.repeat(20_000)}`, SERVERS).kind).toBe('broken')
})

test.each([
  ['- a\n', 'it is a list, not a map'],
  ['just words\n', 'it is a single value, not a map'],
  ['null\n', 'it is null, not a map'],
  ['mcpServers: null\n', 'its "mcpServers" is null, not a list'],
  ['mcpServers: {a: {}}\n', 'its "mcpServers" is a map, not a list'],
  ['x: &s []\nmcpServers: *s\n', 'its "mcpServers" is an alias, not a list'],
  ['mcpServers: [{name: scorpiox}, {name: scorpiox}]\n', 'its "mcpServers" has "scorpiox" more than once'],
])('%j cannot contain our entry', (text, why) => {
  expect(YAML_FORMAT.read(text, SERVERS)).toEqual({ kind: 'unsupported', why })
})

test('members of the entry change, and those of the user are kept', () => {
  const text = `mcpServers:
  - name: scorpiox # ours
    command: node # the old way
    env: # mine
      KEY: secret
  - name: other
    command: x
`
  const changed = YAML_FORMAT.change(text, SERVERS, { command: '/new', args: ['-e', 'A=1'] })
  expect(changed).toBe(text.replace('node # the old way', '"/new" # the old way\n    args: ["-e", "A=1"]'))
  const chosen = YAML_FORMAT.change(text, SERVERS, { env: { KEY: 'secret', TOOL_BASH: '0' } })
  expect(parse(chosen)).toMatchObject({ mcpServers: [{ env: { KEY: 'secret', TOOL_BASH: '0' } }, { name: 'other' }] })
  const flow = '{mcpServers: [{name: scorpiox, command: x}]}'
  expect(parse(YAML_FORMAT.change(flow, SERVERS, { env: { TOOL_BASH: '0' } }))).toEqual({
    mcpServers: [{ name: 'scorpiox', command: 'x', env: { TOOL_BASH: '0' } }],
  })
})

test('changes of the user are kept when the entry is removed', () => {
  const { text, insertion } = YAML_FORMAT.add('', SERVERS, ENTRY)
  const more = `${text}  - name: other\nmodels: []\n`
  expect(parse(YAML_FORMAT.remove(more, SERVERS, insertion))).toEqual({
    name: 'Local Config',
    version: '1.0.0',
    schema: 'v1',
    mcpServers: [{ name: 'other' }],
    models: [],
  })
  // A list without items would be read as null.
  expect(YAML_FORMAT.remove('name: A\nmcpServers:\n  - name: scorpiox\n    command: x\n', SERVERS, undefined)).toBe(
    'name: A\n',
  )
})

test('a Windows path is quoted', () => {
  const entry = { name: 'scorpiox', command: 'C:\\Users\\Ann\\.scorpiox\\scorpiox-code.exe', args: [] }
  expect(roundTrip('name: A\n', entry)).toBe('name: A\n')
  expect(YAML_FORMAT.snippet(SERVERS, entry)).toContain('command: "C:\\\\Users')
})
