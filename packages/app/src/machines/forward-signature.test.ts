import { expect, test } from 'vitest'

import { checkForwarding, FORWARD_HEADER, signForwarding } from './forward-signature.js'

const KEY = 'a key of the database'
const SENDER = 'a'.repeat(32)
const TARGET = 'b'.repeat(32)
const CLAIM = { sender: SENDER, target: TARGET, at: 1_000_000, clientAddress: '::1', method: 'POST', path: '/mcp?x=1' }
const SELF = { incarnation: TARGET, key: KEY, now: 1_010_000 }

function requestWith(value: string, method = 'POST', url = '/mcp?x=1') {
  return { headers: { [FORWARD_HEADER]: value }, method, url }
}

test('a machine recognizes what was forwarded to it', () => {
  expect(checkForwarding(requestWith(signForwarding(CLAIM, KEY)), SELF)).toEqual({ kind: 'valid', claim: CLAIM })
})

test.each([
  ['no header', { headers: {}, method: 'POST', url: '/mcp' }],
  ['any text', requestWith('1;2;3')],
  ['two headers', requestWith(`${signForwarding(CLAIM, KEY)}, ${signForwarding(CLAIM, KEY)}`)],
  ['another key', requestWith(signForwarding(CLAIM, 'guessed'))],
  ['another method', requestWith(signForwarding(CLAIM, KEY), 'DELETE')],
  ['another path', requestWith(signForwarding(CLAIM, KEY), 'POST', '/mcp?x=2')],
  ['another address', requestWith(signForwarding(CLAIM, KEY).replace(/;[\w-]+;([\w-]+)$/, ';OS45LjkuOQ;$1'))],
  ['another time', requestWith(signForwarding(CLAIM, KEY).replace(';1000000;', ';1000001;'))],
])('%s means nothing', (_, request) => {
  expect(checkForwarding(request, SELF)).toEqual({ kind: 'ignored' })
})

test.each([
  ['meant for an earlier incarnation', { ...SELF, incarnation: 'c'.repeat(32) }],
  ['too old', { ...SELF, now: 1_030_001 }],
  ['from the future', { ...SELF, now: 969_999 }],
])('what is %s is sent back', (_, self) => {
  expect(checkForwarding(requestWith(signForwarding(CLAIM, KEY)), self)).toEqual({ kind: 'misdirected' })
})
