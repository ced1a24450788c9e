// An OAuth issuer on loopback that signs access tokens for any subject and claims.

import { once } from 'node:events'
import { createServer } from 'node:http'

import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const RESOURCE = 'https://mcp.example.com'

export interface Issuer {
  /** For a server that accepts its tokens. */
  readonly settings: NodeJS.ProcessEnv
  tokenFor(subject: string, claims?: Readonly<Record<string, unknown>>): Promise<string>
  close(): void
}

export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'key', alg: 'ES256', use: 'sig' }]
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return {
    settings: {
      OAUTH_ISSUER: issuer,
      OAUTH_JWKS: `${issuer}/keys`,
      PUBLIC_URL: RESOURCE,
      ALLOWED_HOSTS: '127.0.0.1',
    },
    tokenFor: (subject, claims = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'key', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(`${RESOURCE}/mcp`)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
    close: () => server.close(),
  }
}
