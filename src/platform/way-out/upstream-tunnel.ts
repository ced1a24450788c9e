// Asks a proxy of the person's to pass on whatever is sent to a destination.

import { request } from 'node:http'
import type { Socket } from 'node:net'

import { reasonOf } from '../../lib/reason-of.js'
import { FetchFailure } from './fetch-failure.js'
import type { Upstream } from './upstream.js'
import { printDestination, type Destination } from './web-url.js'

const PATIENCE_MS = 10_000

export function openTunnelThrough(socket: Socket, upstream: Upstream, destination: Destination): Promise<Socket> {
  const place = printDestination(destination)
  const { authorization } = upstream
  return new Promise((resolve, reject) => {
    const asking = request({
      method: 'CONNECT',
      path: place,
      headers: { host: place, ...(authorization !== '' && { 'proxy-authorization': authorization }) },
      // Not beside `agent: false`: then Node would dial by itself.
      createConnection: () => socket,
    })
    const timer = setTimeout(() => fail('it does not answer.'), PATIENCE_MS)
    const fail = (why: string): void => {
      clearTimeout(timer)
      socket.destroy()
      const proxy = printDestination(upstream.destination)
      reject(new FetchFailure('unreachable', `the proxy ${proxy} does not let it through: ${why}`))
    }
    const hungUp = (): void => fail('it hung up.')
    asking.once('connect', ({ statusCode = 0 }, _, head) => {
      if (statusCode < 200 || statusCode > 299) return fail(verdict(statusCode))
      clearTimeout(timer)
      // The request ends here, the connection does not.
      asking.off('close', hungUp)
      if (head.length > 0) socket.unshift(head)
      return resolve(socket)
    })
    asking.once('response', ({ statusCode = 0 }) => fail(verdict(statusCode)))
    asking.once('close', hungUp)
    asking.on('error', (error) => fail(`${reasonOf(error)}.`))
    asking.end()
  })
}

function verdict(status: number): string {
  if (status === 407) return 'it wants to know who asks. Set FETCH_PROXY=http://user:password@host:port.'
  return `it answered with status ${status}.`
}
