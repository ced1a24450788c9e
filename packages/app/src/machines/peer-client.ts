// HTTP client for requests from this machine to the others; connections are kept open and reused. Created by
// join-machines.ts; used by forward-request.ts and forward-upgrade.ts. Opens connections.

import { Agent as HttpAgent, type ClientRequest, type OutgoingHttpHeaders, request as requestPlain } from 'node:http'
import { Agent as HttpsAgent, request as requestSecure } from 'node:https'
import { isIP } from 'node:net'
import { rootCertificates } from 'node:tls'

import type { OtherMachine } from '@scorpiox/server/machines/membership'

const MAX_IDLE_CONNECTIONS = 256

export interface PeerRequest {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
}

export interface PeerClient {
  /** Starts a request; the caller sends the body, and handles the events. */
  open(machine: OtherMachine, request: PeerRequest): ClientRequest
  close(): void
}

/** `ca`: certificates in PEM that are trusted besides the usual ones. */
export function createPeerClient(ca: string | undefined): PeerClient {
  const options = { keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS, scheduling: 'lifo' } as const
  const plain = new HttpAgent(options)
  const secure = new HttpsAgent({ ...options, ...(ca !== undefined && { ca: [...rootCertificates, ca] }) })
  return {
    open({ address }, { method, path, headers }) {
      const { protocol, hostname, port } = new URL(address)
      const host = hostname.replace(/^\[(.*)\]$/, '$1')
      const common = { host, method, path, headers, ...(port !== '' && { port }) }
      if (protocol === 'http:') return requestPlain({ ...common, agent: plain })
      // By default the name would be that of the Host header, which is the client's.
      return requestSecure({ ...common, agent: secure, servername: isIP(host) === 0 ? host : '' })
    },
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}
