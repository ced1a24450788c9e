// Uses certificates created by openssl, and a server whose certificate is renewed while a connection is open.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'

import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'

import type { Failure } from '@scorpiox/mcp/errors'
import { MISSING, needs, skipIfMissing } from '../../../../test/support/runtime.js'
import { openCertificateFiles } from './tls-certificate.js'

const made = mkdtempSync(join(tmpdir(), 'scorpiox-tls-'))
const hasOpenssl = ((): boolean => {
  try {
    return execFileSync('openssl', ['version']).length > 0
  } catch {
    return false
  }
})()

interface Pair {
  readonly certFile: string
  readonly keyFile: string
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
const DAY_MS = 86_400_000
const POLL_MS = 20

/** Valid for thirty days from now. */
function make(name: string, kind: readonly string[] = CURVE): Pair {
  const [certFile, keyFile] = [join(made, `${name}.crt`), join(made, `${name}.key`)]
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-days', '30']
  const files = ['-nodes', '-keyout', keyFile, '-out', certFile]
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...subject], { stdio: 'ignore' })
  return { certFile, keyFile }
}

/** A copy of the pair that can be changed. */
function inPlace({ certFile, keyFile }: Pair): Pair {
  const folder = mkdtempSync(join(made, 'live-'))
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') }
  put(files, { certFile, keyFile })
  return files
}

function put(files: Pair, { certFile, keyFile }: Pair): void {
  copyFileSync(certFile, files.certFile)
  copyFileSync(keyFile, files.keyFile)
}

const never = (): void => expect.unreachable()

describe('a certificate and its key', needs(hasOpenssl ? undefined : 'openssl is not installed'), () => {
  let first: Pair
  let second: Pair
  const closers: (() => void)[] = []

  beforeAll(() => {
    first = make('first')
    second = make('second')
  })

  afterEach(() => {
    for (const close of closers.splice(0)) close()
  })

  async function serve(files: Pair, onError: (failure: Failure) => void = never) {
    const tls = openCertificateFiles({ ...files, onError })
    const server = createServer({ ...tls.options }, (_, response) => response.end('hello'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const apply = vi.fn((options: typeof tls.options) => server.setSecureContext({ ...options }))
    const stop = tls.watch(apply, POLL_MS)
    closers.push(() => {
      stop()
      server.close()
      server.closeAllConnections()
    })
    return { port: (server.address() as AddressInfo).port, apply, stop }
  }

  async function dial(port: number, options: object = {}): Promise<TLSSocket> {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false, ...options })
    closers.push(() => socket.destroy())
    await once(socket, 'secureConnect')
    return socket
  }

  /** The files are then checked only by vi.advanceTimersByTime. */
  function fakeIntervals(): void {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
  }

  const nameOf = (socket: TLSSocket): unknown => socket.getPeerCertificate().subject.CN
  const seen = async (port: number): Promise<unknown> => nameOf(await dial(port))

  async function ask(socket: TLSSocket): Promise<string> {
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    return chunk.toString()
  }

  test('new connections get a renewed certificate, and open ones are not affected', async (context) => {
    skipIfMissing(context, MISSING.renewal)
    const files = inPlace(first)
    const { port } = await serve(files)
    const open = await dial(port)
    expect(nameOf(open)).toBe('first')
    expect(await ask(open)).toContain('hello')
    put(files, second)
    await vi.waitFor(async () => expect(await seen(port)).toBe('second'), 5000)
    expect(await ask(open)).toContain('hello')
    expect(open.destroyed).toBe(false)
    expect(nameOf(open)).toBe('first')
  })

  test('an incomplete pair is not loaded, is reported once, and is tried again', async (context) => {
    skipIfMissing(context, MISSING.renewal)
    fakeIntervals()
    const files = inPlace(first)
    const complain = vi.fn<(failure: Failure) => void>()
    const { port, apply } = await serve(files, complain)
    copyFileSync(second.certFile, files.certFile)
    vi.advanceTimersByTime(10 * POLL_MS)
    expect(complain).toHaveBeenCalledTimes(1)
    expect(complain.mock.calls[0]?.[0].message).toMatch(/was not loaded.*does not belong to the first certificate/)
    expect(await seen(port)).toBe('first')
    copyFileSync(second.keyFile, files.keyFile)
    vi.advanceTimersByTime(10 * POLL_MS)
    expect(await seen(port)).toBe('second')
    expect(apply).toHaveBeenCalledTimes(1)
  })

  test('removed files leave the pair in use; unchanged content has no effect', async (context) => {
    skipIfMissing(context, MISSING.renewal)
    const files = inPlace(first)
    const complain = vi.fn<(failure: Failure) => void>()
    const { port, apply } = await serve(files, complain)
    rmSync(files.keyFile)
    await vi.waitFor(() => expect(complain).toHaveBeenCalledTimes(1), 5000)
    expect(complain.mock.calls[0]?.[0].message).toContain('cannot be read')
    expect(await seen(port)).toBe('first')
    put(files, first)
    await vi.waitFor(() => expect(apply).toHaveBeenCalledTimes(1), 5000)
    expect(await seen(port)).toBe('first')
  })

  test('does not report after watching was stopped', async () => {
    fakeIntervals()
    const files = inPlace(first)
    const { port, apply, stop } = await serve(files)
    expect(vi.getTimerCount()).toBe(1)
    stop()
    expect(vi.getTimerCount()).toBe(0)
    put(files, second)
    vi.advanceTimersByTime(10 * POLL_MS)
    expect(apply).not.toHaveBeenCalled()
    expect(await seen(port)).toBe('first')
  })

  test('TLS 1.1 is not supported', async () => {
    const { port } = await serve(inPlace(first))
    await expect(
      dial(port, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' }),
    ).rejects.toThrow()
    expect((await dial(port, { maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2')
  })

  test.each<[string, (files: Pair) => void, RegExp]>([
    ['a missing certificate', ({ certFile }) => rmSync(certFile), /certificate file \S+ cannot be read .*ENOENT/],
    ['a missing key', ({ keyFile }) => rmSync(keyFile), /key file \S+ cannot be read .*ENOENT/],
    ['no certificate', ({ certFile }) => writeFileSync(certFile, 'hello'), /no certificate in \S+ .*must be PEM/],
    ['no key', ({ keyFile }) => writeFileSync(keyFile, 'hello'), /no usable key in \S+ .*without a passphrase/],
    [
      'the wrong key',
      ({ keyFile }) => copyFileSync(second.keyFile, keyFile),
      /does not belong to the first certificate/,
    ],
    ['half a certificate', ({ certFile }) => writeFileSync(certFile, half(first.certFile)), /no certificate in/],
    ['a weak key', (files) => put(files, make('weak', ['-newkey', 'rsa:512'])), /cannot be used for TLS .*2048 bits/],
    ['a key with a passphrase', encrypt, /no usable key in/],
  ])('%s is refused with a message', (_, corrupt, sentence) => {
    const files = inPlace(first)
    corrupt(files)
    expect(() => openCertificateFiles({ ...files, onError: never })).toThrow(sentence)
  })

  test.each([
    ['an expired one', 31, /expired on .*Renew it/],
    ['one of tomorrow', -1, /is not valid before .*clock/],
  ])('%s is refused with a message', (_, days, sentence) => {
    vi.useFakeTimers({ now: Date.now() + days * DAY_MS, toFake: ['Date'] })
    closers.push(() => vi.useRealTimers())
    expect(() => openCertificateFiles({ ...first, onError: never })).toThrow(sentence)
  })

  test('an unreadable key is a Failure', () => {
    const files = inPlace(first)
    // Root can read every file, but not a folder.
    if (process.getuid?.() === 0) Object.assign(files, { keyFile: dirname(files.keyFile) })
    else chmodSync(files.keyFile, 0)
    expect(() => openCertificateFiles({ ...files, onError: never })).toThrow('cannot be read')
  })
})

function half(file: string): string {
  const text = readFileSync(file, 'utf8')
  return text.slice(0, text.length / 2)
}

function encrypt({ keyFile }: Pair): void {
  const text = execFileSync('openssl', ['pkcs8', '-topk8', '-in', keyFile, '-passout', 'pass:secret'])
  writeFileSync(keyFile, text)
}
