// A simulated network: an internal server that may not be reached and counts its connections, and an outer server that
// represents the public web. Names are resolved from a table, and everything but loopback is connected to the outer
// server, so that nothing leaves the machine.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

import { connectToFirst } from '@scorpiox/server/guarded-fetch/connect-tcp'
import {
  type CheckingProxy,
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
} from '@scorpiox/server/guarded-fetch/guarded-fetch'

const WEBSOCKET = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Only these are dialled unchanged. */
export const LOOPBACK = /^(127\.|0\.|::)/

export const PUBLIC = '93.184.215.14'

export interface SsrfNetwork {
  readonly internal: Internal
  readonly outer: { readonly port: number; hits: number }
  /** The dialled addresses, as `address:port`. */
  readonly dialled: string[]
  /** The addresses of names: each lookup takes the next list, the last one stays. */
  readonly names: Map<string, string[][]>
  /** The response of the outer server at a path; anything else is a page. */
  readonly pages: Map<string, RequestListener>
  guardedFetch(input?: Partial<GuardedFetchOptions>): GuardedFetch
  close(): Promise<void>
}

export interface Internal {
  readonly port: number
  /** Also connections without a request. */
  hits: number
  /** The requests. */
  readonly paths: Set<string>
}

export async function openNetwork(): Promise<SsrfNetwork> {
  const internalServer = await listen((incoming, response) => {
    internal.hits++
    internal.paths.add(incoming.url ?? '')
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': typeOf(incoming.url ?? '') })
    response.end('SECRET')
  })
  internalServer.on('upgrade', (incoming, socket) => {
    internal.paths.add(incoming.url ?? '')
    // Accepted, or a browser would delay the next one.
    const key = createHash('sha1').update(`${incoming.headers['sec-websocket-key']}${WEBSOCKET}`).digest('base64')
    const head = [
      '101 Switching Protocols',
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Accept: ${key}`,
    ]
    socket.end(`HTTP/1.1 ${head.join('\r\n')}\r\n\r\n`)
  })
  // A tunnel that is opened is a leak, whether or not anything is sent through it.
  internalServer.on('connection', () => internal.hits++)
  const outerServer = await listen((incoming, response) => {
    outer.hits++
    answer(incoming, response)
  })
  const internal = { port: portOf(internalServer), hits: 0, paths: new Set<string>() }
  const outer = { port: portOf(outerServer), hits: 0 }
  const dialled: string[] = []
  const names = new Map<string, string[][]>()
  const pages = new Map<string, RequestListener>()
  const opened: GuardedFetch[] = []

  function answer(incoming: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(`http://x${incoming.url ?? '/'}`)
    const [, code] = /^\/to\/(\d+)$/.exec(pathname) ?? []
    const page = pages.get(pathname)
    if (page) page(incoming, response)
    else if (code === undefined) response.end('a public page')
    else response.writeHead(Number(code), { location: searchParams.get('url') ?? '' }).end()
  }

  return {
    internal,
    outer,
    dialled,
    names,
    pages,
    guardedFetch(input = {}) {
      const out = createGuardedFetch({
        allow: '',
        proxies: { override: 'off', http: '', https: '', bypass: '' },
        warn: () => {},
        resolveHost: async (name) => {
          const answers = names.get(name) ?? [[PUBLIC]]
          return (answers.length > 1 ? answers.shift() : answers[0]) ?? []
        },
        connectTcp: (addresses, port, signal) => {
          dialled.push(...addresses.map((address) => `${address}:${port}`))
          const isHere = addresses.some((address) => LOOPBACK.test(address))
          return isHere ? connectToFirst(addresses, port, signal) : connectToFirst(['127.0.0.1'], outer.port, signal)
        },
        ...input,
      })
      opened.push(out)
      return out
    },
    async close() {
      for (const out of opened) await out.close()
      for (const server of [internalServer, outerServer]) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

/** The headers that browsers require to run or show it. */
function typeOf(path: string): string {
  if (/script|worker|import|module/.test(path)) return 'text/javascript'
  if (/style/.test(path)) return 'text/css'
  return 'text/html'
}

/** At every address of the machine, IPv4 and IPv6. */
async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  server.listen(0)
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** An unguarded client: shows that an address can be reached. */
export function naiveGet(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { hostname, port, pathname } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const asking = request({ host, port, path: pathname, agent: false, timeout: 2000 })
    asking.on('response', (response) => resolve(response.resume() !== undefined))
    asking.on('error', () => resolve(false)).on('timeout', () => asking.destroy(new Error('late')))
    asking.end()
  })
}

/** The proxy's response to these bytes: everything until it closed the connection, or until the first bytes. */
export async function rawProxy({ port }: CheckingProxy, bytes: string): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(bytes, 'latin1')
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    if (text.includes('\r\n\r\n')) break
  }
  socket.destroy()
  return text
}

/** Sends bytes to the proxy and ignores the response. */
export function sendRaw({ port }: CheckingProxy, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const timer = setTimeout(() => socket.destroy(), 200)
    socket.on('error', () => {}).resume()
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.end(bytes, 'latin1')
  })
}
