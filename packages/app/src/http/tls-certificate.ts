// Reads the certificate and key files of `serve --http` (cli/serve-http.ts) at start and whenever they change, so that
// a renewal needs no restart. A pair that cannot be used, because it is incomplete or invalid, never replaces the
// current one. Checks the files on a timer.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import type { CertificateSource, TlsOptions } from '@scorpiox/mcp/http/node-server'

const POLL_MS = 2000
const MIN_KEY_BITS = 1024

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
  /** Called once per change with the reason why the new pair cannot be used. */
  readonly onError: (failure: Failure) => void
}

/** Throws a Failure that says which file is wrong, and how. */
export function openCertificateFiles({ certFile, keyFile, onError }: CertificateFiles): CertificateSource {
  // Read before the content, so that a change in between is detected.
  let currentState = filesFingerprint(certFile, keyFile)
  return {
    options: loadCertificatePair(certFile, keyFile),
    watch(apply, pollMs = POLL_MS) {
      let lastState = currentState
      let reportedState = ''
      const check = (): void => {
        const state = filesFingerprint(certFile, keyFile)
        // The two files are not written at the same time: a state counts when it is unchanged for two checks.
        const isStable = state === lastState
        lastState = state
        if (state === currentState || !isStable) return
        try {
          apply(loadCertificatePair(certFile, keyFile))
          currentState = state
        } catch (error) {
          // Tried again at each check: a certificate may become valid later.
          if (state !== reportedState) onError(toReloadFailure(error))
          reportedState = state
        }
      }
      const timer = setInterval(check, pollMs).unref()
      return () => clearInterval(timer)
    },
  }
}

function filesFingerprint(...files: readonly string[]): string {
  return files.map(fileFingerprint).join(' ')
}

function fileFingerprint(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file)
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`
  } catch {
    return 'unreadable'
  }
}

function loadCertificatePair(certFile: string, keyFile: string): TlsOptions {
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
  return withFailure(
    () => {
      checkStrength(privateKey)
      return createSecureContext(options) && options
    },
    `The certificate in ${certFile} with the key in ${keyFile} cannot be used for TLS`,
    'Make a new pair, with an RSA key of 2048 bits or more, or an EC key.',
  )
}

/** OpenSSL checks this itself; BoringSSL in Bun accepts any key. */
function checkStrength({ asymmetricKeyDetails }: KeyObject): void {
  const bits = asymmetricKeyDetails?.modulusLength ?? Infinity
  if (bits < MIN_KEY_BITS) throw new Error(`the key has only ${bits} bits`)
}

function readText(file: string, kind: string): string {
  return withFailure(
    () => readFileSync(file, 'utf8'),
    `The ${kind} file ${file} cannot be read`,
    'Check the path, and that the user of this server can read it.',
  )
}

function readCertificate(text: string, file: string): X509Certificate {
  const advice = 'It must be PEM: text with -----BEGIN CERTIFICATE-----.'
  return withFailure(() => new X509Certificate(text), `There is no certificate in ${file}`, advice)
}

function readKey(text: string, file: string): KeyObject {
  const advice = 'It must be PEM without a passphrase: text with -----BEGIN PRIVATE KEY-----.'
  return withFailure(() => createPrivateKey(text), `There is no usable key in ${file}`, advice)
}

function checkDates({ validFrom, validTo }: X509Certificate, file: string): void {
  const now = Date.now()
  if (Date.parse(validTo) <= now) {
    throw new Failure(`The certificate in ${file} expired on ${validTo}. Renew it; clients reject it.`)
  }
  if (Date.parse(validFrom) > now) {
    throw new Failure(`The certificate in ${file} is not valid before ${validFrom}. Check this machine's clock.`)
  }
}

function withFailure<T>(read: () => T, message: string, advice: string): T {
  try {
    return read()
  } catch (error) {
    throw new Failure(`${message} (${errorMessage(error)}). ${advice}`)
  }
}

function toReloadFailure(error: unknown): Failure {
  const reason = errorMessage(error)
  return new Failure(`The changed certificate was not loaded; the previous one stays in use. ${reason}`)
}
