// Checks of address, certificate, authentication, Origin and GET, for run-checks.ts. Pure functions over probe results.

import {
  ARMORIQ_SCANNER,
  type CheckDefect,
  type CheckResult,
  combineDefects,
  describeProbe,
  failedCheck,
  failedDefect,
  passedCheck,
  quoteText,
  skippedCheck,
  warningCheck,
} from './check-result.js'
import type { ProbeResponse, ProbeResult } from './http-probe.js'

const DAY_MS = 86_400_000
const RENEW_DAYS = 14

/** HTTPS counts only if the server answered over it. */
export function checkAddress({ protocol, hostname }: URL, isLocal: boolean, probed: ProbeResult): CheckResult {
  const name = 'HTTPS'
  if (protocol === 'https:') {
    return probed.kind === 'answered' ? passedCheck(name, `${hostname} answers`) : skippedCheck(name, probed.reason)
  }
  if (isLocal) return skippedCheck(name, 'plain HTTP is sufficient on this machine; a public address needs HTTPS')
  const fix = 'Serve HTTPS: ArmorIQ registers only HTTPS, and over plain HTTP the token can be read in transit.'
  return warningCheck(name, 'plain HTTP', fix)
}

export function checkCertificate(probed: ProbeResult, url: URL, now = Date.now()): CheckResult {
  const name = 'certificate'
  if (url.protocol !== 'https:') return skippedCheck(name, 'plain HTTP has no certificate')
  if (probed.kind === 'unanswered') return skippedCheck(name, probed.reason)
  const { certificate } = probed
  if (!certificate) return failedCheck(name, 'the server sent none', 'Configure the certificate of the server.')
  const days = Math.floor((certificate.validTo.getTime() - now) / DAY_MS)
  const defects: CheckDefect[] = []
  if (days < 0) defects.push(failedDefect(`it expired ${-days} days ago`, 'Renew it.'))
  else if (days < RENEW_DAYS) {
    defects.push({ severity: 'warning', seen: `it expires in ${days} days`, fix: 'Check that its renewal works.' })
  }
  if (certificate.wrongHost !== undefined) {
    defects.push(failedDefect(quoteText(certificate.wrongHost), `Get a certificate for ${url.hostname}.`))
  }
  if (certificate.distrust !== undefined && days >= 0) {
    const observed = `it is not trusted here (${certificate.distrust}), issued by ${quoteText(certificate.issuer)}`
    defects.push(failedDefect(observed, DISTRUST_FIX))
  }
  return combineDefects(name, defects, `issued by ${quoteText(certificate.issuer)}, ${days} days left`)
}

const DISTRUST_FIX =
  "Use an issuer that clients trust, and send its intermediate certificates after the server's own. For a private" +
  ' issuer, run this check with NODE_EXTRA_CA_CERTS=<its certificate>.'

/** `valid` is the response to a request without credentials, `broken` to one whose body is not JSON either. */
export function checkUnauthenticated(valid: ProbeResult, broken: ProbeResult, isLocal: boolean): CheckResult {
  const name = 'no credentials'
  const fix = 'Answer requests without credentials with 401 and WWW-Authenticate.'
  const refusal = findRefusal(valid)
  if (!refusal) {
    const observed = `a request without credentials is not rejected: ${describeProbe(valid)}`
    const isOpen = valid.kind === 'answered' && valid.status < 300
    if (!isOpen || !isLocal) return failedCheck(name, observed, fix)
    return warningCheck(name, observed, `${fix} This is optional on a loopback address.`)
  }
  if (!findRefusal(broken)) {
    const observed = `the body is read before the credentials are checked: invalid JSON got ${describeProbe(broken)}`
    return failedCheck(name, observed, 'Check credentials before parsing anything.')
  }
  const challenge = refusal.headers['www-authenticate']
  if (refusal.status === 401 && challenge === undefined) {
    const observed = 'HTTP 401 without WWW-Authenticate'
    return warningCheck(name, observed, 'Add WWW-Authenticate, such as Bearer: clients look for it.')
  }
  return passedCheck(
    name,
    `HTTP ${refusal.status}${challenge === undefined ? '' : `, WWW-Authenticate ${quoteText(challenge)}`}`,
  )
}

export function checkWrongCredentials(probed: ProbeResult): CheckResult {
  const name = 'wrong credentials'
  const refusal = findRefusal(probed)
  if (refusal) return passedCheck(name, `HTTP ${refusal.status}`)
  return failedCheck(name, `a wrong token is not rejected: ${describeProbe(probed)}`, 'Compare the token; answer 401.')
}

export function checkOrigin(probed: ProbeResult): CheckResult {
  const name = 'foreign Origin'
  const fix = 'Answer an unknown Origin with 403: every revision of MCP requires it against DNS rebinding.'
  if (probed.kind === 'answered' && probed.status === 403) return passedCheck(name, 'HTTP 403')
  const isRejected = probed.kind === 'answered' && probed.status >= 400 && probed.status < 500
  if (isRejected) return warningCheck(name, `rejected, but with ${describeProbe(probed)}`, fix)
  return failedCheck(name, `a page of https://evil.example may call it: ${describeProbe(probed)}`, fix)
}

export function checkGet(probed: ProbeResult): CheckResult {
  const name = 'GET'
  const fix = 'Answer a GET without a session at once, with 405 and Allow: POST.'
  if (probed.kind === 'unanswered') return failedCheck(name, `no response to GET: ${probed.reason}`, fix)
  if (probed.bodyEnd !== 'whole') {
    const observed = `GET opens a stream and does not end (HTTP ${probed.status}): ${ARMORIQ_SCANNER} drops such servers`
    return failedCheck(name, observed, fix)
  }
  if (probed.status >= 500) return failedCheck(name, describeProbe(probed), fix)
  if (probed.status !== 405) return warningCheck(name, `answered at once, with ${describeProbe(probed)}`, fix)
  if (probed.headers.allow === undefined) return warningCheck(name, 'HTTP 405 without Allow', fix)
  return passedCheck(name, `HTTP 405, Allow ${quoteText(probed.headers.allow)}`)
}

/** The response, if it rejects the request because of its credentials. */
export function findRefusal(probed: ProbeResult): ProbeResponse | undefined {
  return probed.kind === 'answered' && (probed.status === 401 || probed.status === 403) ? probed : undefined
}
