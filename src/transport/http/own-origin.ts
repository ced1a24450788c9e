// What the board asks of a browser besides what everybody is asked: that the page it serves is the one that calls. Another
// port of this machine is another program, though browsers call it the same site.

import type { IncomingHttpHeaders } from 'node:http'

import type { GatePolicy, Refusal } from './gate.js'

const FOREIGN: Refusal = {
  kind: 'origin',
  status: 403,
  reason: 'Only the page of this server may ask for this',
}

export interface Address {
  readonly isSecure: boolean
  /** The address people use, where it is not this one; '' for none. */
  readonly publicOrigin: string
  readonly policy: GatePolicy
}

export function checkOwnOrigin(headers: IncomingHttpHeaders, address: Address): Refusal | undefined {
  const { origin, host = '' } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return FOREIGN
  return origin === undefined || isOwn(origin, host, address) ? undefined : FOREIGN
}

function isOwn(origin: string, host: string, { isSecure, publicOrigin, policy }: Address): boolean {
  if (publicOrigin !== '' && origin === publicOrigin) return true
  if (host === '') return false
  if (origin === `${isSecure ? 'https' : 'http'}://${host}`) return true
  // Behind a proxy that speaks HTTPS, under a name that was allowed.
  return origin === `https://${host}` && policy.origins.has(origin)
}
