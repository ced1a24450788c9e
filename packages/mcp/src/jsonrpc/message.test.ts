// Parsing and formatting of JSON-RPC messages, with the exact text of every error.

import { describe, expect, test } from 'vitest'

import {
  createMalformedMessage,
  ErrorAnswer,
  formatRpcError,
  formatRpcNotification,
  formatRpcRequest,
  formatRpcResult,
  getAnswerText,
  parseMessage,
  TrackedAnswer,
} from './message.js'

function errorOf(text: string): unknown {
  const message = parseMessage(text)
  if (message.kind !== 'malformed') throw new Error(`accepted as ${message.kind}`)
  const { id, error } = JSON.parse(message.answer.text)
  expect(message.answer.code).toBe(error.code)
  expect(message.answer.beforeWork).toBe(true)
  return { id, ...error }
}

describe('requests', () => {
  test('keep id, method and params', () => {
    expect(parseMessage('{"jsonrpc":"2.0","id":"a","method":"ping","params":{"b":1}}')).toEqual({
      kind: 'request',
      id: '"a"',
      method: 'ping',
      params: { b: 1 },
      progressToken: undefined,
    })
  })

  test.each([
    '0',
    '-1',
    '7',
    '"text"',
    '""',
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
  ])('the id %s is kept exactly', (id) => {
    expect(parseMessage(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toMatchObject({ kind: 'request', id })
  })

  test('an integer in exponent form is written as a number', () => {
    expect(parseMessage('{"jsonrpc":"2.0","id":1e20,"method":"ping"}')).toMatchObject({ id: '100000000000000000000' })
  })

  test.each(['null', '1.5', '{}', '[]', 'true', '1e400'])('the id %s is rejected', (id) => {
    expect(errorOf(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toEqual({
      id: null,
      code: -32600,
      message: 'Invalid Request: "id" must be a string or an integer',
    })
  })

  test.each(['', '"jsonrpc":"1.0",', '"jsonrpc":2,'])('the version is required: %s', (version) => {
    expect(errorOf(`{${version}"id":5,"method":"ping"}`)).toEqual({
      id: 5,
      code: -32600,
      message: 'Invalid Request: "jsonrpc" must be "2.0"',
    })
  })

  test.each(['', ',"method":1', ',"method":null'])('a method is required: %s', (method) => {
    expect(errorOf(`{"jsonrpc":"2.0","id":5${method}}`)).toEqual({
      id: 5,
      code: -32600,
      message: 'Invalid Request: "method" must be a string',
    })
  })

  test.each([
    ['7', '7'],
    ['"t"', '"t"'],
    ['9007199254740993', '9007199254740993'],
    ['1.5', undefined],
    ['null', undefined],
    [JSON.stringify('x'.repeat(1022)), JSON.stringify('x'.repeat(1022))],
    [JSON.stringify('x'.repeat(1023)), undefined],
  ])('the progress token %s is read as %s', (token, expected) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":${token}}}}`
    expect(parseMessage(text)).toMatchObject({ progressToken: expected })
  })

  test.each(['[]', '{}', '{"_meta":[]}', '{"_meta":{}}', '"_meta"'])('there is no progress token in %s', (params) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`
    expect(parseMessage(text)).toMatchObject({ kind: 'request', progressToken: undefined })
  })
})

describe('notifications', () => {
  test.each([
    ['{"requestId":3}', '3'],
    ['{"requestId":"a"}', '"a"'],
    ['{"requestId":9007199254740993}', '9007199254740993'],
    ['{"requestId":null}', undefined],
    ['{"requestId":{}}', undefined],
    ['{}', undefined],
    ['[]', undefined],
  ])('with params %s name the request %s', (params, requestId) => {
    expect(parseMessage(`{"jsonrpc":"2.0","method":"n","params":${params}}`)).toEqual({
      kind: 'notification',
      method: 'n',
      params: JSON.parse(params),
      requestId,
    })
  })
})

describe('responses', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":1,"result":{}}', { id: '1', result: {}, error: undefined }],
    ['{"jsonrpc":"2.0","id":"a","error":{"code":1}}', { id: '"a"', result: undefined, error: { code: 1 } }],
    // Malformed responses are not answered.
    ['{"id":null,"result":1}', { id: undefined, result: 1, error: undefined }],
    ['{"error":1}', { id: undefined, result: undefined, error: 1 }],
  ])('%s', (text, expected) => {
    expect(parseMessage(text)).toEqual({ kind: 'response', ...expected })
  })

  test('a message with a method is a request, even with a result', () => {
    expect(parseMessage('{"jsonrpc":"2.0","id":1,"method":"m","result":1}').kind).toBe('request')
  })
})

describe('invalid text', () => {
  test('that is not JSON is a parse error with the reason', () => {
    expect(errorOf('{"a":')).toMatchObject({
      id: null,
      code: -32700,
      message: expect.stringMatching(/^Parse error: .+/),
    })
  })

  test('nested 64 levels deep is accepted, one more is a parse error', () => {
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"m","params":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(parseMessage(nested(63)).kind).toBe('request')
    expect(errorOf(nested(64))).toEqual({
      id: null,
      code: -32700,
      message: 'Parse error: nested deeper than 64 levels',
    })
  })

  test.each(['1', '"text"', 'null', 'true'])('%s is no message', (text) => {
    expect(errorOf(text)).toEqual({
      id: null,
      code: -32600,
      message: 'Invalid Request: a message must be a JSON object',
    })
  })

  test('an empty batch is invalid', () => {
    expect(errorOf('[]')).toEqual({ id: null, code: -32600, message: 'Invalid Request: the batch is empty' })
  })
})

test('a batch has a size and is parsed into its messages, with exact ids', () => {
  const batch = parseMessage(
    '[{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}, 5, {"jsonrpc":"2.0","method":"b"}]',
  )
  if (batch.kind !== 'batch') throw new Error('not a batch')
  expect(batch.size).toBe(3)
  const messages = batch.parse()
  expect(messages.map(({ kind }) => kind)).toEqual(['request', 'malformed', 'notification'])
  expect(messages[0]).toMatchObject({ id: '9007199254740993', method: 'a' })
})

describe('formatting', () => {
  test('results, errors, requests and notifications', () => {
    expect(formatRpcResult('1', '{"a":1}')).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1}}')
    expect(formatRpcError('"x"', { code: -1, message: 'no', data: { a: 1 } })).toBe(
      '{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no","data":{"a":1}}}',
    )
    expect(formatRpcRequest('2', 'roots/list', { a: 1 })).toBe(
      '{"jsonrpc":"2.0","id":2,"method":"roots/list","params":{"a":1}}',
    )
    expect(formatRpcNotification('n', '{}')).toBe('{"jsonrpc":"2.0","method":"n","params":{}}')
  })

  test('a malformed message is answered with the id null by default', () => {
    expect(createMalformedMessage(-32600, 'no').answer).toEqual(
      new ErrorAnswer(-32600, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}', true),
    )
  })

  test('the text of any answer', () => {
    expect(getAnswerText('a')).toBe('a')
    expect(getAnswerText(undefined)).toBeUndefined()
    expect(getAnswerText(new ErrorAnswer(1, 'b', false))).toBe('b')
    expect(getAnswerText(new TrackedAnswer('c', []))).toBe('c')
  })
})

test('a tracked answer reports to every listener, once', () => {
  const reports: string[] = []
  const answer = new TrackedAnswer('text', [
    (written) => reports.push(`a ${written}`),
    (written) => reports.push(`b ${written}`),
  ])
  answer.reportWritten(true)
  answer.reportWritten(false)
  expect(reports).toEqual(['a true', 'b true'])
})
