import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

import { type AuthenticatorOptions, createAuthenticator, type Principal } from '@scorpiox/mcp/http/authenticator'
import type { Refusal } from '@scorpiox/mcp/http/host-policy'
import { advanceMonotonicClock } from '../../../../test/support/clock.js'
import { createAccessTokenVerifier, type OAuthVerifier } from './oauth.js'
import { openTokenFile } from './token-file.js'

const RESOURCE = 'https://mcp.example.com/mcp'
const FIXED = 'a-token-chosen-by-hand'
const tokens = openTokenFile(join(mkdtempSync(join(tmpdir(), 'scorpiox-auth-')), 'tokens.json'))
const { token, record } = tokens.create({ name: 'laptop', user: 'ada' })

const build = (input: Partial<AuthenticatorOptions> = {}) =>
  createAuthenticator({
    allowAnonymous: false,
    keyHeader: 'X-API-Key',
    fixedTokens: [FIXED],
    defaultUser: 'owner',
    tokens,
    oauth: undefined,
    ...input,
  })
const bearer = (credential: string): IncomingHttpHeaders => ({ authorization: `Bearer ${credential}` })

describe('a static token', () => {
  test('is checked synchronously: named, fixed, in either header', () => {
    const auth = build()
    const ada: Principal = { user: 'ada', method: 'token', credentialId: record.id }
    expect(auth.authenticate(bearer(token))).toEqual(ada)
    expect(auth.authenticate({ 'x-api-key': token })).toEqual(ada)
    expect(auth.authenticate(bearer(FIXED))).toEqual({ user: 'owner', method: 'token', credentialId: 'HTTP_TOKEN' })
    expect(build({ keyHeader: 'X-Mine' }).authenticate({ 'x-mine': token })).toEqual(ada)
  })

  test('missing: 401 with a challenge; wrong: 401 with invalid_token', () => {
    const auth = build()
    expect(auth.authenticate({})).toEqual({
      status: 401,
      reason: 'Send a valid token as "Authorization: Bearer <token>" or "x-api-key: <token>"',
      headers: { 'www-authenticate': 'Bearer' },
    })
    expect(auth.authenticate(bearer('nope'))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  })

  test.each([
    ['the fixed token and more', bearer(`${FIXED}x`)],
    ['the fixed token cut', bearer(FIXED.slice(0, -1))],
    ['the fixed token in upper case', bearer(FIXED.toUpperCase())],
    ['the hash of a named token', bearer(record.hash)],
    ['the id of a named token', bearer(record.id)],
    ['the name of a named token', bearer('laptop')],
    ['a named token and more', bearer(`${token}x`)],
    ['two good ones that differ', { ...bearer(token), 'x-api-key': FIXED }],
    ['something like an access token, without OAuth', bearer('a.b.c')],
    ['a password', { authorization: `Basic ${Buffer.from(`x:${FIXED}`).toString('base64')}` }],
    ['a cookie', { cookie: `token=${token}` }],
  ])('%s is refused', (_, headers) => {
    expect(build().authenticate(headers)).toMatchObject({ status: 401 })
  })

  test('without any configured token every request is refused, even with an empty one', () => {
    const auth = build({ fixedTokens: [''], tokens: undefined })
    for (const text of ['', ' ', FIXED, token, 'undefined'])
      expect(auth.authenticate(bearer(text))).toMatchObject({ status: 401 })
    expect(auth.authenticate({ 'x-api-key': '' })).toMatchObject({ status: 401 })
  })

  test('is refused within a second after it was revoked', () => {
    const auth = build()
    const other = tokens.create({ name: 'phone', user: 'ada' })
    for (let round = 0; round < 1000; round++)
      expect(auth.authenticate(bearer(other.token))).toMatchObject({ user: 'ada' })
    const elsewhere = openTokenFile(join(mkdtempSync(join(tmpdir(), 'scorpiox-auth-')), 'tokens.json'))
    const third = elsewhere.create({ name: 'tablet', user: 'ada' })
    const watching = build({ tokens: elsewhere })
    expect(watching.authenticate(bearer(third.token))).toMatchObject({ user: 'ada' })
    tokens.revoke('phone')
    elsewhere.revoke('tablet')
    advanceMonotonicClock(1000)
    expect(auth.authenticate(bearer(other.token))).toMatchObject({ status: 401 })
    expect(watching.authenticate(bearer(third.token))).toMatchObject({ status: 401 })
  })

  test('is not required if anonymous access is allowed', () => {
    const auth = build({ allowAnonymous: true, fixedTokens: [] })
    expect(auth.authenticate({})).toEqual({ user: 'owner', method: 'open', credentialId: 'none' })
    expect(auth.authenticate(bearer('nope'))).toEqual({ user: 'owner', method: 'open', credentialId: 'none' })
    expect(auth.metadata).toBeUndefined()
  })

  test('tells a caller apart from anonymous ones also where none is required', () => {
    const auth = build({ allowAnonymous: true })
    expect(auth.authenticate(bearer(FIXED))).toEqual({ user: 'owner', method: 'token', credentialId: 'HTTP_TOKEN' })
    for (const headers of [{}, bearer('nope'), bearer(token), { 'x-api-key': 'nope' }])
      expect(auth.authenticate(headers)).toEqual({ user: 'owner', method: 'open', credentialId: 'none' })
  })

  test.each(['', 'a b', 'a:b', 'Cookie', 'authorization', 'Origin', 'x\r\ny'])(
    'does not come in the header %j',
    (keyHeader) => {
      expect(() => build({ keyHeader })).toThrow('The header of the token must be one of its own')
    },
  )
})

describe('an access token', () => {
  let asked = 0
  let oauth: OAuthVerifier
  let sign: (claims?: object) => Promise<string>
  const server = createServer()

  beforeAll(async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] })
    server.on('request', (_, response) => response.end(jwks)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const real = createAccessTokenVerifier({
      issuer,
      audience: '',
      jwksUri: `${issuer}/jwks`,
      scopes: [],
      resource: RESOURCE,
    })
    oauth = { ...real, verify: (text) => (asked++, real.verify(text)) }
    sign = (claims = {}) =>
      new SignJWT({ iss: issuer, aud: RESOURCE, sub: 'bob', exp: Math.floor(Date.now() / 1000) + 300, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .sign(privateKey)
  })

  afterEach(() => vi.useRealTimers())

  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  test('is verified once and then cached for a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const auth = build({ oauth })
    const headers = bearer(await sign())
    asked = 0
    const first = auth.authenticate(headers)
    expect(first).toBeInstanceOf(Promise)
    const credentialId: unknown = expect.stringMatching(/^jwt:[\da-f]{12}$/)
    const bob = { user: 'oauth:bob', method: 'oauth', scopes: [], credentialId }
    expect(await first).toEqual(bob)
    expect(auth.authenticate(headers)).toEqual(bob)
    vi.setSystemTime(Date.now() + 59_999)
    expect(auth.authenticate(headers)).toEqual(bob)
    expect(asked).toBe(1)
    vi.setSystemTime(Date.now() + 1)
    expect(await auth.authenticate(headers)).toEqual(bob)
    expect(asked).toBe(2)
  })

  test('is not cached beyond its expiry', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const auth = build({ oauth })
    const headers = bearer(await sign({ exp: Math.floor(Date.now() / 1000) + 10 }))
    expect(await auth.authenticate(headers)).toMatchObject({ user: 'oauth:bob' })
    vi.setSystemTime(Date.now() + 41_000)
    expect(await auth.authenticate(headers)).toMatchObject({ status: 401, reason: expect.stringContaining('expired') })
  })

  test('is verified again each time if it was refused, and the challenge names the metadata', async () => {
    const auth = build({ oauth })
    const verdict = await auth.authenticate(bearer(await sign({ aud: 'https://other.example' })))
    expect(verdict).toMatchObject({ status: 401, reason: expect.stringContaining('"aud"') })
    const challengeOf = (refusal: Principal | Refusal) =>
      'headers' in refusal ? refusal.headers?.['www-authenticate'] : ''
    const metadata = 'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"'
    expect(challengeOf(verdict)).toBe(`Bearer error="invalid_token", ${metadata}`)
    expect(challengeOf(await auth.authenticate({}))).toBe(`Bearer ${metadata}`)
    expect(challengeOf(await auth.authenticate(bearer('nope')))).toBe(`Bearer error="invalid_token", ${metadata}`)
    expect(auth.metadata).toMatchObject({ resource: RESOURCE })
  })

  test('is verified only if it has the form of a JWT, and static tokens still work', async () => {
    const auth = build({ oauth })
    asked = 0
    for (const text of ['nope', 'a.b', '.b.c', 'a.b.c.d', 'a..']) await auth.authenticate(bearer(text))
    // `a..` has two dots; the verifier rejects it.
    expect(asked).toBe(1)
    expect(auth.authenticate(bearer(token))).toMatchObject({ user: 'ada', method: 'token' })
    expect(auth.authenticate(bearer(FIXED))).toMatchObject({ user: 'owner' })
  })

  test('of a subject with the name of a local user is another user', async () => {
    const verdict = await build({ oauth }).authenticate(bearer(await sign({ sub: 'ada' })))
    expect(verdict).toMatchObject({ user: 'oauth:ada' })
  })
})

test('an unknown token takes as long to check as a known one', () => {
  const auth = build({ fixedTokens: [''] })
  const [known, unknown] = [bearer(token), bearer(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)]
  const time = (headers: IncomingHttpHeaders): number => {
    const start = performance.now()
    for (let round = 0; round < 2000; round++) void auth.authenticate(headers)
    return performance.now() - start
  }
  const rounds = Array.from({ length: 60 }, () => [time(known), time(unknown)] as const).slice(10)
  const best = (index: 0 | 1): number => Math.min(...rounds.map((round) => round[index]))
  expect(best(0) / best(1)).toBeGreaterThan(0.6)
  expect(best(0) / best(1)).toBeLessThan(1.6)
})
