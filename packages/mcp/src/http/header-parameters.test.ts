import { expect, test } from 'vitest'

import type { JsonObject } from '../json/json.js'
import { readHeaderParameters } from './header-parameters.js'

const property = (header: unknown, type: unknown = 'string'): JsonObject => ({ type, 'x-mcp-header': header })
const properties = (members: JsonObject): JsonObject => ({ type: 'object', properties: members })

test('annotated properties, nested ones too, are found with their path and lower-case header', () => {
  const nested = properties({ region: property('Region', 'integer'), other: { type: 'string' } })
  const schema = properties({ user: property('User'), at: nested, flag: property('x.Y', 'boolean'), any: true })
  expect(readHeaderParameters(schema, 'run')).toEqual([
    { header: 'mcp-param-user', path: ['user'] },
    { header: 'mcp-param-region', path: ['at', 'region'] },
    { header: 'mcp-param-x.y', path: ['flag'] },
  ])
})

test.each<[string, JsonObject]>([
  ['no annotation', properties({ a: { type: 'string' } })],
  ['no properties', { type: 'object', description: 'x-mcp-header' }],
  ['a property with that name', properties({ 'x-mcp-header': { type: 'string' } })],
  ['a definition with that name', { type: 'object', $defs: { 'x-mcp-header': {} } }],
  ['a default value with that name', properties({ a: { default: { 'x-mcp-header': 'A' } } })],
  ['examples with that name', { type: 'object', examples: [{ 'x-mcp-header': 'A' }] }],
  ['an allowed value with that name', properties({ a: { enum: [null, { 'x-mcp-header': 'A' }] } })],
  ['a constant with that name', properties({ a: { const: { 'x-mcp-header': 'A' } } })],
])('%s is no header parameter', (_name, schema) => {
  expect(readHeaderParameters(schema, 'run')).toEqual([])
})

test.each<[string, JsonObject, string]>([
  [
    'at the root',
    { type: 'object', 'x-mcp-header': 'A' },
    'x-mcp-header of tool run is in the wrong place: it belongs to a property',
  ],
  [
    'in items',
    properties({ a: { items: property('A') } }),
    'x-mcp-header of tool run is in the wrong place: it belongs to a property',
  ],
  [
    'in a list',
    { type: 'object', anyOf: [properties({ a: property('A') })] },
    'x-mcp-header of tool run is in the wrong place: it belongs to a property',
  ],
  [
    'in a definition',
    { type: 'object', $defs: { a: property('A') } },
    'x-mcp-header of tool run is in the wrong place: it belongs to a property',
  ],
  [
    'in a property named default',
    { type: 'object', $defs: { default: property('A') } },
    'x-mcp-header of tool run is in the wrong place: it belongs to a property',
  ],
  ['that is no text', properties({ a: property(5) }), "x-mcp-header of 'a' of tool run is not a header name"],
  ['that is empty', properties({ a: property('') }), "x-mcp-header of 'a' of tool run is not a header name"],
  [
    'with a space',
    properties({ a: properties({ b: property('a b') }) }),
    "x-mcp-header of 'a.b' of tool run is not a header name",
  ],
  [
    'used twice',
    properties({ a: property('User'), b: property('USER') }),
    "x-mcp-header USER of 'b' of tool run is used twice",
  ],
  [
    'of a number',
    properties({ a: property('A', 'number') }),
    "x-mcp-header of 'a' of tool run needs a string, an integer or a boolean",
  ],
  [
    'without a type',
    properties({ a: { 'x-mcp-header': 'A' } }),
    "x-mcp-header of 'a' of tool run needs a string, an integer or a boolean",
  ],
])('an annotation %s is refused', (_name, schema, message) => {
  expect(() => readHeaderParameters(schema, 'run')).toThrow(new Error(message))
})
