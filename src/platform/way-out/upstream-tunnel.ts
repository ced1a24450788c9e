// Opens a CONNECT tunnel to a destination through the proxy of the operator.

import { request } from 'node:http'
import type { Socket } from 'node:net'

import { reasonOf } from '../../lib/reason-of.js'
import { FetchFailure } from './fetch-failure.js'
import type { Upstream } from './upstream.js'
import { printDestination, type Destination } from './web-url.js'

const TUNNEL_TIMEOUT_MS = 10_000

export function openTunnelThrough(socket: Socket, upstream: Upstream, destination: Destination): Promise<Socket> {
  const authority = printDestination(destination)
  const { authorization } = upstream
  return new Promise((resolve, reject) => {
    const connectRequest = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(authorization !== '' && { 'proxy-authorization': authorization }) },
      // Without `agent: false`, with which Node.js would connect by itself.
      createConnection: () => socket,
    })
    const timer = setTimeout(() => fail('it does not answer.'), TUNNEL_TIMEOUT_MS)
    const fail = (why: string): void => {
      clearTimeout(timer)
      socket.destroy()
      const proxy = printDestination(upstream.destination)
      reject(new FetchFailure('unreachable', `the proxy ${proxy} does not let it through: ${why}`))
    }
    const onClose = (): void => fail('it closed the connection.')
    connectRequest.once('connect', ({ statusCode = 0 }, _, head) => {
      if (statusCode < 200 || statusCode > 299) return fail(describeStatus(statusCode))
      clearTimeout(timer)
      // The request ends here; the connection stays open.
      connectRequest.off('close', onClose)
      if (head.length > 0) socket.unshift(head)
      return resolve(socket)
    })
    connectRequest.once('response', ({ statusCode = 0 }) => fail(describeStatus(statusCode)))
    connectRequest.once('close', onClose)
    connectRequest.on('error', (error) => fail(`${reasonOf(error)}.`))
    connectRequest.end()
  })
}

function describeStatus(status: number): string {
  if (status === 407) return 'it requires authentication (407). Set FETCH_PROXY=http://user:password@host:port.'
  return `it answered with status ${status}.`
}
