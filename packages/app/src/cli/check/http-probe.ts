// Sends one request to any HTTP server, on a connection of its own, and returns everything about the response that can
// be checked, including the certificate. It never throws, follows no redirects, and always ends. Used by
// endpoint-client.ts. Sets timers.

import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { checkServerIdentity, TLSSocket } from 'node:tls'

const MAX_BODY_BYTES = 4 * 1024 * 1024

export interface ProbeRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  /** Connects also to a server whose certificate is not trusted. Send no secrets then. */
  readonly acceptAnyCertificate?: boolean
}

export interface ProbeResponse {
  readonly kind: 'answered'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** How the body ended: complete, not within the time, larger than the limit, or cut off. */
  readonly bodyEnd: 'whole' | 'open' | 'too large' | 'broken'
  readonly ms: number
  readonly certificate: CertificateInfo | undefined
}

interface ProbeFailure {
  readonly kind: 'unanswered'
  /** The reason, to be used inside a sentence. */
  readonly reason: string
  readonly ms: number
}

export interface CertificateInfo {
  readonly subject: string
  readonly issuer: string
  readonly validTo: Date
  /** Why it is not trusted, as the TLS library names it. */
  readonly distrust: string | undefined
  /** Why it does not match the host. */
  readonly wrongHost: string | undefined
}

export type ProbeResult = ProbeResponse | ProbeFailure

export function probeHttp(input: ProbeRequest): Promise<ProbeResult> {
  const startedAt = performance.now()
  const elapsed = (): number => performance.now() - startedAt
  return new Promise((resolve) => {
    const request = sendRequest(input)
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer within ${input.timeoutMs} ms`)),
      input.timeoutMs,
    )
    const finish = (probed: ProbeResult): void => {
      clearTimeout(timer)
      resolve(probed)
      request.destroy()
    }
    request.on('error', (error) => finish({ kind: 'unanswered', reason: describeRequestError(error), ms: elapsed() }))
    request.on('response', (response) => {
      clearTimeout(timer)
      const timeLeft = Math.max(0, input.timeoutMs - elapsed())
      const head = describeHead(input.url, response)
      readProbeBody(response, timeLeft, (body, bodyEnd) => finish({ ...head, body, bodyEnd, ms: elapsed() }))
    })
    request.end(input.body)
  })
}

function sendRequest({ url, method, headers, acceptAnyCertificate = false }: ProbeRequest): ClientRequest {
  const options = { method, headers: { ...headers, connection: 'close' }, agent: false }
  if (url.protocol !== 'https:') return requestPlain(url, options)
  return requestSecure(url, { ...options, rejectUnauthorized: !acceptAnyCertificate })
}

function describeHead(url: URL, response: IncomingMessage) {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) headers[name] = [value].flat().join(', ')
  const { socket } = response
  const certificate = socket instanceof TLSSocket ? describeCertificate(url, socket) : undefined
  return { kind: 'answered', status: response.statusCode ?? 0, headers, certificate } as const
}

function describeCertificate({ hostname }: URL, socket: TLSSocket): CertificateInfo | undefined {
  const peer = socket.getPeerCertificate()
  // A server may present none.
  if (Object.keys(peer).length === 0) return undefined
  const host = hostname.replace(/^\[|\]$/g, '')
  const wrongHost = checkServerIdentity(host, peer)?.message
  const distrust = socket.authorized || wrongHost !== undefined ? undefined : String(socket.authorizationError)
  const { subject, issuer, valid_to: validTo } = peer
  return { subject: formatName(subject), issuer: formatName(issuer), validTo: new Date(validTo), distrust, wrongHost }
}

// A certificate may have no subject, although the types say otherwise.
function formatName(names: Partial<Record<string, string | string[]>> | undefined): string {
  return [names?.CN ?? names?.O ?? 'unknown'].flat().join(', ')
}

function readProbeBody(
  response: IncomingMessage,
  timeLeftMs: number,
  done: (body: string, end: ProbeResponse['bodyEnd']) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  const finish = (end: ProbeResponse['bodyEnd']): void => {
    clearTimeout(timer)
    done(Buffer.concat(chunks).toString(), end)
  }
  const timer = setTimeout(() => finish('open'), timeLeftMs)
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BODY_BYTES) finish('too large')
  })
  response.on('end', () => finish('whole'))
  response.on('error', () => finish('broken'))
}

/** Node.js leaves the message empty if it tried several addresses and all of them failed. */
function describeRequestError(error: Error): string {
  if (error.message !== '') return error.message
  return error instanceof AggregateError ? error.errors.map(String).join('; ') : error.name
}
