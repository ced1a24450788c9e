// TLS over a connection that is open already, for the host that was asked for.

import { isIP, type Socket } from 'node:net'
import { connect, rootCertificates, type TLSSocket } from 'node:tls'

import { hasCode } from '../../lib/error-code.js'
import { reasonOf } from '../../lib/reason-of.js'
import { FetchFailure } from './fetch-failure.js'

const HANDSHAKE_MS = 10_000

/** Over a connection to `host`, which is given up when it fails. */
export function secured(socket: Socket, host: string, trust: string | undefined): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    const believed = trust === undefined ? {} : { ca: [...rootCertificates, trust] }
    const secure = connect({ socket, host, ALPNProtocols: ['http/1.1'], ...name, ...believed })
    const timer = setTimeout(() => secure.destroy(new Error('no answer to the greeting')), HANDSHAKE_MS)
    const fail = (error: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      const why = `no secure connection to ${host} can be made (${reasonOf(error)}).${adviceOn(error)}`
      reject(new FetchFailure('tls', why, { cause: error }))
    }
    secure.on('error', fail)
    secure.once('close', () => fail(new Error('it hung up')))
    secure.once('secureConnect', () => {
      clearTimeout(timer)
      resolve(secure)
    })
  })
}

/** A company, or a person at home, may sign for itself. */
function adviceOn(error: Error): string {
  const isUnknown = hasCode(
    error,
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  )
  return isUnknown ? ' If you trust who signed its certificate, start this server with it in NODE_EXTRA_CA_CERTS.' : ''
}
