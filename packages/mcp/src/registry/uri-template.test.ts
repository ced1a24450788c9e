import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { startCpuClock } from '../../../../test/support/load.js'
import { parseUriTemplate, type UriTemplate } from './uri-template.js'

test.each([
  ['a://{x}', 'a://1', { x: '1' }],
  ['a://{x}', 'a://a%20b%C3%A9', { x: 'a bé' }],
  ['a://{x}/{y}', 'a://1/2', { x: '1', y: '2' }],
  ['a://{x}-{y}', 'a://1-2-3', { x: '1', y: '2-3' }],
  ['a://{+path}', 'a://b/c/d', { path: 'b/c/d' }],
  ['a://{+path}.md', 'a://b.md/c.md', { path: 'b.md/c' }],
  ['a://fixed', 'a://fixed', {}],
  ['a://{__proto__}', 'a://1', JSON.parse('{"__proto__":"1"}')],
  ['a://i{?x}', 'a://i', {}],
  ['a://i{?x}', 'a://i?', {}],
  ['a://i{?x}', 'a://i?&&', {}],
  ['a://i{?x}', 'a://i?x', {}],
  ['a://i{?x}', 'a://i?x=', { x: '' }],
  ['a://i{?x}', 'a://i?x=1', { x: '1' }],
  ['a://i{?x}', 'a://i?x=a%20b%C3%A9+c', { x: 'a bé+c' }],
  ['a://i{?x}', 'a://i?x=b/c?d=e', { x: 'b/c?d=e' }],
  ['a://i{?x}', 'a://i?x=b%2Fc%26d', { x: 'b/c&d' }],
  ['a://i{?x}', 'a://i?%78=1', { x: '1' }],
  ['a://i{?x}', 'a://i?x=1&x=2', { x: '2' }],
  ['a://i{?x}', 'a://i?y=%&%=1&X=2&x=3', { x: '3' }],
  ['a://i{?x,y}', 'a://i?y=2&x=1', { x: '1', y: '2' }],
  ['a://i{?x,y}', 'a://i?y=2', { y: '2' }],
  ['a://{id}{?x}', 'a://1?x=2', { id: '1', x: '2' }],
  ['a://{id}{?x}', 'a://1?id=3', { id: '1' }],
  ['a://{id}{?x}', 'a://1%3Fx=2', { id: '1?x=2' }],
  ['a://{+path}/end{?x}', 'a://b/c/end?x=/end', { path: 'b/c', x: '/end' }],
  ['a://i?f=1{&x,y}', 'a://i?f=1&y=2', { y: '2' }],
  ['a://i?f=1{&x}', 'a://i?f=1', {}],
  ['a://i{?__proto__}', 'a://i?__proto__=1&constructor=2', JSON.parse('{"__proto__":"1"}')],
])('%s matches %s', (template, uri, variables) => {
  expect(parseUriTemplate(template).match(uri)).toEqual(variables)
})

test.each([
  ['a://{x}', 'a://'],
  ['a://{x}', 'a://b/c'],
  ['a://{x}', 'a://b%2Fc'],
  ['a://{x}', 'a://..%2f..%2fetc'],
  ['a://{x}', 'a://%'],
  ['a://{x}', 'a://%ff'],
  ['a://{x}', 'A://1'],
  ['a://{x}', ' a://1'],
  ['a://{x}/end', 'a://1/end/'],
  ['a://{x}/{y}', 'a://1/'],
  ['a://{x}/{y}', 'a:///1'],
  ['a://fixed', 'a://fixed/'],
  ['a://{+path}', `a://${'x'.repeat(8192)}`],
  ['a://i{?x}', 'a://'],
  ['a://i{?x}', 'a://i/'],
  ['a://i{?x}', 'a://i&x=1'],
  ['a://i{?x}', 'a://i?x=%'],
  ['a://i{?x}', 'a://i?x=%ff'],
  ['a://i{?x}', 'a://i?x=1&x=%ff'],
  ['a://{id}{?x}', 'a://?x=1'],
  ['a://{id}{?x}', 'a://b%2Fc?x=1'],
  ['a://i?f=1{&x}', 'a://i'],
  ['a://i?f=1{&x}', 'a://i?x=1'],
  ['a://i?f=1{&x}', 'a://i?f=12&x=1'],
  ['a://i?f=1{&x}', 'a://i?x=1&f=1'],
])('%s does not match %j', (template, uri) => {
  expect(parseUriTemplate(template).match(uri)).toBeUndefined()
})

test.each([
  'a://{x}{y}',
  'a://{x}/{x}',
  'a://{}',
  'a://{x',
  'a://x}{y}}',
  'a://{x*}',
  'a://{x,y}',
  'a://{/x}',
  'a://{;x}',
  'a://{#x}',
  'a://i{?}',
  'a://i{?x,}',
  'a://i{?x*}',
  'a://i{?x:3}',
  'a://i{?x,x}',
  'a://{x}{?x}',
  'a://i{?x}/y',
  'a://i{?x}{?y}',
  'a://i{?x}{&y}',
  'a://i?f=1{?x}',
  'a://i{&x}',
  'a://i?{&x}',
  'a://i?f={f}{&x}',
])('rejects the template %s', (template) => {
  expect(() => parseUriTemplate(template)).toThrow(template)
})

test('names the variables of path and query', () => {
  expect(parseUriTemplate('a://{x}/{+y}{?z,w}').variables).toEqual(['x', 'y', 'z', 'w'])
})

describe('any values', () => {
  const name = fc.stringMatching(/^[a-z]{1,5}$/)
  const value = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !text.includes('/') && text.isWellFormed())

  test('are read back from the URI they were put into', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { maxLength: 5, selector: ([key]) => key }), (pairs) => {
        const template = `t://${pairs.map(([key]) => `{${key}}`).join('/')}`
        const uri = `t://${pairs.map(([, text]) => encodeURIComponent(text)).join('/')}`
        expect(parseUriTemplate(template).match(uri)).toEqual(Object.fromEntries(pairs))
      }),
    )
  })

  test('of a query are read back in any order, with others between them and some missing', () => {
    const anything = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed())
    const parameter = fc.record({ key: name, text: anything, isKnown: fc.boolean(), isSent: fc.boolean() })
    const parameters = fc.uniqueArray(parameter, { minLength: 1, maxLength: 6, selector: ({ key }) => key })
    const anyOrder = parameters.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(anyOrder, value, ([all, shuffled], id) => {
        const known = all.filter(({ isKnown }) => isKnown)
        fc.pre(known.length > 0)
        const template = parseUriTemplate(`t://{ID}{?${known.map(({ key }) => key).join(',')}}`)
        const sent = shuffled.filter(({ isSent }) => isSent)
        const query = sent.map(({ key, text }) => `${key}=${encodeURIComponent(text)}`).join('&')
        expect(template.match(`t://${encodeURIComponent(id)}?${query}`)).toEqual({
          ID: id,
          ...Object.fromEntries(sent.filter(({ isKnown }) => isKnown).map(({ key, text }) => [key, text])),
        })
      }),
    )
  })

  test('of a query never change the variables of the path, whatever the text', () => {
    const template = parseUriTemplate('t://{a}/{b}{?c,d}')
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'c', 'd', '=', '&', '?', '/', '#', '%', '%26', '%3D', '+', '\ud800') }),
        (query) => {
          const found = template.match(`t://1/2?${query}`)
          // Only a parameter that cannot be decoded prevents the match.
          if (!found) expect(query).toMatch(/[cd]=[^&]*%/)
          const { c, d, ...path } = found ?? { a: '1', b: '2' }
          expect(path).toEqual({ a: '1', b: '2' })
          expect([typeof c, typeof d].every((type) => type === 'string' || type === 'undefined')).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('of {name} never contain a slash', () => {
    const template = parseUriTemplate('t://{a}-{b}/{c}')
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('/', '%2F', '%2f', '-', 'a', '%', '%5C') }), (rest) => {
        const found = template.match(`t://${rest}`)
        for (const text of Object.values(found ?? {})) expect(text).not.toContain('/')
      }),
      { numRuns: 2000 },
    )
  })
})

test('takes linear time on 8 KB made for backtracking', () => {
  const template = parseUriTemplate(`t://${Array.from({ length: 20 }, (_, index) => `{+v${index}}`).join('a')}b`)
  const hostile = [`t://${'a'.repeat(8188)}`, `t://${'ab'.repeat(4094)}`, `t://${'%61'.repeat(2729)}`]
  expect(measureMatch(template, hostile)).toBeLessThan(3)
})

test('takes linear time on 8 KB of query made for backtracking', () => {
  const names = Array.from({ length: 500 }, (_, index) => `v${index}`)
  const template = parseUriTemplate(`t://{+p}a{?${names.join(',')}}`)
  const hostile = ['&', '=', '?', 'v1=&', '%3D', '%', 'v499=1&', '&=?'].map((text) =>
    `t://aaa?${text.repeat(8192)}`.slice(0, 8192),
  )
  expect(measureMatch(template, hostile)).toBeLessThan(3)
  const cpuMs = startCpuClock()
  for (const text of ['{?x,', 'x,}', '?}', '{&', '{?x}', '{?x}?', '{?x}{&y}']) {
    expect(() => parseUriTemplate(`t://{${text.repeat(20_000)}`)).toThrow()
  }
  expect(cpuMs()).toBeLessThan(500)
})

/** Milliseconds for each URI. */
function measureMatch(template: UriTemplate, uris: readonly string[]): number {
  for (const uri of uris) template.match(uri)
  const cpuMs = startCpuClock()
  for (let run = 0; run < 20; run++) for (const uri of uris) template.match(uri)
  return cpuMs() / 20 / uris.length
}
