// Checks of address, certificate, authentication, Origin and GET. Pure functions over probe results.

import type { Answered, Probed } from '../../platform/probe.js'
import {
  ARMORIQ_SCANNER,
  describe,
  failed,
  failing,
  ok,
  quote,
  skipped,
  summed,
  warning,
  type Defect,
  type Verdict,
} from './verdict.js'

const DAY_MS = 86_400_000
const RENEW_DAYS = 14

/** HTTPS counts only if the server answered over it. */
export function judgeAddress({ protocol, hostname }: URL, isLocal: boolean, probed: Probed): Verdict {
  const name = 'HTTPS'
  if (protocol === 'https:') {
    return probed.kind === 'answered' ? ok(name, `${hostname} answers`) : skipped(name, probed.reason)
  }
  if (isLocal) return skipped(name, 'plain HTTP is sufficient on this machine; a public address needs HTTPS')
  const fix = 'Serve HTTPS: ArmorIQ registers only HTTPS, and over plain HTTP the token can be read in transit.'
  return warning(name, 'plain HTTP', fix)
}

export function judgeCertificate(probed: Probed, url: URL, now = Date.now()): Verdict {
  const name = 'certificate'
  if (url.protocol !== 'https:') return skipped(name, 'plain HTTP has no certificate')
  if (probed.kind === 'unanswered') return skipped(name, probed.reason)
  const { certificate } = probed
  if (!certificate) return failed(name, 'the server sent none', 'Configure the certificate of the server.')
  const days = Math.floor((certificate.validTo.getTime() - now) / DAY_MS)
  const defects: Defect[] = []
  if (days < 0) defects.push(failing(`it expired ${-days} days ago`, 'Renew it.'))
  else if (days < RENEW_DAYS) {
    defects.push({ severity: 'warning', seen: `it expires in ${days} days`, fix: 'Check that its renewal works.' })
  }
  if (certificate.wrongHost !== undefined) {
    defects.push(failing(quote(certificate.wrongHost), `Get a certificate for ${url.hostname}.`))
  }
  if (certificate.distrust !== undefined && days >= 0) {
    const observed = `it is not trusted here (${certificate.distrust}), issued by ${quote(certificate.issuer)}`
    defects.push(failing(observed, DISTRUST_FIX))
  }
  return summed(name, defects, `issued by ${quote(certificate.issuer)}, ${days} days left`)
}

const DISTRUST_FIX =
  "Use an issuer that clients trust, and send its intermediate certificates after the server's own. For a private" +
  ' issuer, run this check with NODE_EXTRA_CA_CERTS=<its certificate>.'

/** `valid` is the response to a request without credentials, `broken` to one whose body is not JSON either. */
export function judgeStranger(valid: Probed, broken: Probed, isLocal: boolean): Verdict {
  const name = 'no credentials'
  const fix = 'Answer requests without credentials with 401 and WWW-Authenticate.'
  const refusal = refusalIn(valid)
  if (!refusal) {
    const observed = `a request without credentials is not rejected: ${describe(valid)}`
    const isOpen = valid.kind === 'answered' && valid.status < 300
    if (!isOpen || !isLocal) return failed(name, observed, fix)
    return warning(name, observed, `${fix} This is optional on a loopback address.`)
  }
  if (!refusalIn(broken)) {
    const observed = `the body is read before the credentials are checked: invalid JSON got ${describe(broken)}`
    return failed(name, observed, 'Check credentials before parsing anything.')
  }
  const challenge = refusal.headers['www-authenticate']
  if (refusal.status === 401 && challenge === undefined) {
    const observed = 'HTTP 401 without WWW-Authenticate'
    return warning(name, observed, 'Add WWW-Authenticate, such as Bearer: clients look for it.')
  }
  return ok(name, `HTTP ${refusal.status}${challenge === undefined ? '' : `, WWW-Authenticate ${quote(challenge)}`}`)
}

export function judgeWrongCredentials(probed: Probed): Verdict {
  const name = 'wrong credentials'
  const refusal = refusalIn(probed)
  if (refusal) return ok(name, `HTTP ${refusal.status}`)
  return failed(name, `a wrong token is not rejected: ${describe(probed)}`, 'Compare the token; answer 401.')
}

export function judgeOrigin(probed: Probed): Verdict {
  const name = 'foreign Origin'
  const fix = 'Answer an unknown Origin with 403: every revision of MCP requires it against DNS rebinding.'
  if (probed.kind === 'answered' && probed.status === 403) return ok(name, 'HTTP 403')
  const isRejected = probed.kind === 'answered' && probed.status >= 400 && probed.status < 500
  if (isRejected) return warning(name, `rejected, but with ${describe(probed)}`, fix)
  return failed(name, `a page of https://evil.example may call it: ${describe(probed)}`, fix)
}

export function judgeGet(probed: Probed): Verdict {
  const name = 'GET'
  const fix = 'Answer a GET without a session at once, with 405 and Allow: POST.'
  if (probed.kind === 'unanswered') return failed(name, `no response to GET: ${probed.reason}`, fix)
  if (probed.end !== 'whole') {
    const observed = `GET opens a stream and does not end (HTTP ${probed.status}): ${ARMORIQ_SCANNER} drops such servers`
    return failed(name, observed, fix)
  }
  if (probed.status >= 500) return failed(name, describe(probed), fix)
  if (probed.status !== 405) return warning(name, `answered at once, with ${describe(probed)}`, fix)
  if (probed.headers.allow === undefined) return warning(name, 'HTTP 405 without Allow', fix)
  return ok(name, `HTTP 405, Allow ${quote(probed.headers.allow)}`)
}

/** The response, if it rejects the request because of its credentials. */
export function refusalIn(probed: Probed): Answered | undefined {
  return probed.kind === 'answered' && (probed.status === 401 || probed.status === 403) ? probed : undefined
}
