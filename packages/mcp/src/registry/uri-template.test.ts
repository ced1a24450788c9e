import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { startCpuClock } from '../../../../test/support/load.js'
import { parseUriTemplate } from './uri-template.js'

test.each([
  ['a://{x}', 'a://1', { x: '1' }],
  ['a://{x}', 'a://a%20b%C3%A9', { x: 'a bé' }],
  ['a://{x}/{y}', 'a://1/2', { x: '1', y: '2' }],
  ['a://{x}-{y}', 'a://1-2-3', { x: '1', y: '2-3' }],
  ['a://{+path}', 'a://b/c/d', { path: 'b/c/d' }],
  ['a://{+path}.md', 'a://b.md/c.md', { path: 'b.md/c' }],
  ['a://fixed', 'a://fixed', {}],
  ['a://{__proto__}', 'a://1', JSON.parse('{"__proto__":"1"}')],
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
])('%s does not match %j', (template, uri) => {
  expect(parseUriTemplate(template).match(uri)).toBeUndefined()
})

test.each(['a://{x}{y}', 'a://{x}/{x}', 'a://{}', 'a://{?x}', 'a://{x', 'a://x}{y}}', 'a://{x*}', 'a://{x,y}'])(
  'rejects the template %s',
  (template) => {
    expect(() => parseUriTemplate(template)).toThrow(template)
  },
)

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
  for (const uri of hostile) template.match(uri)
  const cpuMs = startCpuClock()
  for (let run = 0; run < 20; run++) for (const uri of hostile) template.match(uri)
  expect(cpuMs() / 60).toBeLessThan(3)
})
