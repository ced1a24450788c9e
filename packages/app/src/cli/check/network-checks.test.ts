import { expect, test } from 'vitest'

import type { CertificateInfo, ProbeResponse } from './http-probe.js'
import { checkAddress, checkCertificate, checkUnauthenticated } from './network-checks.js'

const URL_ = new URL('https://mcp.example.com/mcp')
const NOW = Date.UTC(2026, 0, 1)
const DAY = 86_400_000

const ANSWERED: ProbeResponse = {
  kind: 'answered',
  status: 401,
  headers: { 'www-authenticate': 'Bearer' },
  body: '',
  bodyEnd: 'whole',
  ms: 1,
  certificate: undefined,
}

function withCertificate(certificate: Partial<CertificateInfo>): ProbeResponse {
  const fine = {
    subject: 'me',
    issuer: 'CA',
    validTo: new Date(NOW + 60 * DAY),
    distrust: undefined,
    wrongHost: undefined,
  }
  return { ...ANSWERED, certificate: { ...fine, ...certificate } }
}

test.each<[string, ProbeResponse, string, RegExp]>([
  ['a good one', withCertificate({}), 'ok', /issued by "CA", 60 days left/],
  ['one that ends soon', withCertificate({ validTo: new Date(NOW + 3 * DAY) }), 'warning', /expires in 3 days/],
  [
    'an expired one',
    withCertificate({ validTo: new Date(NOW - 3 * DAY), distrust: 'CERT_HAS_EXPIRED' }),
    'failed',
    /^it expired 3 days ago$/,
  ],
  [
    'one for another host',
    withCertificate({ wrongHost: "Host: a. is not in the cert's altnames" }),
    'failed',
    /altnames/,
  ],
  ['an unknown issuer', withCertificate({ distrust: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }), 'failed', /UNABLE_TO_VERIFY/],
  ['none', ANSWERED, 'failed', /sent none/],
])('a certificate: %s', (_, answered, state, seen) => {
  expect(checkCertificate(answered, URL_, NOW)).toMatchObject({ state, seen: expect.stringMatching(seen) })
})

test('HTTPS passes if it was answered; plain HTTP is a warning except on loopback', () => {
  const unanswered = { kind: 'unanswered', reason: 'getaddrinfo ENOTFOUND mcp.example.com', ms: 1 } as const
  expect(checkAddress(URL_, false, ANSWERED).state).toBe('ok')
  expect(checkAddress(URL_, false, unanswered)).toMatchObject({
    state: 'skipped',
    seen: expect.stringContaining('ENOTFOUND'),
  })
  expect(checkAddress(new URL('http://mcp.example.com/'), false, ANSWERED)).toMatchObject({ state: 'warning' })
  expect(checkAddress(new URL('http://127.0.0.1/'), true, ANSWERED).state).toBe('skipped')
})

test('access without credentials is a failure, on loopback a warning', () => {
  const served = { ...ANSWERED, status: 200 }
  expect(checkUnauthenticated(served, served, false).state).toBe('failed')
  expect(checkUnauthenticated(served, served, true).state).toBe('warning')
  expect(checkUnauthenticated({ ...ANSWERED, status: 500 }, ANSWERED, true).state).toBe('failed')
})
