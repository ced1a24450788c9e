// Opens a TCP connection to the first of some addresses that answers. The next one is tried when one fails, or has not
// answered in a moment; the others are let go.

import { connect, type Socket } from 'node:net'

import { reasonOf } from '../../lib/reason-of.js'
import { hasCode } from '../../lib/error-code.js'
import { FetchFailure } from './fetch-failure.js'

const HEAD_START_MS = 250
const PATIENCE_MS = 10_000

export type Dial = (addresses: readonly string[], port: number, signal: AbortSignal) => Promise<Socket>

export const dialFirst: Dial = (addresses, port, signal) => {
  const racing = new Set<Socket>()
  const waiting = [...addresses]
  return new Promise((resolve, reject) => {
    let headStart: NodeJS.Timeout | undefined
    const patience = setTimeout(
      () => fail(new FetchFailure('unreachable', `it did not take a connection within ${PATIENCE_MS / 1000} s.`)),
      PATIENCE_MS,
    )
    const stop = (): void => fail(new FetchFailure('aborted', 'it was given up.'))
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    else if (waiting.length === 0) fail(new FetchFailure('unresolved', 'it has no address.'))
    else next()

    function next(): void {
      clearTimeout(headStart)
      const address = waiting.shift()
      if (address === undefined) return
      const socket = connect({ host: address, port, noDelay: true })
      racing.add(socket)
      socket.once('connect', () => {
        racing.delete(socket)
        finish()
        resolve(socket)
      })
      socket.on('error', (error) => {
        if (!racing.delete(socket)) return
        socket.destroy()
        if (waiting.length > 0) next()
        else if (racing.size === 0) fail(unreachable(error))
      })
      headStart = setTimeout(next, HEAD_START_MS)
    }

    function fail(failure: FetchFailure): void {
      finish()
      reject(failure)
    }

    function finish(): void {
      clearTimeout(headStart)
      clearTimeout(patience)
      signal.removeEventListener('abort', stop)
      waiting.length = 0
      for (const socket of racing) socket.destroy()
      racing.clear()
    }
  })
}

function unreachable(error: Error): FetchFailure {
  const why = hasCode(error, 'ECONNREFUSED')
    ? 'nothing listens there.'
    : hasCode(error, 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL')
      ? 'there is no way to that address from here.'
      : `it took no connection (${reasonOf(error)}).`
  return new FetchFailure('unreachable', why, { cause: error })
}
