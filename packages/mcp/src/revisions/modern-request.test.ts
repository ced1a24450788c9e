import { describe, expect, test } from 'vitest'

import { ProtocolError } from '../errors.js'
import { TypedResult } from '../jsonrpc/result.js'
import {
  formatServerInfo,
  isModernRequest,
  readModernClient,
  readRequestedVersion,
  wrapModernResult,
} from './modern-request.js'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const LEVEL = 'io.modelcontextprotocol/logLevel'
const INFO = 'io.modelcontextprotocol/clientInfo'

function errorOf(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    if (error instanceof ProtocolError) return { code: error.code, message: error.message, data: error.data }
  }
  throw new Error('no protocol error')
}

test.each<[string, object, boolean]>([
  ['tools/list', {}, false],
  ['tools/list', { _meta: {} }, false],
  ['tools/list', { _meta: [] }, false],
  ['tools/list', { _meta: { [VERSION]: 'x' } }, true],
  ['tools/list', { _meta: { [CAPABILITIES]: {} } }, true],
  ['server/discover', {}, true],
])('%s with %j is modern: %s', (method, params, expected) => {
  expect(isModernRequest(method, { ...params })).toBe(expected)
})

describe('the client of a modern request', () => {
  test('is read from _meta', () => {
    const _meta = {
      [VERSION]: '2026-07-28',
      [CAPABILITIES]: { roots: {} },
      [LEVEL]: 'error',
      [INFO]: { name: 'editor' },
    }
    expect(readModernClient({ _meta })).toEqual({
      revision: '2026-07-28',
      name: 'editor',
      version: '',
      capabilities: { roots: {} },
      logLevel: 'error',
      toolCallFormat: undefined,
    })
  })

  test('wants no log messages by default', () => {
    expect(readModernClient({ _meta: { [VERSION]: '2026-07-28', [CAPABILITIES]: {} } }).logLevel).toBeUndefined()
  })

  test.each([{}, { _meta: 5 }, { _meta: {} }, { _meta: { [VERSION]: 1 } }])('must name a version: %j', (params) => {
    const expected = {
      code: -32602,
      message: `Invalid params: '_meta["${VERSION}"]' must be a string`,
      data: undefined,
    }
    expect(errorOf(() => readRequestedVersion(params))).toEqual(expected)
    expect(errorOf(() => readModernClient(params))).toEqual(expected)
  })

  test.each(['2025-11-25', '2027-01-01'])('cannot use %s', (requested) => {
    expect(errorOf(() => readModernClient({ _meta: { [VERSION]: requested, [CAPABILITIES]: {} } }))).toEqual({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'], requested },
    })
  })

  test('must declare capabilities', () => {
    expect(errorOf(() => readModernClient({ _meta: { [VERSION]: '2026-07-28', [CAPABILITIES]: true } }))).toMatchObject(
      {
        code: -32602,
        message: `Invalid params: '_meta["${CAPABILITIES}"]' must be an object`,
      },
    )
  })

  test('must name a known log level', () => {
    const _meta = { [VERSION]: '2026-07-28', [CAPABILITIES]: {}, [LEVEL]: 'loud' }
    expect(errorOf(() => readModernClient({ _meta }))).toMatchObject({
      code: -32602,
      message: `Invalid params: '_meta["${LEVEL}"]' is not a log level`,
    })
  })
})

test.each([
  ['', '{"resultType":"complete","_meta":{INFO}}'],
  ['"a":1', '{"resultType":"complete","a":1,"_meta":{INFO}}'],
  [new TypedResult('task', ''), '{"resultType":"task","_meta":{INFO}}'],
  [new TypedResult('input_required', '"a":1'), '{"resultType":"input_required","a":1,"_meta":{INFO}}'],
  [new TypedResult('complete', '"a":1', '"m":2'), '{"resultType":"complete","a":1,"_meta":{"m":2,INFO}}'],
])('the result %j is wrapped as %s', (result, expected) => {
  expect(wrapModernResult(result, 'INFO')).toBe(expected)
})

test('the server info has the title', () => {
  expect(formatServerInfo({ name: 'n', version: '1', title: 'T' })).toBe(
    '"io.modelcontextprotocol/serverInfo":{"name":"n","title":"T","version":"1"}',
  )
})
