// Who may speak to the HTTP server. Pure, and asked before a byte of the body is read. A shell on a loopback port is
// reachable from every web page the person opens: Host stops rebinding, Origin stops pages, the token stops the rest.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface Refusal {
  readonly status: number
  readonly reason: string
}

export function checkGate(headers: IncomingHttpHeaders, token: string | undefined): Refusal | undefined {
  if (!isLoopback(hostOf(headers.host ?? ''))) return { status: 403, reason: 'This Host is not served here' }
  if (headers.origin !== undefined && !isLoopbackOrigin(headers.origin)) {
    return { status: 403, reason: 'This Origin may not call this server' }
  }
  if (token !== undefined && !presents(headers, token)) {
    return { status: 401, reason: 'Send the token that was printed at start as "Authorization: Bearer <token>"' }
  }
  return undefined
}

/** Whether a name or address, in brackets or not, is this machine and nobody else. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(host)
}

function hostOf(authority: string): string {
  return authority.replace(/:\d+$/, '').toLowerCase()
}

function isLoopbackOrigin(origin: string): boolean {
  const match = /^https?:\/\/([^/]+)$/.exec(origin)
  return match !== null && isLoopback(hostOf(match[1] ?? ''))
}

function presents(headers: IncomingHttpHeaders, token: string): boolean {
  const given = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(token))
}

// Digests are of one length, so the comparison tells nothing about the token's.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
