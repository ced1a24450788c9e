// Whose an IP address is, as far as its bits tell: everybody's, somebody's own, or a cloud's services for its machines. An
// IPv6 address that carries an IPv4 address, in whichever way, is no better than that one.

import ipaddr from 'ipaddr.js'

export type Standing = 'public' | 'private' | 'metadata'

/** What is no address at all is not public. */
export function standingOf(address: string): Standing {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return standingOf4(ipaddr.IPv4.parse(address))
  const text = address.replace(/:(\d+)\.(\d+)\.(\d+)\.(\d+)/, inHexadecimal)
  return ipaddr.IPv6.isValid(text) ? standingOf6(ipaddr.IPv6.parse(text)) : 'private'
}

/** The library takes whatever ends in dots for an IPv4-mapped address. */
function inHexadecimal(_: string, ...parts: readonly unknown[]): string {
  const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
  return `:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** Clouds tell their machines' secrets at link-local addresses of many kinds, and at these. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:c1::a9fe:a9fe',
  'fd00:ec2::23',
  'fd00:ec2::253',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:42::42',
])

function standingOf4(address: ipaddr.IPv4): Standing {
  const range = address.range()
  if (range === 'linkLocal' || METADATA_ADDRESSES.has(address.toString())) return 'metadata'
  return range === 'unicast' ? 'public' : 'private'
}

function standingOf6(address: ipaddr.IPv6): Standing {
  const range = address.range()
  // A zone is a way to an interface of this machine, and part of the text.
  if (range === 'linkLocal' || METADATA_ADDRESSES.has(address.toString().replace(/%.*/s, ''))) return 'metadata'
  const carried = new Set(carriedBy(address).map(standingOf4))
  if (carried.has('metadata')) return 'metadata'
  if (carried.has('private')) return 'private'
  if (range === 'ipv4Mapped' || isTranslated(address)) return 'public'
  // Only 2000::/3 has been given out; what is not listed outside of it is unknown, not public.
  return range === 'unicast' && bits(address, 0) >> 13 === 1 ? 'public' : 'private'
}

/** 64:ff9b::/96: how a network without IPv4 writes the addresses of those who have nothing else. */
function isTranslated(address: ipaddr.IPv6): boolean {
  return address.match([ipaddr.IPv6.parse('64:ff9b::'), 96])
}

function carriedBy(address: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  const last = pair(bits(address, 6), bits(address, 7))
  const range = address.range()
  if (range === 'ipv4Mapped' || range === 'rfc6145' || isTranslated(address)) return [last]
  // In 64:ff9b:1::/48 the place depends on the length of the network's own prefix.
  if (range === 'rfc6052') return [last, split(address)]
  if (range === '6to4') return [pair(bits(address, 1), bits(address, 2))]
  if (range === 'teredo') {
    return [pair(bits(address, 2), bits(address, 3)), pair(bits(address, 6) ^ 0xffff, bits(address, 7) ^ 0xffff)]
  }
  return isCompatible(address) || isTunnel(address) ? [last] : []
}

/** ::a.b.c.d, long out of use but understood by some systems. */
function isCompatible(address: ipaddr.IPv6): boolean {
  return [0, 1, 2, 3, 4, 5].every((index) => bits(address, index) === 0)
}

/** ISATAP: the lower half is 0000:5efe or 0200:5efe, then the IPv4 address of the tunnel's end. */
function isTunnel(address: ipaddr.IPv6): boolean {
  return (bits(address, 4) & 0xfdff) === 0 && bits(address, 5) === 0x5efe
}

/** Bits 48 to 63 and 72 to 87: those between are kept free. */
function split(address: ipaddr.IPv6): ipaddr.IPv4 {
  const [third, fourth] = [bits(address, 4) & 0xff, bits(address, 5) >> 8]
  return pair(bits(address, 3), (third << 8) | fourth)
}

function pair(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}

function bits(address: ipaddr.IPv6, index: number): number {
  return address.parts[index] ?? 0
}
