import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createTokenRedactor, redactTokens } from './redact-tokens.js'

const HEX = '0123456789abcdef'.repeat(3)

test.each([
  [`Authorization: Bearer ${HEX}`, 'Authorization: Bearer [secret]'],
  ['curl -H "authorization: basic dXNlcjpwdw=="', 'curl -H "authorization: basic [secret]"'],
  [`{"Authorization":"Bearer ${HEX}"}`, '{"Authorization":"Bearer [secret]"}'],
  [`it is bearer ${HEX}.`, 'it is bearer [secret]'],
  ['export KEY=sk-proj-a1b2c3d4e5f6g7h8i9', 'export KEY=[secret]'],
  [`ghp_${'a1'.repeat(18)} and github_pat_${'b2'.repeat(20)}`, '[secret] and [secret]'],
  ['xoxb-123456789012-abcdefABCDEF', '[secret]'],
  ['aws AKIAIOSFODNN7EXAMPLE x', 'aws [secret] x'],
  [`cookie=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${HEX};`, 'cookie=[secret];'],
  [
    'a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nb',
    'a\n-----BEGIN RSA PRIVATE KEY-----[secret]-----END RSA PRIVATE KEY-----\nb',
  ],
  ['-----BEGIN PRIVATE KEY-----\nMIIE', '-----BEGIN PRIVATE KEY-----[secret]'],
  ['postgres://ann:hunter22@db/x', 'postgres://ann:[secret]@db/x'],
  ['https://x.test/?a=1&access_token=abcdef123&b=2', 'https://x.test/?a=1&access_token=[secret]&b=2'],
  ['GITHUB_TOKEN=abcdef123 make', 'GITHUB_TOKEN=[secret] make'],
  ["DB_PASSWORD='two words' make", "DB_PASSWORD='[secret]' make"],
  ['{"apiKey": "a\\"b\\"cdef", "x": 1}', '{"apiKey": "[secret]", "x": 1}'],
  ['STRIPE_SECRET_KEY=abcdef123', 'STRIPE_SECRET_KEY=[secret]'],
  ["curl -H 'X-Api-Key: abcdef123' x.test", "curl -H 'X-Api-Key: [secret]' x.test"],
  ['Cookie: theme=dark; session=abcdef123\nHost: x', 'Cookie: [secret]\nHost: x'],
  ['{"Cookie": "a=1; b=2", "x": 1}', '{"Cookie": "[secret]", "x": 1}'],
  ['authorization: 0123456789abcdef', 'authorization: [secret]'],
  ['Authorization: ApiKey 0123456789abcdef', 'Authorization: ApiKey [secret]'],
  ['-d "{\\"password\\": \\"pa\\\\\\"ss\\", \\"x\\": 1}"', '-d "{\\"password\\": \\"[secret]\\", \\"x\\": 1}"'],
  [`sxc_${'-Aa1'.repeat(11)} of user ann`, '[secret] of user ann'],
  [`http://127.0.0.1:46813/#key=${'-Aa1'.repeat(11)}`, 'http://127.0.0.1:46813/#key=[secret]'],
  ['next=%3Ftoken%3Dabcdef123', 'next=%3Ftoken%3D[secret]'],
  ['deploy --user ann --password hunter22 --dry-run', 'deploy --user ann --password [secret] --dry-run'],
  ['npm publish --auth-token "abcdef123"', 'npm publish --auth-token "[secret]"'],
])('%s', (text, expected) => {
  expect(redactTokens(text)).toBe(expected)
})

test.each([
  'echo $TOKEN; curl -H "Authorization: Bearer $TOKEN" https://x.test',
  'PASSWORD=$(pass show db) make && API_KEY="$KEY" make',
  'max_tokens=4096 --tokenizer=cl100k_base',
  'the token is in the header, the password in the vault',
  'sk-learn-is-a-package-name and https://x.test:8080/path',
  'password=<your password> and "token": "<token>"',
  'git log --format=%H; ls -la | grep secret',
  'login --password "$PASSWORD" --token $(pass token) --password --stdin',
  'api-key: $KEY, a cookie: <cookie>, and a cookie: it is stored by the browser',
  'Authorization: required, Cookie: $COOKIE',
])('is no secret: %s', (text) => {
  expect(redactTokens(text)).toBe(text)
})

test('what was replaced once stays as it is', () => {
  const piece = fc.constantFrom(
    'TOKEN=',
    '"password": "',
    'abcdef123',
    '-----BEGIN PRIVATE KEY-----',
    '"',
    ' ',
    '://a:',
    '@',
    'sk-',
    HEX,
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const once = redactTokens(pieces.join(''))
      expect(redactTokens(once)).toBe(once)
    }),
  )
})

test('a token is replaced wherever it stands in a text', () => {
  const token = `ghp_${'a1'.repeat(18)}`
  const around = fc.string({ unit: 'binary-ascii' }).map((text) => text.replaceAll(/[\w-]$|^[\w]+/g, ' '))
  fc.assert(
    fc.property(around, around, (before, after) => {
      expect(redactTokens(`${before} ${token} ${after}`)).not.toContain(token)
    }),
  )
})

test('the settings add names and expressions', () => {
  const redact = createTokenRedactor('customer_number, /ACME-\\d{4,8}/\n/[a-f]+@corp\\.test/')
  expect(redact('CUSTOMER_NUMBER=123456 acme-12345, abc@corp.test')).toBe('CUSTOMER_NUMBER=[secret] [secret], [secret]')
})

test.each([
  ['ab', /not a name/],
  ['a b', /not a name/],
  ['/(a+)+b/', /single characters/],
  ['/a+b+c/', /repeats too much/],
  [`/${'(a|a)'.repeat(20)}b/`, /repeats too much/],
  ['/(?=a)b/', /groups/],
  ['/(?<x>a)/', /groups/],
  ['/(a)\\1/', /not understood/],
  ['/a*/', /empty/],
  ['/a', /slash/],
  ['/[/', /./],
  ['/a{3,1}/', /no meaning/],
  ['/a**/', /single characters/],
  [`/${'a'.repeat(300)}/`, /longer/],
  [Array.from({ length: 60 }, (_, index) => `name${index}`).join(), /entries/],
])('a setting that could take long or means nothing is refused: %s', (setting, reason) => {
  expect(() => createTokenRedactor(setting)).toThrow(reason)
})

test('takes time in proportion to the text, also with an expression of the settings', () => {
  const redact = createTokenRedactor('/x[a-z]+\\d\\d/')
  const pieces = [
    'x',
    'xa',
    'token=',
    'sk-',
    '://a:',
    '"password": "',
    '-----BEGIN ',
    'eyJaaaaaaaaaaaa.',
    'authorization: bearer ',
    '\\',
  ]
  for (const piece of pieces) {
    const startedAt = performance.now()
    redact(piece.repeat(200_000 / piece.length))
    // Some milliseconds; quadratic time would be minutes.
    expect(performance.now() - startedAt).toBeLessThan(5000)
  }
})
