// The header by which a machine recognizes a request that another machine has forwarded: signed with a key that only
// machines can read in the database, for one target, method, path and short time. Signed and checked by
// machine-placement; sent by forward-request and forward-upgrade. Pure.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const FORWARD_HEADER = 'x-scorpiox-forwarded'

/** By the database's clock, as each machine estimates it. */
const MAX_AGE_MS = 30_000
const PATTERN = /^1;([\da-f]{32});([\da-f]{32});(\d{1,16});([\w-]{0,120});([\w-]{43})$/

export interface ForwardClaim {
  readonly sender: string
  /** The incarnation that it is meant for. */
  readonly target: string
  /** The estimated time of the database when it was sent. */
  readonly at: number
  readonly clientAddress: string
  readonly method: string
  readonly path: string
}

export function signForwarding(claim: ForwardClaim, key: string): string {
  const { sender, target, at, clientAddress } = claim
  const address = Buffer.from(clientAddress).toString('base64url')
  return `1;${sender};${target};${Math.round(at)};${address};${sign({ ...claim, at: Math.round(at) }, key)}`
}

export type ForwardCheck =
  | { readonly kind: 'valid'; readonly claim: ForwardClaim }
  /** Not from a machine: the header means nothing. */
  | { readonly kind: 'ignored' }
  /** Perhaps from a machine, but for another one, or too old. */
  | { readonly kind: 'misdirected' }

export function checkForwarding(
  { headers, method = '', url = '' }: Pick<IncomingMessage, 'headers' | 'method' | 'url'>,
  self: { readonly incarnation: string; readonly key: string; readonly now: number },
): ForwardCheck {
  const value = headers[FORWARD_HEADER]
  const match = typeof value === 'string' ? PATTERN.exec(value) : null
  if (!match) return { kind: 'ignored' }
  const [, sender = '', target = '', at = '', address = '', signature = ''] = match
  if (target !== self.incarnation) return { kind: 'misdirected' }
  const clientAddress = Buffer.from(address, 'base64url').toString()
  const claim: ForwardClaim = { sender, target, at: Number(at), clientAddress, method, path: url }
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(claim, self.key)))) return { kind: 'ignored' }
  return Math.abs(self.now - claim.at) <= MAX_AGE_MS ? { kind: 'valid', claim } : { kind: 'misdirected' }
}

function sign({ sender, target, at, clientAddress, method, path }: ForwardClaim, key: string): string {
  const text = JSON.stringify([sender, target, at, clientAddress, method, path])
  return createHmac('sha256', key).update(text).digest('base64url')
}
