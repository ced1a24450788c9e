// Opens a TCP connection to the first of several addresses that accepts one, and starts TLS on an open connection. The
// next address is tried if one fails, or has not accepted within a moment; the other attempts are closed. Checks no
// addresses: connector.ts has them checked before. Opens sockets; sets timers.

import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls'

import { errorMessage } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { FetchFailure } from './fetch-failure.js'

const NEXT_ATTEMPT_MS = 250
const CONNECT_TIMEOUT_MS = 10_000

export type ConnectTcp = (addresses: readonly string[], port: number, signal: AbortSignal) => Promise<Socket>

export const connectToFirst: ConnectTcp = (addresses, port, signal) => {
  const connecting = new Set<Socket>()
  const untried = [...addresses]
  return new Promise((resolve, reject) => {
    let nextAttempt: NodeJS.Timeout | undefined
    const timeout = setTimeout(
      () =>
        fail(new FetchFailure('unreachable', `it did not accept a connection within ${CONNECT_TIMEOUT_MS / 1000} s.`)),
      CONNECT_TIMEOUT_MS,
    )
    const stop = (): void => fail(new FetchFailure('aborted', 'the request was cancelled.'))
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    else if (untried.length === 0) fail(new FetchFailure('unresolved', 'the host has no address.'))
    else tryNext()

    function tryNext(): void {
      clearTimeout(nextAttempt)
      const address = untried.shift()
      if (address === undefined) return
      const socket = connect({ host: address, port, noDelay: true })
      connecting.add(socket)
      socket.once('connect', () => {
        connecting.delete(socket)
        finish()
        resolve(socket)
      })
      socket.on('error', (error) => {
        if (!connecting.delete(socket)) return
        socket.destroy()
        if (untried.length > 0) tryNext()
        else if (connecting.size === 0) fail(unreachableFailure(error))
      })
      nextAttempt = setTimeout(tryNext, NEXT_ATTEMPT_MS)
    }

    function fail(failure: FetchFailure): void {
      finish()
      reject(failure)
    }

    function finish(): void {
      clearTimeout(nextAttempt)
      clearTimeout(timeout)
      signal.removeEventListener('abort', stop)
      untried.length = 0
      for (const socket of connecting) socket.destroy()
      connecting.clear()
    }
  })
}

function unreachableFailure(error: Error): FetchFailure {
  const why = hasErrorCode(error, 'ECONNREFUSED')
    ? 'the connection was refused.'
    : hasErrorCode(error, 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL')
      ? 'there is no route to that address.'
      : `the connection failed (${errorMessage(error)}).`
  return new FetchFailure('unreachable', why, { cause: error })
}

const HANDSHAKE_MS = 10_000

/** Starts TLS on an open connection, for the requested host. Destroys the socket if the handshake fails. */
export function startTls(socket: Socket, host: string, extraCa: string | undefined): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const serverName = isIP(host) === 0 ? { servername: host } : {}
    const caOptions = extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] }
    const secure = connectTls({ socket, host, ALPNProtocols: ['http/1.1'], ...serverName, ...caOptions })
    const timer = setTimeout(() => secure.destroy(new Error('TLS handshake timed out')), HANDSHAKE_MS)
    const fail = (error: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      const why = `no secure connection to ${host} can be made (${describeTlsError(error)}).${caAdvice(error)}`
      reject(new FetchFailure('tls', why, { cause: error }))
    }
    secure.on('error', fail)
    secure.once('close', () => fail(new Error('the connection was closed')))
    secure.once('secureConnect', () => {
      clearTimeout(timer)
      resolve(secure)
    })
  })
}

/** The message of Node.js quotes the names in the certificate, which the server chose. */
function describeTlsError(error: Error): string {
  return hasErrorCode(error, 'ERR_TLS_CERT_ALTNAME_INVALID')
    ? 'its certificate is for other names'
    : errorMessage(error)
}

/** A company or a private site may use its own CA. */
function caAdvice(error: Error): string {
  const isUnknown = hasErrorCode(
    error,
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  )
  return isUnknown
    ? ' If you trust the issuing CA, set NODE_EXTRA_CA_CERTS to its certificate and restart this server.'
    : ''
}
