import { describe, expect, test } from 'vitest'

import type { StandardSchema } from '../definitions/standard-schema.js'
import { defineTool, type ToolDefinition, type ToolHandler, type ToolSchema } from '../definitions/tool.js'
import { loadFullCompiler } from '../json-schema/lazy-compile.js'
import { BadInput, createToolRegistry } from './tool-registry.js'

const HINTS = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

function tool(name: string, input: ToolSchema, output?: ToolSchema): ToolDefinition {
  const definition = { name, title: name, description: name, hints: HINTS, input, run: () => ({}) }
  return defineTool(output ? { ...definition, output } : { ...definition, format: () => '' })
}

const DESCRIBED = { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] }

/** A schema as a library provides it: `n` is parsed from text into a number. */
function numeric(async: boolean): StandardSchema<unknown, { n: number }> {
  const validate = (value: unknown) => {
    const n = Number((value as { n?: unknown } | undefined)?.n)
    if (Number.isFinite(n)) return { value: { n } }
    return { issues: [{ message: 'expected a number', path: ['list', { key: 0 }, 'n'] }] }
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: async ? (value) => Promise.resolve(validate(value)) : validate,
      jsonSchema: { input: () => DESCRIBED, output: () => DESCRIBED },
    },
  }
}

describe('a Standard Schema', () => {
  test('provides its JSON Schema, and its parsed value reaches the tool', async () => {
    const registry = createToolRegistry([tool('now', numeric(false)), tool('later', numeric(true))])
    expect(JSON.parse(`{${registry.list('2025-11-25', undefined)}}`).tools).toMatchObject([
      { inputSchema: DESCRIBED },
      { inputSchema: DESCRIBED },
    ])
    expect(registry.find('now')?.parseArguments({ n: '5' })).toEqual({ n: 5 })
    expect(await registry.find('later')?.parseArguments({ n: '5' })).toEqual({ n: 5 })
  })

  test('reports the invalid field', async () => {
    const registry = createToolRegistry([tool('now', numeric(false)), tool('later', numeric(true))])
    expect(() => registry.find('now')?.parseArguments({})).toThrow(BadInput)
    await expect(registry.find('later')?.parseArguments({})).rejects.toThrow("'list.0.n': expected a number")
  })

  test('that cannot convert itself is rejected with a suggestion', () => {
    const unconvertible: StandardSchema = {
      '~standard': { version: 1, vendor: 'mute', validate: (value) => ({ value }) },
    }
    expect(() => createToolRegistry([tool('x', unconvertible)])).toThrow(
      '(mute) cannot describe itself as JSON Schema: use',
    )
  })
})

describe('rejected when the server is created', () => {
  const fine = { type: 'object' }

  test.each(['', 'with space', 'ünïcode', 'x'.repeat(129), 'a/b'])('the name %j', (name) => {
    expect(() => createToolRegistry([tool(name, fine)])).toThrow('tool name not allowed')
  })

  test('two tools with one name', () => {
    expect(() => createToolRegistry([tool('a', fine), tool('a', fine)])).toThrow('two tools are called a')
  })

  test('an input or output that is not an object schema', () => {
    expect(() => createToolRegistry([tool('a', { type: 'string' })])).toThrow('the input of tool a must be')
    expect(() => createToolRegistry([tool('a', fine, { type: 'array' })])).toThrow('the output of tool a must be')
  })

  test('an output together with a format function', () => {
    const both = { ...tool('a', fine, fine), format: () => '' }
    expect(() => createToolRegistry([both])).toThrow('tool a has both output and format')
  })
})

test('the list text is cached', () => {
  const make = () => createToolRegistry([tool('b', DESCRIBED), tool('a', DESCRIBED)])
  expect(make().list('2026-07-28', undefined)).toBe(make().list('2026-07-28', undefined))
  expect(make().names()).toEqual(['b', 'a'])
})

describe('a tool with load', () => {
  const lazy = (load: () => Promise<ToolHandler>) => createToolRegistry([{ name: 'lazy', load }]).find('lazy')

  test('is loaded by the first call, once', async () => {
    let loads = 0
    const handler = { run: () => 'done' }
    const registered = lazy(() => (loads++, Promise.resolve(handler)))
    expect(loads).toBe(0)
    expect(await Promise.all([registered?.loadHandler(), registered?.loadHandler()])).toEqual([handler, handler])
    expect(registered?.handler).toBe(handler)
    expect(loads).toBe(1)
  })

  test('is loaded again after a failed load', async () => {
    let loads = 0
    const handler = { run: () => 'done' }
    const registered = lazy(() =>
      loads++ === 0 ? Promise.reject(new Error('no such file')) : Promise.resolve(handler),
    )
    await expect(registered?.loadHandler()).rejects.toThrow('no such file')
    expect(await registered?.loadHandler()).toBe(handler)
  })

  test('may not have run as well, and its handler no format beside output', async () => {
    const handler = { run: () => ({}), format: () => '' }
    const both = { name: 'a', load: () => Promise.resolve(handler), ...handler }
    expect(() => createToolRegistry([both])).toThrow('tool a has both load and run')
    const output = { name: 'a', output: { type: 'object' }, load: () => Promise.resolve(handler) }
    await expect(createToolRegistry([output]).find('a')?.loadHandler()).rejects.toThrow(
      'tool a has both output and format',
    )
  })
})

test('a schema is compiled once for all servers that have the tool', async () => {
  // As for HTTP.
  await loadFullCompiler()
  let reads = 0
  const text = {
    type: 'string',
    get minLength() {
      reads += 1
      return 2
    },
  }
  const shared = tool('shared', { type: 'object', properties: { text }, required: ['text'] })
  const registries = [createToolRegistry([shared]), createToolRegistry([shared])]
  const readsOf: number[] = []
  for (const registry of registries) {
    expect(await registry.find('shared')?.parseArguments({ text: 'ab' })).toEqual({ text: 'ab' })
    expect(() => registry.find('shared')?.parseArguments({ text: 'a' })).toThrow(BadInput)
    readsOf.push(reads)
  }
  expect(readsOf[0]).toBeGreaterThan(0)
  expect(readsOf[1]).toBe(readsOf[0])
})
