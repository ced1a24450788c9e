import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'

import { afterEach, expect, test } from 'vitest'

import { underLoad } from '../../../../../test/support/load.js'
import { probeHttp, type ProbeRequest, type ProbeResult } from './http-probe.js'

const open: { close(): void; closeAllConnections?(): void }[] = []

afterEach(() => {
  for (const server of open.splice(0)) {
    server.close()
    server.closeAllConnections?.()
  }
})

async function listening(server: Server): Promise<URL> {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?x=1`)
}

const ask = (url: URL, more: Partial<ProbeRequest> = {}): Promise<ProbeResult> =>
  probeHttp({ url, method: 'GET', headers: {}, timeoutMs: 300, ...more })

const serving = (listener: RequestListener): Promise<URL> => listening(createServer(listener))

test('the request arrives, and the response is returned unchanged', async () => {
  const url = await serving((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      response.writeHead(307, {
        'X-Seen': `${request.method} ${request.url} ${String(request.headers['x-a'])}`,
        location: '/b',
      })
      response.end(body)
    })
  })
  const answer = await ask(url, { method: 'POST', headers: { 'x-a': '1' }, body: 'naïve' })
  expect(answer).toMatchObject({
    kind: 'answered',
    status: 307,
    body: 'naïve',
    bodyEnd: 'whole',
    certificate: undefined,
  })
  expect(answer).toHaveProperty('headers.x-seen', 'POST /mcp?x=1 1')
})

test('a silent server and an endless response time out', async () => {
  const silent = await ask(await serving(() => {}))
  expect(silent).toMatchObject({ kind: 'unanswered', reason: 'no answer within 300 ms' })
  const stream = await ask(await serving((_, response) => void response.write(': hello\n\n')))
  expect(stream).toMatchObject({ kind: 'answered', bodyEnd: 'open', body: ': hello\n\n' })
  expect(stream.ms).toBeLessThan(underLoad(1000))
})

test('an endless body is cut off', async () => {
  const endless = await serving((_, response) => {
    const chunk = 'x'.repeat(1024 * 1024)
    const more = (): void => void (response.destroyed || response.write(chunk, more))
    more()
  })
  expect(await ask(endless, { timeoutMs: 5000 })).toMatchObject({ bodyEnd: 'too large' })
})

test('a broken body, a closed port and a non-HTTP reply are reported', async () => {
  const brokenServer = await serving((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.destroy(), 20)
  })
  expect(await ask(brokenServer, { timeoutMs: 60_000 })).toMatchObject({ bodyEnd: 'broken', body: 'half' })
  const closed = await serving(() => {})
  open.splice(0).at(-1)?.close()
  expect(await ask(closed, { timeoutMs: 60_000 })).toMatchObject({
    kind: 'unanswered',
    reason: expect.stringContaining('ECONNREFUSED'),
  })
  const nonHttpServer = await listening(createTcpServer((socket) => void socket.end('hello\r\n\r\n')))
  expect(await ask(nonHttpServer, { timeoutMs: 60_000 })).toMatchObject({
    kind: 'unanswered',
    reason: expect.stringMatching(/./),
  })
})
