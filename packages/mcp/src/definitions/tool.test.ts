// The types that authors of tools see; `npm run check` checks them.

import { expectTypeOf, test } from 'vitest'

import type { FromSchema } from '../json-schema/infer-type.js'
import type { JsonObject } from '../json/json.js'
import type { CallContext } from './call-context.js'
import type { StandardSchema } from './standard-schema.js'
import { defineTool, defineToolWith } from './tool.js'

const base = {
  name: 'x',
  title: 'X',
  description: 'x',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
} as const

test('the input of run is typed by the schema', () => {
  defineTool({
    ...base,
    input: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        times: { type: 'integer' },
        mode: { enum: ['a', 'b'] },
        tags: { type: 'array', items: { type: 'string' } },
        place: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
        maybe: { type: ['string', 'null'] },
      },
      required: ['text', 'mode', 'maybe'],
    },
    run(input) {
      expectTypeOf(input.text).toEqualTypeOf<string>()
      expectTypeOf(input.times).toEqualTypeOf<number | undefined>()
      expectTypeOf(input.mode).toEqualTypeOf<'a' | 'b'>()
      expectTypeOf(input.tags).toEqualTypeOf<readonly string[] | undefined>()
      expectTypeOf(input.place).toEqualTypeOf<{ readonly x: number } | undefined>()
      expectTypeOf(input.maybe).toEqualTypeOf<string | null>()
      return input.text.length
    },
    format(value) {
      expectTypeOf(value).toEqualTypeOf<number>()
      return String(value)
    },
  })
})

test('a loaded handler is typed by the schema and the services', () => {
  const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const
  interface Adder {
    add(n: number): number
  }
  const handler = {
    run: ({ n }: { readonly n: number }, _call: CallContext, { adder }: { readonly adder: Adder }) => adder.add(n),
    format: (sum: number) => String(sum),
  }
  const defineToolWithAdder = defineToolWith<{ adder: Adder }>()
  defineToolWithAdder({ ...base, input, services: ['adder'], load: () => Promise.resolve(handler) })
  // @ts-expect-error the service is not named
  defineToolWithAdder({ ...base, input, load: () => Promise.resolve(handler) })
  const formatsText = { ...handler, format: (text: string) => text }
  // @ts-expect-error format does not take what run returns
  defineToolWithAdder({ ...base, input, services: ['adder'], load: () => Promise.resolve(formatsText) })
})

test('nullable objects, open objects, and alternatives beside properties are typed too', () => {
  defineTool({
    ...base,
    input: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        place: { type: ['object', 'null'], properties: { x: { type: 'number' } }, required: ['x'] },
        tags: { type: ['array', 'null'], items: { type: 'string' } },
        counts: { type: 'object', additionalProperties: { type: 'number' } },
        shape: {
          type: 'object',
          oneOf: [{ properties: { side: { type: 'number' } }, required: ['side'] }, { required: ['free'] }],
        },
      },
      required: ['place', 'tags', 'counts', 'other'],
      anyOf: [{ required: ['id'] }, { required: ['shape'] }],
    },
    run(input) {
      expectTypeOf(input.id).toEqualTypeOf<string | undefined>()
      expectTypeOf(input.place).toEqualTypeOf<{ readonly x: number } | null>()
      expectTypeOf(input.tags).toEqualTypeOf<readonly string[] | null>()
      expectTypeOf(input.counts).toEqualTypeOf<{ readonly [key: string]: number }>()
      expectTypeOf(input.shape).toEqualTypeOf<
        { readonly side: number } | { readonly [key: string]: unknown } | undefined
      >()
      expectTypeOf(input.other).toEqualTypeOf<unknown>()
      return ''
    },
  })
})

test('a Standard Schema provides its own output type', () => {
  defineTool({
    ...base,
    input: {} as StandardSchema<{ n: string }, { n: number }>,
    run(input) {
      expectTypeOf(input).toEqualTypeOf<{ n: number }>()
      return input.n
    },
    format: (value) => value.toFixed(),
  })
})

test('run must return what output declares, and may return more', () => {
  const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const
  defineTool({
    ...base,
    input: { type: 'object' },
    output,
    run: () => ({ sum: 1, more: 'm' }),
    format: (value) => value.more,
  })
  // @ts-expect-error -- `sum` is missing
  defineTool({ ...base, input: { type: 'object' }, output, run: () => ({ total: 1 }), format: () => '' })
})

test('run receives only the services the tool names', () => {
  const define = defineToolWith<{ clock: { now(): number }; disk: { free(): number } }>()
  define({ ...base, services: ['clock'], run: (_input, _call, { clock }) => clock.now(), format: String })
  // @ts-expect-error -- the tool does not name disk
  define({ ...base, services: ['clock'], run: (_input, _call, { disk }) => disk.free(), format: String })
  // @ts-expect-error -- unknown service
  define({ ...base, services: ['network'], run: () => 1, format: String })
})

test('a name and run are enough', () => {
  defineTool({
    name: 'x',
    run(input, call) {
      expectTypeOf<keyof typeof input>().toBeNever()
      expectTypeOf(call).toEqualTypeOf<CallContext<JsonObject>>()
      return 'done'
    },
  })
})

test('argument errors must name existing arguments', () => {
  const input = { type: 'object', properties: { verb: { enum: ['eat', 'go'] } }, required: ['verb'] } as const
  defineTool({ name: 'x', input, argumentErrors: { verb: 'which verb?' }, run: ({ verb }) => verb })
  // @ts-expect-error -- unknown argument
  defineTool({ name: 'x', input, argumentErrors: { noun: 'which noun?' }, run: ({ verb }) => verb })
})

test('anything the schema does not specify is unknown', () => {
  expectTypeOf<FromSchema<{ type: 'object' }>>().toEqualTypeOf<{ readonly [key: string]: unknown }>()
  expectTypeOf<FromSchema<{ anyOf: [{ type: 'string' }, { type: 'integer' }] }>>().toEqualTypeOf<string | number>()
  expectTypeOf<FromSchema<{ const: 5 }>>().toEqualTypeOf<5>()
  expectTypeOf<FromSchema<Record<string, never>>>().toBeUnknown()
})
