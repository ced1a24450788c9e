// Classifies IP addresses and host names: public, private, or a cloud metadata service. An IPv6 address that embeds an
// IPv4 address is at most as public as that one. Used by address-policy.ts and connector.ts. Pure.

import ipaddr from 'ipaddr.js'

export type AddressClass = 'public' | 'private' | 'metadata'

/** Text that is not an address counts as private. */
export function classifyAddress(address: string): AddressClass {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return classifyIPv4(ipaddr.IPv4.parse(address))
  const text = address.replace(/:(\d+)\.(\d+)\.(\d+)\.(\d+)/, toHexadecimal)
  return ipaddr.IPv6.isValid(text) ? classifyIPv6(ipaddr.IPv6.parse(text)) : 'private'
}

/** ipaddr.js takes any address with dotted decimals for an IPv4-mapped one. */
function toHexadecimal(_: string, ...parts: readonly unknown[]): string {
  const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
  return `:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** Cloud metadata services use link-local addresses and these. */
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

function classifyIPv4(address: ipaddr.IPv4): AddressClass {
  const range = address.range()
  if (range === 'linkLocal' || METADATA_ADDRESSES.has(address.toString())) return 'metadata'
  return range === 'unicast' ? 'public' : 'private'
}

function classifyIPv6(address: ipaddr.IPv6): AddressClass {
  const range = address.range()
  // A zone id names a local interface and is part of the text.
  if (range === 'linkLocal' || METADATA_ADDRESSES.has(address.toString().replace(/%.*/s, ''))) return 'metadata'
  const embeddedClasses = new Set(embeddedIPv4(address).map(classifyIPv4))
  if (embeddedClasses.has('metadata')) return 'metadata'
  if (embeddedClasses.has('private')) return 'private'
  if (range === 'ipv4Mapped' || isNat64(address)) return 'public'
  // Only 2000::/3 is allocated; unlisted addresses outside of it do not count as public.
  return range === 'unicast' && groupAt(address, 0) >> 13 === 1 ? 'public' : 'private'
}

/** 64:ff9b::/96 (NAT64): IPv4 addresses as seen by an IPv6-only network. */
function isNat64(address: ipaddr.IPv6): boolean {
  return address.match([ipaddr.IPv6.parse('64:ff9b::'), 96])
}

function embeddedIPv4(address: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  const last = createIPv4(groupAt(address, 6), groupAt(address, 7))
  const range = address.range()
  if (range === 'ipv4Mapped' || range === 'rfc6145' || isNat64(address)) return [last]
  // In 64:ff9b:1::/48 the position depends on the length of the network's prefix.
  if (range === 'rfc6052') return [last, readSplitIPv4(address)]
  if (range === '6to4') return [createIPv4(groupAt(address, 1), groupAt(address, 2))]
  if (range === 'teredo') {
    return [
      createIPv4(groupAt(address, 2), groupAt(address, 3)),
      createIPv4(groupAt(address, 6) ^ 0xffff, groupAt(address, 7) ^ 0xffff),
    ]
  }
  return isIPv4Compatible(address) || isIsatap(address) ? [last] : []
}

/** IPv4-compatible addresses (::a.b.c.d): deprecated, but some systems still route them. */
function isIPv4Compatible(address: ipaddr.IPv6): boolean {
  return [0, 1, 2, 3, 4, 5].every((index) => groupAt(address, index) === 0)
}

/** ISATAP: the lower half is 0000:5efe or 0200:5efe, then the IPv4 address of the tunnel endpoint. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return (groupAt(address, 4) & 0xfdff) === 0 && groupAt(address, 5) === 0x5efe
}

/** Bits 48 to 63 and 72 to 87; the bits between are reserved. */
function readSplitIPv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  const [third, fourth] = [groupAt(address, 4) & 0xff, groupAt(address, 5) >> 8]
  return createIPv4(groupAt(address, 3), (third << 8) | fourth)
}

function createIPv4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}

function groupAt(address: ipaddr.IPv6, index: number): number {
  return address.parts[index] ?? 0
}

/** Names of local networks and machines; none of them is delegated in the public DNS. */
const LOCAL_DOMAINS = new Set([
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'onion',
  'svc',
])

const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.internal',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
])

/**
 * Classifies host names that are local or cloud metadata services by name alone. For all other names the resolved
 * addresses decide. `name` is in lower case without a trailing dot.
 */
export function classifyHostname(name: string): AddressClass {
  if (METADATA_NAMES.has(name)) return 'metadata'
  const labels = name.split('.')
  return LOCAL_DOMAINS.has(labels.slice(-1).join('.')) || LOCAL_DOMAINS.has(labels.slice(-2).join('.'))
    ? 'private'
    : 'public'
}
