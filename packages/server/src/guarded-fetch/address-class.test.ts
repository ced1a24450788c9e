import fc from 'fast-check'
import { expect, test } from 'vitest'

import { classifyAddress } from './address-class.js'

/** The ranges of the IANA special-purpose registries, to notice when the library changes its classification. */
const OWN_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
]

const OWN_6 = [
  ['0000', 8],
  ['0100', 8],
  ['0200', 7],
  ['0400', 6],
  ['0800', 5],
  ['1000', 4],
  ['2002', 16],
  ['4000', 3],
  ['6000', 3],
  ['8000', 3],
  ['a000', 3],
  ['c000', 3],
  ['e000', 4],
  ['f000', 5],
  ['f800', 6],
  ['fc00', 7],
  ['fe00', 9],
  ['fe80', 10],
  ['fec0', 10],
  ['ff00', 8],
] as const

const PUBLIC_4 = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.215.14',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.1.1',
  '11.0.0.1',
  '9.9.9.9',
  '100.63.255.255',
  '100.128.0.0',
  '128.0.0.1',
  '223.255.255.255',
  '168.63.129.17',
  '169.253.1.1',
  '169.255.0.1',
  '198.17.0.1',
  '198.20.0.1',
]
const PUBLIC_6 = [
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450:4001:80b::200e',
  '2620:fe::fe',
  '2400:cb00::1',
]

const own4 = fc.tuple(fc.constantFrom(...OWN_4), fc.nat(0xffff_ffff)).map(([block, random]) => {
  const [base = '', length = ''] = block.split('/')
  const host = Number(length) === 32 ? 0 : random % 2 ** (32 - Number(length))
  return numberOf(base) + host
})
const public4 = fc.constantFrom(...PUBLIC_4).map(numberOf)

test.each(PUBLIC_4.concat(PUBLIC_6))('%s is public', (address) => expect(classifyAddress(address)).toBe('public'))

test.each([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.0.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'fe80::1%eth0',
  'fe80::a9fe:a9fe%1',
  '::ffff:169.254.169.254',
  '::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '::ffff:0:169.254.169.254',
  '64:ff9b::168.63.129.16',
  '2001:db8::5efe:a9fe:a9fe',
  '64:ff9b:1:a9fe:a9:fe00::',
])('%s is a cloud metadata address', (address) => expect(classifyAddress(address)).toBe('metadata'))

test.each(['', 'localhost', '1.2.3', '1.2.3.4.5', '::g', '[::1]', '8.8.8.8/32', ' ', 'fe80', '256.1.1.1'])(
  '%j is no public address',
  (text) => expect(classifyAddress(text)).not.toBe('public'),
)

test('no address of a special range is public, however it is embedded', () => {
  fc.assert(
    fc.property(own4, fc.nat(0xffff), (address, noise) => {
      for (const text of carriersOf(address, noise)) expect([text, classifyAddress(text)]).not.toContain('public')
    }),
  )
})

test('a public IPv4 address is public when embedded in addresses that route to it, and in no other', () => {
  fc.assert(
    fc.property(public4, fc.nat(0xffff), (address, noise) => {
      const [plain, mapped, dotted, translated, ...others] = carriersOf(address, noise).map(classifyAddress)
      expect([plain, mapped, dotted, translated]).toEqual(['public', 'public', 'public', 'public'])
      expect(others.filter((standing) => standing === 'public')).toEqual([])
    }),
  )
})

test('no unallocated address is public, except those that embed a public one', () => {
  const random = fc.tuple(fc.constantFrom(...OWN_6), fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }))
  fc.assert(
    fc.property(random, ([[prefix, length], bits]) => {
      const rest = BigInt(128 - length)
      const value = (((BigInt(`0x${prefix}`) << 112n) >> rest) << rest) | (bits & ((1n << rest) - 1n))
      const text = print6(value)
      const isCarrier = value >> 32n === 0xffffn || value >> 32n === 0x64ff9bn << 64n
      expect(classifyAddress(text) === 'public' && !isCarrier).toBe(false)
    }),
    { numRuns: 1000 },
  )
})

function carriersOf(address: number, noise: number): string[] {
  const high = (address >>> 16).toString(16)
  const low = (address & 0xffff).toString(16)
  const [flippedHigh, flippedLow] = [(address >>> 16) ^ 0xffff, (address & 0xffff) ^ 0xffff]
  const dots = print4(address)
  const word = noise.toString(16)
  return [
    dots,
    `::ffff:${high}:${low}`,
    `::ffff:${dots}`,
    `64:ff9b::${high}:${low}`,
    `::${high}:${low}`,
    `::${dots}`,
    `::ffff:0:${high}:${low}`,
    `2002:${high}:${low}::${word}`,
    `2001:0:${high}:${low}:${word}::1`,
    `2001:0:808:808:${word}:0:${flippedHigh.toString(16)}:${flippedLow.toString(16)}`,
    `64:ff9b:1:${word}::${high}:${low}`,
  ]
}

function numberOf(address: string): number {
  return address.split('.').reduce((value, part) => value * 256 + Number(part), 0)
}

function print4(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.')
}

function print6(value: bigint): string {
  return (value.toString(16).padStart(32, '0').match(/.{4}/g) ?? []).join(':')
}
