// Opens a TCP connection to the first of several addresses that accepts one. The next address is tried if one fails, or
// has not accepted within a moment; the other attempts are closed.

import { connect, type Socket } from 'node:net'

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
    else if (untried.length === 0) fail(new FetchFailure('unresolved', 'it has no address.'))
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
    ? 'nothing listens there.'
    : hasErrorCode(error, 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL')
      ? 'there is no route to that address.'
      : `the connection failed (${errorMessage(error)}).`
  return new FetchFailure('unreachable', why, { cause: error })
}
