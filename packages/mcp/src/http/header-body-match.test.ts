import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { readHeaderParameters } from './header-parameters.js'
import { checkMethodHeaders, checkParameterHeaders, checkVersionHeader } from './header-body-match.js'

const base64 = (text: string | Buffer): string => `=?base64?${Buffer.from(text).toString('base64')}?=`
const mismatch = expect.objectContaining({ code: -32020 })

describe('version, method and name headers', () => {
  const call = (headers: Record<string, string>, name: unknown = 'echo'): void =>
    checkMethodHeaders({ 'mcp-method': 'tools/call', ...headers }, 'tools/call', { name })

  test('alike', () => {
    checkVersionHeader({ 'mcp-protocol-version': '2026-07-28' }, '2026-07-28')
    call({ 'mcp-name': 'echo' })
    call({ 'mcp-name': base64('echo') })
    call({ 'mcp-name': base64('höhe ') }, 'höhe ')
    call({ 'mcp-name': base64('=?base64?x?=') }, '=?base64?x?=')
    checkMethodHeaders({ 'mcp-method': 'tools/list' }, 'tools/list', {})
    checkMethodHeaders({ 'mcp-method': 'resources/read', 'mcp-name': 'a://b' }, 'resources/read', { uri: 'a://b' })
    checkMethodHeaders({ 'mcp-method': 'tasks/get', 'mcp-name': 'x' }, 'tasks/get', { taskId: 'x' })
  })

  test.each([
    ['no name', {}, 'echo'],
    ['another name', { 'mcp-name': 'other' }, 'echo'],
    ['another case', { 'mcp-name': 'Echo' }, 'echo'],
    ['no name in the body', { 'mcp-name': 'echo' }, null],
    ['a number in the body', { 'mcp-name': '5' }, 5],
    ['another method', { 'mcp-method': 'tools/list', 'mcp-name': 'echo' }, 'echo'],
    ['Base64 with a gap', { 'mcp-name': '=?base64?ZWN o?=' }, 'echo'],
    ['Base64 without padding', { 'mcp-name': '=?base64?ZWNobw?=' }, 'echo'],
    ['Base64 of the URL kind', { 'mcp-name': '=?base64?-_-_?=' }, Buffer.from('-_-_', 'base64url').toString()],
    ['the marker in capitals', { 'mcp-name': '=?BASE64?ZWNobw==?=' }, 'echo'],
    ['raw bytes', { 'mcp-name': 'h\u00f6he' }, 'höhe'],
    ['a control character', { 'mcp-name': 'ec\u0001ho' }, 'ec\u0001ho'],
    ['bytes that are no UTF-8', { 'mcp-name': base64(Buffer.from([0xff])) }, '\ufffd'],
  ])('%s is a mismatch', (_, headers, name) => {
    expect(() => call(headers, name)).toThrow(mismatch)
  })

  test('a missing or another version is a mismatch', () => {
    expect(() => checkVersionHeader({}, '2026-07-28')).toThrow(mismatch)
    expect(() => checkVersionHeader({ 'mcp-protocol-version': '2025-11-25' }, '2026-07-28')).toThrow(mismatch)
  })

  test('any name matches as Base64, and no other name does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (name, other) => {
        if (!name.isWellFormed()) return
        call({ 'mcp-name': base64(name) }, name)
        if (other !== name) expect(() => call({ 'mcp-name': base64(name) }, other)).toThrow(mismatch)
      }),
    )
  })
})

describe('argument headers', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      copies: { type: 'integer', 'x-mcp-header': 'Copies' },
      deep: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } } },
    },
  }
  const parameters = readHeaderParameters(schema, 't')

  test('are found by their path', () => {
    expect(parameters).toEqual([
      { header: 'mcp-param-region', path: ['region'] },
      { header: 'mcp-param-copies', path: ['copies'] },
      { header: 'mcp-param-dry-run', path: ['deep', 'dry'] },
    ])
  })

  test.each([
    [{ 'mcp-param-region': 'eu' }, { region: 'eu' }],
    [{ 'mcp-param-region': base64('é') }, { region: 'é' }],
    [{ 'mcp-param-region': '' }, { region: '' }],
    [{ 'mcp-param-copies': '42' }, { copies: 42 }],
    [{ 'mcp-param-copies': '42.0' }, { copies: 42 }],
    [{ 'mcp-param-copies': '-7' }, { copies: -7 }],
    [{ 'mcp-param-copies': '1.5' }, { copies: 1.5 }],
    [{ 'mcp-param-dry-run': 'true' }, { deep: { dry: true } }],
    [{}, {}],
    [{}, { region: null, deep: 5 }],
    [{}, undefined],
    [{ 'mcp-param-unknown': 'x' }, {}],
  ])('%j matches %j', (headers, args) => {
    checkParameterHeaders(headers, args, parameters)
  })

  test.each([
    [{}, { region: 'eu' }],
    [{ 'mcp-param-region': 'us' }, { region: 'eu' }],
    [{ 'mcp-param-region': 'eu' }, {}],
    [{ 'mcp-param-region': 'null' }, { region: null }],
    [{ 'mcp-param-region': '[object Object]' }, { region: {} }],
    [{ 'mcp-param-copies': '' }, { copies: 0 }],
    [{ 'mcp-param-copies': ' ' }, { copies: 0 }],
    [{ 'mcp-param-copies': '0x2a' }, { copies: 42 }],
    [{ 'mcp-param-copies': '4.2e1' }, { copies: 42 }],
    [{ 'mcp-param-copies': '42.5' }, { copies: 42 }],
    [{ 'mcp-param-copies': '9007199254740992' }, { copies: Number('9007199254740993') }],
    [{ 'mcp-param-dry-run': 'True' }, { deep: { dry: true } }],
    [{ 'mcp-param-dry-run': '1' }, { deep: { dry: true } }],
  ])('%j does not match %j', (headers, args) => {
    expect(() => checkParameterHeaders(headers, args, parameters)).toThrow(mismatch)
  })

  const property = (annotated: object): object => ({ type: 'object', properties: { a: annotated } })
  test.each([
    ['an empty name', property({ type: 'string', 'x-mcp-header': '' })],
    ['a name with a space', property({ type: 'string', 'x-mcp-header': 'a b' })],
    ['a name with a line end', property({ type: 'string', 'x-mcp-header': 'a\r\n' })],
    ['a name that is no text', property({ type: 'string', 'x-mcp-header': 5 })],
    ['a number', property({ type: 'number', 'x-mcp-header': 'A' })],
    ['an object', property({ type: 'object', 'x-mcp-header': 'A' })],
    ['no type', property({ 'x-mcp-header': 'A' })],
    ['a list', property({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } })],
    ['a branch', { type: 'object', anyOf: [property({ type: 'string', 'x-mcp-header': 'A' })] }],
    ['a condition', { type: 'object', if: property({ type: 'string', 'x-mcp-header': 'A' }) }],
    ['a definition', { type: 'object', $defs: { x: { type: 'string', 'x-mcp-header': 'A' } } }],
    ['the whole', { type: 'object', 'x-mcp-header': 'A' }],
    [
      'one name twice',
      {
        type: 'object',
        properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
      },
    ],
  ])('rejects %s', (_, wrong) => {
    expect(() => readHeaderParameters(wrong as never, 't')).toThrow(/tool t/)
  })

  test('a property with the name of the annotation is not an annotation', () => {
    expect(readHeaderParameters({ type: 'object', properties: { 'x-mcp-header': { type: 'string' } } }, 't')).toEqual(
      [],
    )
    expect(readHeaderParameters({ type: 'object', default: { 'x-mcp-header': 'A' } }, 't')).toEqual([])
  })
})
