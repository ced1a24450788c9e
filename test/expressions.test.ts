// The regular expressions of the program take time in proportion to the text at most. Each is attacked with strings derived
// from it, in a model of the engine that counts steps, so that neither load nor speed of the machine matter.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

import { describe, expect, test } from 'vitest'

import { findAttack, sampleTexts } from './expressions/attack.js'
import { findMatch, parseExpression } from './expressions/backtracking.js'
import { collectExpressions, type FoundExpression } from './expressions/collect.js'

const PACKAGES = resolve(import.meta.dirname, '../packages')

/**
 * Calls of RegExp whose text is not constant, by file: how many, and expressions of the same form. The form of those that
 * others write is not known.
 */
const DYNAMIC: Readonly<Record<string, { readonly calls: number; readonly forms: readonly RegExp[] }>> = {
  // Of the author of a tool.
  'mcp/json-schema/rule.ts': { calls: 2, forms: [] },
  // Of an API's document: whether it can be compiled.
  'mcp/openapi/convert-schema.ts': { calls: 1, forms: [] },
  // Of a caller: searched in a thread, apart from those that need no more time than their length times that of the text.
  'server/patterns/line-pattern.ts': { calls: 3, forms: [] },
  'server/features/documents/extract/readers/read-markdown.ts': { calls: 1, forms: [/^title:[ \t]*(.*)$/m] },
  'server/guarded-fetch/checking-proxy.ts': {
    calls: 1,
    forms: [/:1F90 [\dA-F]{8}:1F91 \S+ \S+ \S+ \S+ +(\d+) /],
  },
  // Alternatives that are tried at each position, each of a bounded length.
  'console/page/components/markdown-inline.ts': {
    calls: 1,
    forms: [
      /\\([!-/:-@[-`{-~])/u,
      /(`{1,3})(?!`)([^\n]{1,1000}?)(?<!`)\1(?!`)/u,
      /!\[[^\]\n]{0,500}\]\([^\s()]{1,1000}\)/u,
      /\[([^[\]\n]{1,500})\]\(([^\s()<>]{1,1000})\)/u,
      /<(https?:\/\/[^\s<>]{1,1000})>/u,
      /\*\*([^\s*](?:[^\n]{0,1000}?\S)?)\*\*(?!\*)/u,
      /~~([^\s~](?:[^\n~]{0,1000}[^\s~])?)~~/u,
      /\*([^\s*](?:[^\n*]{0,1000}[^\s*])?)\*/u,
    ],
  },
  // Alternatives, each checked by itself, and those of a setting, which are restricted: some may be repeated 200 times.
  'server/features/history/redact-tokens.ts': {
    calls: 1,
    forms: [
      /((?:secret|token|passw(?:or)?d|(?:api|access)[_-]?key)s?(?:[_-][\w-]{0,40})?["']?[ \t]{0,3}[:=][ \t]{0,3}["'])(?![$<[])(?:[^"'\n\\]|\\.){4,}/i,
      /((?:secret|token|passw(?:or)?d|(?:api|access)[_-]?key)s?(?:[_-][\w-]{0,40})?\\{1,3}["']?[ \t]{0,3}[:=][ \t]{0,3}\\{1,3}["'])(?![$<[])(?:[^"'\n\\]|\\{2,4}["']?){4,}/i,
      /((?:secret|token|passw(?:or)?d|(?:api|access)[_-]?key)s?(?:[_-][\w-]{0,40})?(?:=|%3D))(?![$<])[^\s"'`\\&;,|()<>{}[\]]{6,}/i,
    ],
  },
  'server/process/command-memory.ts': { calls: 1, forms: [/^MemTotal:\s+(\d+)/m] },
  'server/text/untrusted-text.ts': {
    calls: 2,
    forms: [
      /(?<!\p{L}|[\uFE0E\uFE0F])[\u200C\u200D]|[\u200C\u200D](?!\p{L})/gu,
      /[\u200B\u200E]|[\u{E0000}-\u{E0FFF}]/gu,
    ],
  },
}

function readSources(): ReadonlyMap<string, string> {
  const files = readdirSync(PACKAGES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.ts$|\.d\.ts$/.test(entry.name))
    .map((entry) => relative(PACKAGES, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => /^\w+\/src\//.test(path))
  return new Map(files.map((path) => [path.replace('/src/', '/'), readFileSync(join(PACKAGES, path), 'utf8')]))
}

function collectAll(sources: ReadonlyMap<string, string>) {
  const collected = [...sources].map(([file, text]) => collectExpressions(file, text))
  return { found: collected.flatMap(({ found }) => found), dynamic: collected.flatMap(({ dynamic }) => dynamic) }
}

/** A line for each expression that can be attacked. */
function describeAttacks(found: readonly FoundExpression[]): readonly string[] {
  const attacks = new Map<string, ReturnType<typeof findAttack>>()
  return found.flatMap((expression) => {
    const { file, line, source, flags, all } = expression
    const key = JSON.stringify([source, flags, all])
    const attack = attacks.has(key) ? attacks.get(key) : findAttack(expression, all)
    attacks.set(key, attack)
    if (!attack) return []
    const { prefix, pump, suffix, growth } = attack
    const text = `${JSON.stringify(prefix)} + n × ${JSON.stringify(pump)} + ${JSON.stringify(suffix)}`
    return [`${file}:${line} /${source}/${flags}: ${growth} times the steps for four times the text ${text}`]
  })
}

const SOURCES = readSources()
const { found: FOUND, dynamic: FOUND_DYNAMIC } = collectAll(SOURCES)

test('no expression of the program takes more than linear time', () => {
  expect(FOUND.length).toBeGreaterThan(600)
  expect(describeAttacks(FOUND)).toEqual([])
})

test('expressions that are put together have the forms listed here', () => {
  const counts = new Map<string, number>()
  for (const { file } of FOUND_DYNAMIC) counts.set(file, (counts.get(file) ?? 0) + 1)
  expect(Object.fromEntries(counts)).toEqual(
    Object.fromEntries(Object.entries(DYNAMIC).map(([file, { calls }]) => [file, calls])),
  )
  const forms = Object.values(DYNAMIC).flatMap((each) => each.forms)
  expect(forms.filter((expression) => findAttack(expression, true))).toEqual([])
})

describe('a planted expression', () => {
  test.each([
    ['a literal', String.raw`export const x = /^(\w+\s?)*$/`],
    ['with all matches', String.raw`export const x = (text: string) => text.split(/<!--[^]*?-->/)`],
    ['a constructor', String.raw`export const x = new RegExp('\\s+$')`],
    ['a template', "const part = 'a*'\nexport const x = RegExp(`^${part}${part}b`, 'i')"],
    ['inside of a class', String.raw`export class A { #x = /(a|a)*b/; y() { return this.#x.test('') } }`],
    ['of JSX', String.raw`export const x = () => <p title={'a'.replace(/ +$/, '')} />`],
  ])('%s is found', (name, text) => {
    const file = `server/planted.${name === 'of JSX' ? 'tsx' : 'ts'}`
    const { found } = collectExpressions(file, text)
    expect(found).toHaveLength(1)
    expect(describeAttacks(found)).toEqual([expect.stringContaining(file)])
  })

  test('of text that is not constant is found', () => {
    const { dynamic } = collectExpressions('server/planted.ts', 'export const x = (y: string) => new RegExp(y)')
    expect(dynamic).toEqual([{ file: 'server/planted.ts', call: 'new RegExp(y)' }])
  })
})

describe('the model of the engine', () => {
  test.each<[RegExp, boolean]>([
    [/(a+)+$/, true],
    [/^(a|a)*b$/, true],
    [/\s+$/, true],
    [/(?<!\s)\s+$/, false],
    [/^\s+|\s+$/g, true],
    [/<!--[^]*?-->/g, true],
    [/"(?:[^"\\]|\\.)*"/, true],
    [/^"(?:[^"\\]|\\.)*"/, false],
    [/(.*),(.*),(.*)x/, true],
    [/^([^,]*),([^,]*),([^,]*)x/, false],
    [/(?=a*b)a*c/, true],
    [/(\w+)\1!/, true],
    [/^[a-z]{1,64}$/, false],
    [/[a-z]{1,64}!/, false],
    [/^ *(`{3,}|~{3,})([^`]*)$/, true],
    [/^ *(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/, false],
    [/(?<=a+)b/, true],
    [/(?<=a{1,9})b/, false],
    [/(?<=x.*)b/g, true],
    [/\d+(?:\.\d+)*/g, false],
  ])('%s can be attacked: %s', (expression, isAttacked) => {
    const attack = findAttack(expression, expression.global)
    expect({ attack, isAttacked: attack !== undefined }).toEqual({ attack, isAttacked })
  })

  test.each<[RegExp, string]>([
    [/(?<y>\d{4})-\k<y>/u, 'x2024-2024'],
    [/(?<=\$)\d+?(?=\.)/, 'a$123.4'],
    [/(?<=(\d+)(\d+))x/, '1053x'],
    [/^b|c$/m, 'a\nbd'],
    [/[^\p{L}\d]+/u, 'é1 -\u{1F600}x'],
    [/(a|ab)(c|bcd)(d*)/, 'abcd'],
    [/\bfoo\B/i, 'a FOObar'],
    [/(?:(a)|b)*\1c/, 'abac'],
    [/(z)((a+)?(b+)?(c))*/, 'zaacbbbcac'],
  ])('%s matches %j as the engine does', (expression, text) => {
    expect(findMatch(parseExpression(expression), text)).toBe(expression.exec(text)?.[0])
  })

  test('all expressions of the program match as the engine does', () => {
    // Large bounds are smaller in the model.
    const modelled = FOUND.filter(({ source }) => !/\{\d*,?\d\d/.test(source))
    expect(modelled.length).toBeGreaterThan(600)
    const different = modelled.flatMap((expression) => {
      const { source, flags, file, line } = expression
      const native = new RegExp(source, flags.replace(/[gy]/g, ''))
      const parsed = parseExpression({ source, flags: native.flags })
      return sampleTexts(parsed)
        .filter((text) => findMatch(parsed, text) !== native.exec(text)?.[0])
        .map((text) => `${file}:${line} ${String(native)} on ${JSON.stringify(text)}`)
    })
    expect(different).toEqual([])
  })
})
