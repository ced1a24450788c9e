// Tests with a loopback issuer, its valid tokens, and forged ones. No traffic leaves the machine.

import { createHmac, createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import fc from 'fast-check'
import {
  base64url,
  CompactEncrypt,
  CompactSign,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import { createAccessTokenVerifier, type OAuthOptions, type OAuthVerifier } from './oauth.js'

const RESOURCE = 'https://mcp.example.com/mcp'

interface Key {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

async function newKey(alg: string, kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

const [rsa, ps, ec, ed, attackerKey, evilEc, unknownKey] = await Promise.all([
  newKey('RS256', 'rsa-1'),
  newKey('PS256', 'ps-1'),
  newKey('ES256', 'ec-1'),
  newKey('EdDSA', 'ed-1'),
  newKey('RS256', 'rsa-1'),
  newKey('ES256', 'ec-1'),
  newKey('RS256', 'stranger'),
])
const published = [rsa, ps, ec, ed]

// What the issuer serves, and the requests it got.
const asked: string[] = []
let keys: readonly JWK[] = []
let pages: Record<string, unknown> = {}
let isDown = false
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  // Some runtimes replace a broken keep-alive connection and repeat the request, which would be counted twice.
  response.setHeader('connection', 'close')
  const page = request.url === '/jwks' ? { keys } : pages[request.url ?? '']
  if (isDown) response.socket?.destroy()
  else if (page === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page))
})
let issuer = ''
let oauth: OAuthVerifier
const warnings: string[] = []

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

beforeEach(() => {
  keys = published.map(({ jwk }) => jwk)
  pages = {}
  isDown = false
  asked.length = 0
  warnings.length = 0
  oauth = open()
})

afterEach(() => vi.useRealTimers())

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const open = (settings: Partial<OAuthOptions> = {}): OAuthVerifier =>
  createAccessTokenVerifier({
    issuer,
    audience: '',
    jwksUri: `${issuer}/jwks`,
    scopes: [],
    resource: RESOURCE,
    warn: (message) => void warnings.push(message),
    ...settings,
  })

const now = (): number => Math.floor(Date.now() / 1000)
const claims = (changes: object = {}): JWTPayload => ({
  iss: issuer,
  aud: RESOURCE,
  sub: 'ada',
  iat: now(),
  exp: now() + 300,
  ...changes,
})
const sign = (key: Key, payload: object = {}, header: object = {}): Promise<string> =>
  new SignJWT(claims(payload)).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey)
/** Signs a payload as it is written. */
const signText = (key: Key, payload: string): Promise<string> =>
  new CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg: key.alg, kid: key.kid })
    .sign(key.privateKey)
const encode = (value: unknown): string => base64url.encode(typeof value === 'string' ? value : JSON.stringify(value))
const hmac = (secret: string, header: object = {}): string => {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid: 'rsa-1', ...header })}.${encode(claims())}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
const partsOf = async (key: Key): Promise<[string, string, string]> =>
  (await sign(key)).split('.') as [string, string, string]
const pem = (): string =>
  createPublicKey({ key: rsa.jwk, format: 'jwk' } as never).export({ type: 'spki', format: 'pem' }) as string

describe('a valid token', () => {
  test.each([
    ['RS256', rsa],
    ['PS256', ps],
    ['ES256', ec],
    ['EdDSA', ed],
  ])('signed with %s is accepted', async (_, key) => {
    const grant = await oauth.verify(await sign(key, { scope: 'a b' }))
    expect(grant).toEqual({ user: 'oauth:ada', scopes: ['a', 'b'], expiresAt: expect.any(Number) })
  })

  test.each<[string, object, object]>([
    ['with a type', {}, { typ: 'at+jwt' }],
    ['with the long name of the type', {}, { typ: 'application/at+JWT' }],
    ['with the old type', {}, { typ: 'JWT' }],
    ['for us among others', { aud: ['https://other.example', RESOURCE] }, {}],
    ['that ended a moment ago, for clocks differ', { exp: now() - 20 }, {}],
    ['that begins in a moment', { nbf: now() + 20 }, {}],
    ['that contains a key URL, which is not requested', {}, { jku: 'http://127.0.0.1:9/jwks' }],
  ])('%s is accepted', async (_, payload, header) => {
    expect(await oauth.verify(await sign(ec, payload, header))).toMatchObject({ user: 'oauth:ada' })
  })

  test('without kid is accepted if one key matches', async () => {
    expect(await oauth.verify(await sign(ec, {}, { kid: undefined }))).toMatchObject({ user: 'oauth:ada' })
  })

  test('must have the configured audience', async () => {
    const named = open({ audience: 'api://ours' })
    expect(await named.verify(await sign(ec, { aud: 'api://ours' }))).toMatchObject({ user: 'oauth:ada' })
    expect(await named.verify(await sign(ec))).toMatchObject({ status: 401 })
  })
})

type Forgery = () => string | Promise<string>

const FORGERIES: Readonly<Record<string, Forgery>> = {
  'alg none': () => new UnsecuredJWT(claims()).encode(),
  'alg none, with a signature': async () => `${encode({ alg: 'none' })}.${encode(claims())}.${(await partsOf(rsa))[2]}`,
  'alg None': async () => `${encode({ alg: 'None', kid: 'rsa-1' })}.${encode(claims())}.AAAA`,
  'alg nOnE and an empty signature': () => `${encode({ alg: 'nOnE' })}.${encode(claims())}.`,
  'no alg': async () => `${encode({ kid: 'rsa-1' })}.${encode(claims())}.${(await partsOf(rsa))[2]}`,
  'alg as a number': async () => `${encode({ alg: 256, kid: 'rsa-1' })}.${encode(claims())}.${(await partsOf(rsa))[2]}`,
  'alg as a list': async () => `${encode({ alg: ['RS256'], kid: 'rsa-1' })}.${encode(claims())}.AAAA`,
  'HS256 with the public key as PEM': () => hmac(pem()),
  'HS256 with the PEM without its last newline': () => hmac(pem().trimEnd()),
  'HS256 with the JWK': () => hmac(JSON.stringify(rsa.jwk)),
  'HS256 with the modulus': () => hmac(rsa.jwk.n ?? ''),
  'HS256 with nothing': () => hmac(''),
  'HS256 without kid': () => hmac(pem(), { kid: undefined }),
  'HS512 in name': () => hmac(pem(), { alg: 'HS512' }),
  'another audience': () => sign(ec, { aud: 'https://other.example/mcp' }),
  'no audience': () => sign(ec, { aud: undefined }),
  'an empty audience': () => sign(ec, { aud: '' }),
  'an empty list of audiences': () => sign(ec, { aud: [] }),
  'a list of other audiences': () => sign(ec, { aud: ['https://a.example', 'https://b.example'] }),
  'our audience in a list in a list': () => sign(ec, { aud: [[RESOURCE]] }),
  'our audience as the key of an object': () => sign(ec, { aud: { [RESOURCE]: true } }),
  'our audience and more': () => sign(ec, { aud: `${RESOURCE}/` }),
  'our audience in upper case': () => sign(ec, { aud: RESOURCE.toUpperCase() }),
  'our audience beside another in one text': () => sign(ec, { aud: `${RESOURCE} https://other.example` }),
  'the origin as the audience': () => sign(ec, { aud: 'https://mcp.example.com' }),
  'a wildcard audience': () => sign(ec, { aud: '*' }),
  'another issuer': () => sign(ec, { iss: 'https://evil.example' }),
  'no issuer': () => sign(ec, { iss: undefined }),
  'our issuer with a slash': () => sign(ec, { iss: `${issuer}/` }),
  'our issuer in a list': () => sign(ec, { iss: [issuer] }),
  'our issuer and more': () => sign(ec, { iss: `${issuer}.evil.example` }),
  expired: () => sign(ec, { exp: now() - 31 }),
  'expired long ago': () => sign(ec, { exp: 1 }),
  'no exp': () => sign(ec, { exp: undefined }),
  'exp as text': () => sign(ec, { exp: String(now() + 300) }),
  'exp that is infinite': () => signText(ec, JSON.stringify(claims({ exp: 0 })).replace('"exp":0', '"exp":1e999')),
  'exp after the year 9999': () => sign(ec, { exp: 253_402_300_800 }),
  'exp null': () => sign(ec, { exp: null }),
  'exp as a list': () => sign(ec, { exp: [now() + 300] }),
  'exp in the name of another case': () => sign(ec, { exp: undefined, EXP: now() + 300 }),
  'not yet': () => sign(ec, { nbf: now() + 3600 }),
  'nbf as text': () => sign(ec, { nbf: String(now()) }),
  'no sub': () => sign(ec, { sub: undefined }),
  'an empty sub': () => sign(ec, { sub: '' }),
  'sub as a number': () => sign(ec, { sub: 7 }),
  'sub as an object': () => sign(ec, { sub: { id: 'ada' } }),
  'sub with a line break': () => sign(ec, { sub: 'ada\nadmin' }),
  'sub with a zero': () => sign(ec, { sub: 'ada\u0000' }),
  'sub without end': () => sign(ec, { sub: 'a'.repeat(256) }),
  'another key under our kid': () => sign(attackerKey),
  'another elliptic key under our kid': () => sign(evilEc),
  'an unpublished kid': () => sign(unknownKey),
  'a kid that is a path': () => sign(attackerKey, {}, { kid: '../../../dev/null' }),
  'a kid that is SQL': () => sign(attackerKey, {}, { kid: "' OR 1=1 --" }),
  'a kid that is a list': () => sign(attackerKey, {}, { kid: ['rsa-1'] }),
  'the kid of a key of another type': () => sign(ec, {}, { kid: 'rsa-1' }),
  'another algorithm with the same key': async () => {
    const [, payload, signature] = await partsOf(rsa)
    return `${encode({ alg: 'RS512', kid: 'rsa-1' })}.${payload}.${signature}`
  },
  'jku of the attacker': () => sign(attackerKey, {}, { kid: 'evil', jku: `${issuer}/evil-jwks` }),
  'jku of the attacker under our kid': () => sign(attackerKey, {}, { jku: `${issuer}/evil-jwks` }),
  'x5u of the attacker': () => sign(attackerKey, {}, { x5u: `${issuer}/evil-x5u` }),
  'a key of its own in the header': () => sign(attackerKey, {}, { jwk: attackerKey.jwk }),
  'a key of its own without kid': () => sign(attackerKey, {}, { kid: undefined, jwk: attackerKey.jwk }),
  'a certificate of its own': () => sign(attackerKey, {}, { x5c: ['MIIB'] }),
  'no signature': async () => (await partsOf(rsa)).slice(0, 2).join('.'),
  'an empty signature': async () => `${(await partsOf(rsa)).slice(0, 2).join('.')}.`,
  'a cut signature': async () => (await sign(rsa)).slice(0, -5),
  'a longer signature': async () => `${await sign(rsa)}AAAA`,
  'the signature of another token': async () => {
    const [header, , signature] = await partsOf(ec)
    return `${header}.${encode(claims({ sub: 'admin' }))}.${signature}`
  },
  'an ES256 signature of zeros': async () =>
    `${(await partsOf(ec)).slice(0, 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`,
  'an ES256 signature of ones': async () =>
    `${(await partsOf(ec)).slice(0, 2).join('.')}.${Buffer.alloc(64, 255).toString('base64url')}`,
  'an EdDSA signature of zeros': async () =>
    `${(await partsOf(ed)).slice(0, 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`,
  'the last bits of the signature spelled another way': async () => {
    const token = await sign(ec)
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    return `${token.slice(0, -1)}${last[last.indexOf(token.at(-1) ?? '') ^ 1]}`
  },
  'with padding': async () => `${await sign(ec)}==`,
  'in plain base64': async () => {
    const [header, payload, signature] = await partsOf(ec)
    return `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`
  },
  'an encrypted token': () =>
    new CompactEncrypt(new TextEncoder().encode(JSON.stringify(claims())))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(new Uint8Array(32)),
  'a token in a token': async () =>
    `${encode({ alg: 'ES256', kid: 'ec-1', cty: 'JWT' })}.${encode(await sign(ec))}.AAAA`,
  'a dot too many': async () => `${await sign(ec)}.`,
  'a dot before': async () => `.${await sign(ec)}`,
  'dots alone': () => '..',
  'nothing at all': () => '',
  'a part too many': async () => `${await sign(ec)}.AAAA`,
  'crit with an unknown name': () => forgeHeader({ crit: ['exp'], exp: 1 }),
  'crit with a known name': () => forgeHeader({ crit: ['b64'], b64: true }),
  'crit with an empty list': () => forgeHeader({ crit: [] }),
  'a payload that is not encoded': () => forgeHeader({ crit: ['b64'], b64: false }),
  'a logout token': () => sign(ec, {}, { typ: 'logout+jwt' }),
  'an event': () => sign(ec, {}, { typ: 'secevent+jwt' }),
  'a proof of possession': () => sign(ec, {}, { typ: 'dpop+jwt' }),
  'a type that is a number': () => sign(ec, {}, { typ: 1 }),
  'claims that are a list': () => signRaw('[1]'),
  'claims that are null': () => signRaw('null'),
  'claims that are no JSON': () => signRaw('{"iss":'),
  'a header that is no JSON': async () => `${encode('{"alg"')}.${encode(claims())}.${(await partsOf(ec))[2]}`,
  'a header that is a list': async () => `${encode(['ES256'])}.${encode(claims())}.${(await partsOf(ec))[2]}`,
  'too large': () => sign(ec, { padding: 'x'.repeat(20_000) }),
  'letters outside ASCII': async () => (await sign(ec)).replace('e', 'е'),
  'a full-width dot': async () => (await sign(ec)).replace('.', '．'),
  'a space before': async () => ` ${await sign(ec)}`,
  'a newline behind': async () => `${await sign(ec)}\n`,
  'a tab inside': async () => (await sign(ec)).replace('.', '.\t'),
  'a zero behind': async () => `${await sign(ec)}\0`,
  'two at once': async () => `${await sign(ec)},${await sign(ec)}`,
  'the JSON form': async () => {
    const [header, payload, signature] = await partsOf(ec)
    return JSON.stringify({ protected: header, payload, signature })
  },
}

// Built by hand, because jose refuses to sign this.
async function forgeHeader(header: object): Promise<string> {
  const signed = `${encode({ alg: 'ES256', kid: 'ec-1', ...header })}.${encode(claims())}`
  return `${signed}.${await ecSignature(signed)}`
}

async function signRaw(payload: string): Promise<string> {
  const signed = `${encode({ alg: 'ES256', kid: 'ec-1' })}.${encode(payload)}`
  return `${signed}.${await ecSignature(signed)}`
}

async function ecSignature(signed: string): Promise<string> {
  const bytes = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, ec.privateKey, Buffer.from(signed))
  return Buffer.from(bytes).toString('base64url')
}

describe(`a forged or misdirected token (${Object.keys(FORGERIES).length} of them)`, () => {
  test.each(Object.entries(FORGERIES))('%s', async (_, forge) => {
    const verdict = await oauth.verify(await forge())
    expect(verdict).toMatchObject({
      status: 401,
      reason: expect.stringMatching(/\w+ \w+.*; (get|send)/),
      headers: { 'www-authenticate': expect.stringContaining('error="invalid_token"') },
    })
    expect(asked.filter((path) => path !== '/jwks')).toEqual([])
  })

  test('the signing helper creates a valid token if nothing is forged', async () => {
    expect(await oauth.verify(await forgeHeader({}))).toMatchObject({ user: 'oauth:ada' })
    expect(await oauth.verify(await signRaw(JSON.stringify(claims())))).toMatchObject({ user: 'oauth:ada' })
  })

  test.each(['none', 'HS256', 'HS512', 'RSA-OAEP', 'dir', 'rs256', 'ES256K', 'ML-DSA-44'])(
    "of the algorithm %s does not cause a request for the issuer's keys",
    async (alg) => {
      const token = `${encode({ alg, kid: 'rsa-1' })}.${encode(claims())}.AAAA`
      expect(await oauth.verify(token)).toMatchObject({ status: 401 })
      expect(asked).toEqual([])
    },
  )

  test('any bit of it flipped', async () => {
    const token = await sign(ec)
    const flip = fc.tuple(fc.nat(token.length - 1), fc.integer({ min: 0, max: 6 }))
    await fc.assert(
      fc.asyncProperty(flip, async ([at, bit]) => {
        const bytes = Buffer.from(token)
        bytes[at] = bytes[at]! ^ (1 << bit)
        expect(await oauth.verify(bytes.toString('latin1'))).toMatchObject({ status: 401 })
      }),
      { numRuns: 300 },
    )
  })

  test('any text, and any header and claims', async () => {
    const forged = fc
      .tuple(fc.jsonValue(), fc.jsonValue())
      .map(([a, b]) => `${encode(a ?? '')}.${encode(b ?? '')}.AAAA`)
    const header = fc.record({ alg: fc.constantFrom('RS256', 'ES256', 'EdDSA', 'HS256', 'none'), kid: fc.jsonValue() })
    const addressed = header.map((value) => `${encode(value)}.${encode(claims())}.AAAA`)
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), forged, addressed), async (token) => {
        expect(await oauth.verify(token)).toMatchObject({ status: 401 })
      }),
      { numRuns: 500 },
    )
  })

  test('a private or symmetric key that the issuer publishes by mistake is not used', async () => {
    keys = [{ kty: 'oct', k: encode('secret'), kid: 'rsa-1', alg: 'HS256' }]
    expect(await open().verify(hmac('secret'))).toMatchObject({ status: 401 })
  })
})

describe('scopes', () => {
  test.each([
    ['all of them', { scope: 'mcp:read mcp:run other' }, true],
    ['as a list', { scp: ['mcp:read', 'mcp:run'] }, true],
    ['in the text of another name', { scp: 'mcp:run mcp:read' }, true],
    ['one missing', { scope: 'mcp:read' }, false],
    ['none', {}, false],
    ['one that begins like it', { scope: 'mcp:read mcp:running' }, false],
    ['in another case', { scope: 'MCP:READ MCP:RUN' }, false],
    ['with a tab between', { scope: 'mcp:read\tmcp:run' }, false],
    ['as an object', { scope: { 'mcp:read': 1, 'mcp:run': 1 } }, false],
  ])('%s', async (_, payload, isEnough) => {
    const verdict = await open({ scopes: ['mcp:read', 'mcp:run'] }).verify(await sign(ec, payload))
    if (isEnough) return expect(verdict).toMatchObject({ user: 'oauth:ada' })
    return expect(verdict).toMatchObject({
      status: 403,
      reason: expect.stringContaining('mcp:run; ask the issuer'),
      headers: {
        'www-authenticate':
          'Bearer error="insufficient_scope", resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="mcp:read mcp:run"',
      },
    })
  })
})

describe('what clients are shown', () => {
  test('where to get a token', () => {
    const scoped = open({ scopes: ['mcp:run'] })
    expect(scoped.metadata()).toEqual({
      resource: RESOURCE,
      authorization_servers: [issuer],
      scopes_supported: ['mcp:run'],
      bearer_methods_supported: ['header'],
      resource_name: 'scorpiox-code',
    })
    expect(scoped.metadataPath).toBe('/.well-known/oauth-protected-resource/mcp')
    expect(oauth.challenge()).toBe(
      'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"',
    )
    expect(open({ resource: 'https://a.example/' }).metadataPath).toBe('/.well-known/oauth-protected-resource')
  })

  test.each([
    [{ issuer: '' }, 'OAUTH_ISSUER must be an https URL'],
    [{ issuer: 'login.example.com' }, 'OAUTH_ISSUER must be an https URL'],
    [{ issuer: 'http://login.example.com' }, 'OAUTH_ISSUER must be an https URL'],
    [{ issuer: 'https://user@login.example.com' }, 'OAUTH_ISSUER must be an https URL'],
    [{ jwksUri: 'http://login.example.com/jwks' }, 'OAUTH_JWKS must be an https URL'],
    [{ jwksUri: 'file:///keys.json' }, 'OAUTH_JWKS must be an https URL'],
    [{ resource: '' }, 'PUBLIC_URL must be the URL clients use'],
    [{ scopes: ['a"b'] }, 'OAUTH_SCOPES must be words'],
  ])('settings that cannot work are refused: %j', (settings, sentence) => {
    expect(() => open(settings)).toThrow(sentence)
  })
})

describe('where the keys are', () => {
  const found = (): Record<string, unknown> => ({ issuer, jwks_uri: `${issuer}/jwks` })

  test.each(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])(
    'is read from %s',
    async (path) => {
      pages = { [path]: found() }
      expect(await open({ jwksUri: '' }).verify(await sign(ec))).toMatchObject({ user: 'oauth:ada' })
    },
  )

  test.each([
    '/.well-known/oauth-authorization-server/tenant',
    '/.well-known/openid-configuration/tenant',
    '/tenant/.well-known/openid-configuration',
  ])('is read from %s, for an issuer with a path', async (path) => {
    const tenant = `${issuer}/tenant`
    pages = { [path]: { issuer: tenant, jwks_uri: `${issuer}/jwks` } }
    const verdict = await open({ issuer: tenant, jwksUri: '' }).verify(await sign(ec, { iss: tenant }))
    expect(verdict).toMatchObject({ user: 'oauth:ada' })
  })

  test.each([
    ['is not published', () => ({}), 'answered with status 404'],
    [
      'another issuer says',
      () => ({ ...found(), issuer: 'https://evil.example' }),
      'OAUTH_ISSUER must be exactly that',
    ],
    ['the issuer says with a slash', () => ({ ...found(), issuer: `${issuer}/` }), 'OAUTH_ISSUER must be exactly that'],
    ['is missing', () => ({ issuer }), 'has no jwks_uri'],
    ['is an unencrypted URL elsewhere', () => ({ issuer, jwks_uri: 'http://evil.example/k' }), 'must be an https URL'],
  ])('%s: access is denied, and the log says why', async (_, page, sentence) => {
    const metadata = page()
    pages = 'issuer' in metadata ? { '/.well-known/oauth-authorization-server': metadata } : {}
    expect(await open({ jwksUri: '' }).verify(await sign(ec))).toMatchObject({ status: 503 })
    expect(warnings.join()).toContain(sentence)
  })

  test.each([{ keys: 'none' }, { keys: [1] }, [], 'text', null])('is not where %j is served', async (page) => {
    pages = { '/odd': page }
    expect(await open({ jwksUri: `${issuer}/odd` }).verify(await sign(ec))).toMatchObject({ status: 503 })
  })

  test('redirects are not followed', async () => {
    const redirecting = createServer((_, response) => response.writeHead(302, { location: `${issuer}/jwks` }).end())
    redirecting.listen(0, '127.0.0.1')
    await once(redirecting, 'listening')
    const jwksUri = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/jwks`
    expect(await open({ jwksUri }).verify(await sign(ec))).toMatchObject({ status: 503 })
    redirecting.closeAllConnections()
    redirecting.close()
  })
})

describe('an unreachable issuer', () => {
  const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms)
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))

  test('from the start: 503 with a message that names no host, and no repeated requests', async () => {
    isDown = true
    const token = await sign(ec, { exp: now() + 86_400 })
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => oauth.verify(token)))
    for (const verdict of verdicts) {
      expect(verdict).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
      expect(JSON.stringify(verdict)).not.toContain('127.0.0.1')
    }
    for (let round = 0; round < 10; round++) await oauth.verify(token)
    expect([asked.length, warnings.length]).toEqual([1, 1])
    isDown = false
    expect(await oauth.verify(token)).toMatchObject({ status: 503 })
    pass(5000)
    expect(await oauth.verify(token)).toMatchObject({ user: 'oauth:ada' })
  })

  test('later: known keys stay valid for less than an hour', async () => {
    const token = await sign(ec, { exp: now() + 86_400 })
    expect(await oauth.verify(token)).toMatchObject({ user: 'oauth:ada' })
    isDown = true
    for (let minute = 1; minute < 50; minute++) {
      pass(60_000)
      expect([minute, await oauth.verify(token)]).toMatchObject([minute, { user: 'oauth:ada' }])
    }
    pass(11 * 60_000)
    expect(await oauth.verify(token)).toMatchObject({ status: 503 })
    expect(warnings.length).toBeGreaterThan(0)
    isDown = false
    pass(5000)
    expect(await oauth.verify(token)).toMatchObject({ user: 'oauth:ada' })
  })

  test('later: an unknown key is 401, and is fetched at most once in 30 seconds', async () => {
    const [known, unknown] = [await sign(ec, { exp: now() + 86_400 }), await sign(unknownKey, { exp: now() + 86_400 })]
    await oauth.verify(known)
    isDown = true
    asked.length = 0
    for (let second = 0; second < 600; second++) {
      pass(1000)
      expect(await oauth.verify(unknown)).toMatchObject({ status: 401 })
    }
    expect(asked.length).toBeGreaterThan(1)
    expect(asked.length).toBeLessThanOrEqual(20)
    expect(await oauth.verify(known)).toMatchObject({ user: 'oauth:ada' })
  })

  test('a new key is found 30 seconds after the last fetch', async () => {
    await oauth.verify(await sign(ec))
    keys = [...keys, unknownKey.jwk]
    const token = await sign(unknownKey)
    expect(await oauth.verify(token)).toMatchObject({ status: 401 })
    pass(30_000)
    expect(await oauth.verify(token)).toMatchObject({ user: 'oauth:ada' })
  })

  test('a withdrawn key is refused after ten minutes at the latest', async () => {
    const token = await sign(ec, { exp: now() + 86_400 })
    await oauth.verify(token)
    keys = keys.filter(({ kid }) => kid !== 'ec-1')
    pass(10 * 60_000)
    expect(await oauth.verify(token)).toMatchObject({ status: 401 })
  })
})
