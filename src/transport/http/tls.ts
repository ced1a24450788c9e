// The certificate and its key: read at the start, and again whenever their files change, so that a renewal needs no
// restart. A pair that cannot be used, because it is half-written or wrong, never replaces the one in use.

import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'
import type { Tls, TlsOptions } from './node-server.js'

const POLL_MS = 2000
const WEAK_BITS = 1024

export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
  /** A changed pair cannot be used; told once for each state of the files that stays. */
  readonly onError: (failure: Failure) => void
}

/** Throws a Failure that says which file is wrong, and how. */
export function openTls({ certFile, keyFile, onError }: TlsFiles): Tls {
  // Looked at before reading: a change that comes in between is then seen as one.
  let inUse = stateOf(certFile, keyFile)
  return {
    options: readPair(certFile, keyFile),
    watch(apply, pollMs = POLL_MS) {
      let lastSeen = inUse
      let complainedOf = ''
      const look = (): void => {
        const state = stateOf(certFile, keyFile)
        // Two files are never written at once: a state counts when it has stayed for two looks.
        const stayed = state === lastSeen
        lastSeen = state
        if (state === inUse || !stayed) return
        try {
          apply(readPair(certFile, keyFile))
          inUse = state
        } catch (error) {
          // It is tried again at each look: a certificate that is not valid yet will be.
          if (state !== complainedOf) onError(stillInUse(error))
          complainedOf = state
        }
      }
      const timer = setInterval(look, pollMs).unref()
      return () => clearInterval(timer)
    },
  }
}

function stateOf(...files: readonly string[]): string {
  return files.map(fileState).join(' ')
}

function fileState(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file)
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`
  } catch {
    return 'unreadable'
  }
}

function readPair(certFile: string, keyFile: string): TlsOptions {
  const cert = readText(certFile, 'certificate')
  const key = readText(keyFile, 'key')
  const certificate = readCertificate(cert, certFile)
  const privateKey = readKey(key, keyFile)
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Failure(
      `The key in ${keyFile} does not belong to the first certificate in ${certFile}. Name the key the certificate was` +
        ' made with, and put the certificate of this server before those of its issuers.',
    )
  }
  checkDates(certificate, certFile)
  const options = { cert, key, minVersion: 'TLSv1.2' } as const
  return orFail(
    () => {
      checkStrength(privateKey)
      return createSecureContext(options) && options
    },
    `The certificate in ${certFile} with the key in ${keyFile} cannot be used for TLS`,
    'Make a new pair, with an RSA key of 2048 bits or more, or an EC key.',
  )
}

/** OpenSSL looks at that itself; what Bun has in its place takes any. */
function checkStrength({ asymmetricKeyDetails }: KeyObject): void {
  const bits = asymmetricKeyDetails?.modulusLength ?? Infinity
  if (bits < WEAK_BITS) throw new Error(`the key has ${bits} bits only`)
}

function readText(file: string, what: string): string {
  return orFail(
    () => readFileSync(file, 'utf8'),
    `The ${what} file ${file} cannot be read`,
    'Check the path, and that the user this server runs as may read it.',
  )
}

function readCertificate(text: string, file: string): X509Certificate {
  const fix = 'It must be PEM: a text with -----BEGIN CERTIFICATE-----.'
  return orFail(() => new X509Certificate(text), `There is no certificate in ${file}`, fix)
}

function readKey(text: string, file: string): KeyObject {
  const fix = 'It must be PEM, and without a passphrase: a text with -----BEGIN PRIVATE KEY-----.'
  return orFail(() => createPrivateKey(text), `There is no usable key in ${file}`, fix)
}

function checkDates({ validFrom, validTo }: X509Certificate, file: string): void {
  const now = Date.now()
  if (Date.parse(validTo) <= now) {
    throw new Failure(`The certificate in ${file} expired on ${validTo}. Renew it; clients refuse it.`)
  }
  if (Date.parse(validFrom) > now) {
    throw new Failure(`The certificate in ${file} is not valid before ${validFrom}. Check this machine's clock.`)
  }
}

function orFail<T>(read: () => T, sentence: string, fix: string): T {
  try {
    return read()
  } catch (error) {
    throw new Failure(`${sentence} (${reasonOf(error)}). ${fix}`)
  }
}

function stillInUse(error: unknown): Failure {
  const reason = reasonOf(error)
  return new Failure(`The changed certificate was not taken, the one before it stays in use. ${reason}`)
}
