// Starts TLS on an open connection, for the requested host.

import { isIP, type Socket } from 'node:net'
import { connect, rootCertificates, type TLSSocket } from 'node:tls'

import { errorMessage } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/util/error-code'
import { FetchFailure } from './fetch-failure.js'

const HANDSHAKE_MS = 10_000

/** Destroys the socket if the handshake fails. */
export function startTls(socket: Socket, host: string, extraCa: string | undefined): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const serverName = isIP(host) === 0 ? { servername: host } : {}
    const caOptions = extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] }
    const secure = connect({ socket, host, ALPNProtocols: ['http/1.1'], ...serverName, ...caOptions })
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
