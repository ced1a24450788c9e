// How an endpoint stands in the network: its address and certificate, and whom it lets in. Pure judgements.

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

/** An address alone proves nothing: HTTPS is there when a server has answered over it. */
export function judgeAddress({ protocol, hostname }: URL, isLocal: boolean, probed: Probed): Verdict {
  const name = 'HTTPS'
  if (protocol === 'https:') {
    return probed.kind === 'answered' ? ok(name, `${hostname} answers`) : skipped(name, probed.reason)
  }
  if (isLocal) return skipped(name, 'plain HTTP is enough on this machine; a public address needs HTTPS')
  const fix = 'Serve HTTPS: ArmorIQ registers nothing else, and over plain HTTP the token can be read in transit.'
  return warning(name, 'plain HTTP', fix)
}

export function judgeCertificate(probed: Probed, url: URL, now = Date.now()): Verdict {
  const name = 'certificate'
  if (url.protocol !== 'https:') return skipped(name, 'plain HTTP has none')
  if (probed.kind === 'unanswered') return skipped(name, probed.reason)
  const { certificate } = probed
  if (!certificate) return failed(name, 'the server showed none', 'Give the server its certificate.')
  const days = Math.floor((certificate.validTo.getTime() - now) / DAY_MS)
  const defects: Defect[] = []
  if (days < 0) defects.push(failing(`it expired ${-days} days ago`, 'Renew it.'))
  else if (days < RENEW_DAYS) {
    defects.push({ severity: 'warning', seen: `it expires in ${days} days`, fix: 'See that its renewal works.' })
  }
  if (certificate.wrongHost !== undefined) {
    defects.push(failing(quote(certificate.wrongHost), `Get a certificate for ${url.hostname}.`))
  }
  if (certificate.distrust !== undefined && days >= 0) {
    const seen = `it is not trusted here (${certificate.distrust}), issued by ${quote(certificate.issuer)}`
    defects.push(failing(seen, DISTRUST_FIX))
  }
  return summed(name, defects, `issued by ${quote(certificate.issuer)}, ${days} days left`)
}

const DISTRUST_FIX =
  "Use an issuer that clients trust, and send its intermediate certificates behind the server's own. For an issuer of" +
  ' your own, run this check with NODE_EXTRA_CA_CERTS=<its certificate>.'

/** `polite` asked without credentials, `broken` did so with a body that is not JSON. */
export function judgeStranger(polite: Probed, broken: Probed, isLocal: boolean): Verdict {
  const name = 'no credentials'
  const fix = 'Answer 401, with WWW-Authenticate, to who shows no credentials.'
  const refusal = refusalIn(polite)
  if (!refusal) {
    const seen = `a stranger is not turned away: ${describe(polite)}`
    const isOpen = polite.kind === 'answered' && polite.status < 300
    if (!isOpen || !isLocal) return failed(name, seen, fix)
    return warning(name, seen, `${fix} On this machine only, it may do without.`)
  }
  if (!refusalIn(broken)) {
    const seen = `the body is read before credentials are asked for: a broken one got ${describe(broken)}`
    return failed(name, seen, 'Check credentials before parsing anything.')
  }
  const challenge = refusal.headers['www-authenticate']
  if (refusal.status === 401 && challenge === undefined) {
    const seen = 'HTTP 401 without WWW-Authenticate'
    return warning(name, seen, 'Add WWW-Authenticate, such as Bearer: clients look for it.')
  }
  return ok(name, `HTTP ${refusal.status}${challenge === undefined ? '' : `, WWW-Authenticate ${quote(challenge)}`}`)
}

export function judgeWrongCredentials(probed: Probed): Verdict {
  const name = 'wrong credentials'
  const refusal = refusalIn(probed)
  if (refusal) return ok(name, `HTTP ${refusal.status}`)
  return failed(name, `a wrong token is not turned away: ${describe(probed)}`, 'Compare the token; answer 401.')
}

export function judgeOrigin(probed: Probed): Verdict {
  const name = 'foreign Origin'
  const fix = 'Answer 403 to an Origin you do not know: every revision of MCP asks for it, against DNS rebinding.'
  if (probed.kind === 'answered' && probed.status === 403) return ok(name, 'HTTP 403')
  const isTurnedAway = probed.kind === 'answered' && probed.status >= 400 && probed.status < 500
  if (isTurnedAway) return warning(name, `turned away, but with ${describe(probed)}`, fix)
  return failed(name, `a page of https://evil.example may call it: ${describe(probed)}`, fix)
}

export function judgeGet(probed: Probed): Verdict {
  const name = 'GET'
  const fix = 'Answer a GET without a session at once, with 405 and Allow: POST.'
  if (probed.kind === 'unanswered') return failed(name, `no answer to GET: ${probed.reason}`, fix)
  if (probed.end !== 'whole') {
    const seen = `GET opens a stream and does not end (HTTP ${probed.status}): ${ARMORIQ_SCANNER} drops such a server`
    return failed(name, seen, fix)
  }
  if (probed.status >= 500) return failed(name, describe(probed), fix)
  if (probed.status !== 405) return warning(name, `answered at once, with ${describe(probed)}`, fix)
  if (probed.headers.allow === undefined) return warning(name, 'HTTP 405 without Allow', fix)
  return ok(name, `HTTP 405, Allow ${quote(probed.headers.allow)}`)
}

/** The answer, where it is a refusal for want of credentials. */
export function refusalIn(probed: Probed): Answered | undefined {
  return probed.kind === 'answered' && (probed.status === 401 || probed.status === 403) ? probed : undefined
}
