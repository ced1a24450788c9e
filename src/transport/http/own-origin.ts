// Same-origin check for the console: only the page that this server serves may call it. Another port of this machine
// is another program, though browsers treat it as the same site.

import type { IncomingHttpHeaders } from 'node:http'

import type { GatePolicy, Refusal } from './gate.js'

const CROSS_ORIGIN: Refusal = {
  kind: 'origin',
  status: 403,
  reason: 'Only the page of this server may call this',
}

export interface Address {
  readonly isSecure: boolean
  /** The origin of the public URL; '' for none. */
  readonly publicOrigin: string
  readonly policy: GatePolicy
}

export function checkOwnOrigin(headers: IncomingHttpHeaders, options: Address): Refusal | undefined {
  const { origin, host = '' } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return CROSS_ORIGIN
  return origin === undefined || isSameOrigin(origin, host, options) ? undefined : CROSS_ORIGIN
}

function isSameOrigin(origin: string, host: string, { isSecure, publicOrigin, policy }: Address): boolean {
  if (publicOrigin !== '' && origin === publicOrigin) return true
  if (host === '') return false
  if (origin === `${isSecure ? 'https' : 'http'}://${host}`) return true
  // Behind an HTTPS proxy, under an allowed name.
  return origin === `https://${host}` && policy.origins.has(origin)
}
