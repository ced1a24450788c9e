import { expect, test } from 'vitest'

import { expandTemplate, listVariables } from './uri-template.js'

test.each<[string, object, string]>([
  ['notes://note/{id}', { id: 'a b/c' }, 'notes://note/a%20b%2Fc'],
  ['file:///{+path}', { path: 'a b/c' }, 'file:///a%20b/c'],
  ['x://s{?q,lang}', { q: '1&2', lang: 'ko' }, 'x://s?q=1%262&lang=ko'],
  ['x://s{?q,lang}', { lang: 'ko' }, 'x://s?lang=ko'],
  ['x://s{?q}', {}, 'x://s'],
  ['x:/{/a,b}', { a: 1, b: 2 }, 'x://1/2'],
])('%s with %j is %s', (template, values, uri) => {
  expect(expandTemplate(template, { ...values })).toBe(uri)
})

test('the variables of a template', () => {
  expect(listVariables('x://{a}/{+b}{?c,d*}{#e:3}')).toEqual(['a', 'b', 'c', 'd', 'e'])
})
