// Adding an entry to TOML text and removing it restores the text exactly, for any text.

import fc from 'fast-check'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'

import { TOML_FORMAT } from './toml-format.js'

const SERVERS = 'mcp_servers'
const ENTRY = { command: '/home/ann/.scorpiox/scorpiox-code', args: [] }

const lines = fc.array(
  fc.constantFrom(
    '',
    '   ',
    '# a comment with [mcp_servers.scorpiox]',
    'model = "o5" # why not',
    'text = """',
    '[mcp_servers.scorpiox]',
    'command = "not ours"',
    '"""',
    "raw = '''",
    "'''",
    'list = [ # open',
    '  "a]", # "b"',
    '  1, 2,',
    ']',
    'big = 9223372036854775807',
    'day = 2026-11-16T05:00:00Z',
    'point = { x = 1, "y.z" = [2] }',
    'a.b."c.d" = 1',
    '[profiles.fast]',
    '[mcp_servers]',
    '[mcp_servers.docs]',
    'command = "npx"',
    'args = ["-y", "x"]',
    '[mcp_servers."docs".env]',
    'TOKEN = "s3cret # no comment"',
    'mcp_servers.docs.command = "npx"',
    'docs = { command = "npx" }',
    '[[notify]]',
    '[ "a" . \'b\' ]',
    'x = "\\"[mcp_servers.scorpiox]\\""',
  ),
  { maxLength: 12 },
)
const texts = fc
  .tuple(lines, fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([parts, lineBreak, ends]) => parts.join(lineBreak) + (ends ? lineBreak : ''))
  // Random lines are seldom a valid document; use the longest valid prefix.
  .map((text) => {
    let end = text.length
    while (end > 0 && TOML_FORMAT.read(text.slice(0, end), SERVERS).kind === 'broken')
      end = text.lastIndexOf('\n', end - 2) + 1
    return text.slice(0, end)
  })

test('removing restores the text exactly', () => {
  fc.assert(
    fc.property(texts, (text) => {
      fc.pre(TOML_FORMAT.read(text, SERVERS).kind === 'absent')
      const { text: connected, insertion } = TOML_FORMAT.add(text, SERVERS, ENTRY)
      expect(connected.slice(0, text.length)).toBe(text)
      expect(TOML_FORMAT.read(connected, SERVERS)).toEqual({ kind: 'present', entry: ENTRY })
      expect(TOML_FORMAT.remove(connected, SERVERS, insertion)).toBe(text)
    }),
    { numRuns: 1000 },
  )
})

test('our entry is removed from the middle with its tables, and the rest is unchanged', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      fc.pre(TOML_FORMAT.read(before, SERVERS).kind === 'absent')
      const { text, insertion } = TOML_FORMAT.add(before, SERVERS, ENTRY)
      const whole = `${text}\n[mcp_servers.scorpiox.env]\nA = "1"\n\n# theirs\n[other]\n${after}`
      fc.pre(TOML_FORMAT.read(whole, SERVERS).kind === 'present')
      const left = TOML_FORMAT.remove(whole, SERVERS, insertion)
      expect(TOML_FORMAT.read(left, SERVERS).kind).toBe('absent')
      expect(left.endsWith(`# theirs\n[other]\n${after}`)).toBe(true)
      expect(left.slice(0, before.length)).toBe(before)
    }),
    { numRuns: 500 },
  )
})

test('a truncated text is never edited as another document', () => {
  const text = 'model = "o5"\n[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "d"]\nenv = { A = "1" }\n'
  for (let length = 0; length <= text.length; length++) {
    const part = text.slice(0, length)
    const reading = TOML_FORMAT.read(part, SERVERS)
    if (reading.kind === 'broken') expect(reading.line).toBeGreaterThan(0)
    else expect(() => parse(part)).not.toThrow()
  }
})

test.each([
  ['an inline table', 'mcp_servers = { docs = { command = "npx" } }', /inline table/],
  ['an array of tables', '[[mcp_servers]]\nname = "docs"', /not a table/],
  ['a string', 'mcp_servers = "docs"', /not a table/],
])('servers in %s cannot contain our entry', (_, text, why) => {
  expect(TOML_FORMAT.read(text, SERVERS)).toEqual({ kind: 'unsupported', why: expect.stringMatching(why) })
})

test.each([
  [
    'a table',
    '[mcp_servers.scorpiox]\ncommand = "node" # old\nargs = [\n  "/old/scorpiox-code.js", # mine\n]\nenv = { A = "1" }\n',
  ],
  ['dotted keys', 'mcp_servers.scorpiox.command = "node"\nmcp_servers.scorpiox.args = ["/old/scorpiox-code.js"]\n'],
  ['keys in the table of all', '[mcp_servers]\nscorpiox.command = "node"\nscorpiox.args = ["/old"]\n[x]\na = 1'],
])('the command of %s can change, and the rest is kept', (_, text) => {
  const changed = TOML_FORMAT.change(text, SERVERS, { command: '/new', args: [] })
  const was = parse(text).mcp_servers as { scorpiox: object }
  expect(parse(changed)).toEqual({
    ...parse(text),
    mcp_servers: { scorpiox: { ...was.scorpiox, command: '/new', args: [] } },
  })
  expect(TOML_FORMAT.read(TOML_FORMAT.remove(changed, SERVERS, undefined), SERVERS).kind).toBe('absent')
})

test('an entry in an inline table is not changed', () => {
  const text = 'mcp_servers = { scorpiox = { command = "node" } }'
  expect(() => TOML_FORMAT.change(text, SERVERS, { command: '/new', args: [] })).toThrow(/inline table/)
  expect(() => TOML_FORMAT.remove(text, SERVERS, undefined)).toThrow(/cannot be changed/)
})

test('a Windows path is escaped', () => {
  const command = 'C:\\Users\\Änn "x"\\scorpiox-code.exe'
  const { text } = TOML_FORMAT.add('', SERVERS, { command, args: ['a\u007F\t'] })
  expect(parse(text)).toEqual({ mcp_servers: { scorpiox: { command, args: ['a\u007F\t'] } } })
})
