import { expect, test } from 'vitest'

import { parseConsoleAction } from './console-actions.js'

const LONG = 'x'.repeat(20_001)
const parse = (verb: string, fields: object): unknown => parseConsoleAction(verb, JSON.stringify(fields))

test('a text that is too long is refused with its limit', () => {
  const decision = { project: '/p', id: 1, hash: 'h', outcome: 'rejected', comment: LONG }
  expect(parse('decide', decision)).toBe(
    'comment has a text of more than 20,000 characters. Shorten it; nothing was changed.',
  )
  const replies = [{ outcome: 'answered', selected: [LONG] }]
  expect(parse('answer', { project: '/p', id: 1, replies })).toMatch(/^replies has a text of more than 20,000/)
  const change = { kind: 'create', name: 'n', steps: [LONG] }
  expect(parse('change-task', { project: '/p', change })).toMatch(/^change has a text of more than 20,000/)
  expect(parse('decide', { ...decision, outcome: 'approved', comment: undefined, text: LONG })).toBeTypeOf('function')
  expect(parse('decide', { ...decision, comment: 5 })).toBe('comment must be a string')
})
