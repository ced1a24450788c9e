// The door for looking at somebody's HTTP server: one request on a connection of its own, and everything about the
// answer that can be judged, the certificate too. It never throws, follows nothing, repairs nothing, and always ends.

import { request as requestPlain, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestSecure } from 'node:https'
import { checkServerIdentity, TLSSocket } from 'node:tls'

const MAX_BODY_BYTES = 4 * 1024 * 1024

export interface Probe {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  /** Talk also to a server whose certificate cannot be trusted. Send no secret then. */
  readonly trustAnybody?: boolean
}

export interface Answered {
  readonly kind: 'answered'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** How the body ended: by itself, not within the time, beyond the size we take, or torn off. */
  readonly end: 'whole' | 'open' | 'too large' | 'broken'
  readonly ms: number
  readonly certificate: Certificate | undefined
}

export interface Unanswered {
  readonly kind: 'unanswered'
  /** What happened instead, for the middle of a sentence. */
  readonly reason: string
  readonly ms: number
}

export interface Certificate {
  readonly subject: string
  readonly issuer: string
  readonly validTo: Date
  /** Why it is not trusted, as the TLS library names it. */
  readonly distrust: string | undefined
  /** Why it is not this host's. */
  readonly wrongHost: string | undefined
}

export type Probed = Answered | Unanswered

export function probe(given: Probe): Promise<Probed> {
  const startedAt = performance.now()
  const elapsed = (): number => performance.now() - startedAt
  return new Promise((resolve) => {
    const request = send(given)
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer within ${given.timeoutMs} ms`)),
      given.timeoutMs,
    )
    const finish = (probed: Probed): void => {
      clearTimeout(timer)
      resolve(probed)
      request.destroy()
    }
    request.on('error', (error) => finish({ kind: 'unanswered', reason: reasonOf(error), ms: elapsed() }))
    request.on('response', (response) => {
      clearTimeout(timer)
      const timeLeft = Math.max(0, given.timeoutMs - elapsed())
      const head = describeHead(given.url, response)
      readBody(response, timeLeft, (body, end) => finish({ ...head, body, end, ms: elapsed() }))
    })
    request.end(given.body)
  })
}

function send({ url, method, headers, trustAnybody = false }: Probe): ClientRequest {
  const options = { method, headers: { ...headers, connection: 'close' }, agent: false }
  if (url.protocol !== 'https:') return requestPlain(url, options)
  return requestSecure(url, { ...options, rejectUnauthorized: !trustAnybody })
}

function describeHead(url: URL, response: IncomingMessage) {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) headers[name] = [value].flat().join(', ')
  const { socket } = response
  const certificate = socket instanceof TLSSocket ? describeCertificate(url, socket) : undefined
  return { kind: 'answered', status: response.statusCode ?? 0, headers, certificate } as const
}

function describeCertificate({ hostname }: URL, socket: TLSSocket): Certificate | undefined {
  const peer = socket.getPeerCertificate()
  // A server may present none.
  if (Object.keys(peer).length === 0) return undefined
  const host = hostname.replace(/^\[|\]$/g, '')
  const wrongHost = checkServerIdentity(host, peer)?.message
  const distrust = socket.authorized || wrongHost !== undefined ? undefined : String(socket.authorizationError)
  const { subject, issuer, valid_to: validTo } = peer
  return { subject: nameOf(subject), issuer: nameOf(issuer), validTo: new Date(validTo), distrust, wrongHost }
}

// A certificate may have no subject at all, whatever the types say.
function nameOf(names: Partial<Record<string, string | string[]>> | undefined): string {
  return [names?.CN ?? names?.O ?? 'nobody'].flat().join(', ')
}

function readBody(
  response: IncomingMessage,
  timeLeftMs: number,
  done: (body: string, end: Answered['end']) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  const finish = (end: Answered['end']): void => {
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

/** Node says nothing at all where it tried several addresses and all of them failed. */
function reasonOf(error: Error): string {
  if (error.message !== '') return error.message
  return error instanceof AggregateError ? error.errors.map(String).join('; ') : error.name
}
