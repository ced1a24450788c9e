import { existsSync, mkdtempSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { socketAddressIn } from '../../../../test/support/socket-address.js'
import {
  connectToLocalSocket,
  type LineListener,
  type LineSocket,
  listenOnLocalSocket,
  type LocalSocketServer,
} from './local-socket.js'

const MAX = 1000
const servers: LocalSocketServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const newAddress = (): string => socketAddressIn(mkdtempSync(join(tmpdir(), 'scorpiox-test-')))

/** Collects all received lines. */
async function listen(address: string) {
  const received: string[] = []
  const peers: LineSocket[] = []
  let closed = 0
  const server = await listenOnLocalSocket(address, { maxLineLength: MAX }, (socket) => {
    peers.push(socket)
    return { onLine: (text) => received.push(text), onClose: () => closed++ }
  })
  servers.push(server)
  return { received, peers, closed: () => closed, server }
}

test('lines arrive unchanged, however they are split', async () => {
  const address = newAddress()
  const { received } = await listen(address)
  const line = fc.string({ unit: 'grapheme', maxLength: 100 }).map((text) => text.replaceAll('\n', ''))
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 10 }), fc.integer({ min: 1, max: 50 }), async (lines, step) => {
      received.length = 0
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''))
      const socket = connect(address)
      for (let at = 0; at < bytes.length; at += step) socket.write(bytes.subarray(at, at + step))
      socket.end()
      // A server that is closed during a connect resets the connection.
      await new Promise((resolve) => socket.once('close', resolve))
      await expect.poll(() => received.length, { interval: 1 }).toBe(lines.length)
      expect(received).toEqual(lines.map((each) => each.toWellFormed()))
    }),
    { numRuns: 30 },
  )
})

test('only its owner can open it, and it is removed with the server', needs(MISSING.fileModes), async () => {
  const address = newAddress()
  const { server } = await listen(address)
  expect(statSync(address).mode & 0o777).toBe(0o600)
  await server.close()
  servers.length = 0
  expect(existsSync(address)).toBe(false)
  await expect(connectToLocalSocket(address, { maxLineLength: MAX }, () => silent)).rejects.toMatchObject({
    code: 'ENOENT',
  })
})

test('a line that is too long closes the connection, and is not delivered', async () => {
  const address = newAddress()
  const { received, closed } = await listen(address)
  for (const text of ['x'.repeat(MAX + 1), `${'x'.repeat(MAX + 1)}\nafter\n`, `before\n${'y'.repeat(5 * MAX)}`]) {
    const socket = connect(address)
    socket.on('error', () => {})
    socket.write(text)
    await new Promise((resolve) => socket.once('close', resolve))
  }
  await expect.poll(closed).toBe(3)
  expect(received).toEqual(['before'])
})

test('after close nothing is received, and a peer that does not read cannot delay it', async () => {
  const address = newAddress()
  const { received, peers, closed } = await listen(address)
  const unread = connect(address)
  unread.on('error', () => {})
  unread.pause()
  await expect.poll(() => peers).toHaveLength(1)
  peers[0]?.send('x'.repeat(4_000_000))
  peers[0]?.close()
  unread.write('too late\n')
  await expect.poll(closed, { timeout: 5000 }).toBe(1)
  expect(received).toEqual([])
})

test('a peer that never reads is disconnected before much is buffered', async () => {
  const address = newAddress()
  const { peers, closed } = await listen(address)
  const unread = connect(address)
  unread.on('error', () => {})
  unread.pause()
  await expect.poll(() => peers).toHaveLength(1)
  for (let times = 0; times < 100; times++) peers[0]?.send('x'.repeat(1_000_000))
  await expect.poll(closed).toBe(1)
})

const silent: LineListener = { onLine: () => {}, onClose: () => {} }
