// Decides which addresses may be connected to, and parses FETCH_ALLOW, the list of exceptions. A host is checked by its
// name and by every address it has: if one address is not allowed, the host is rejected (DNS rebinding). Callers
// connect to the returned addresses and do not resolve again. Created by guarded-fetch.ts; asked by connector and
// follow-redirects. No I/O of its own: the resolver is a parameter.

import { isIP } from 'node:net'

import { type AddressClass, classifyAddress, classifyHostname } from './address-class.js'
import { FetchFailure } from './fetch-failure.js'
import { describeUnknownHost, type ResolveHost } from './resolve-host.js'
import { type Destination, formatDestination, isBlockedPort } from './web-url.js'
import { tryParseUrl } from '../text/parse-url.js'

export interface AllowList {
  has(destination: Destination): boolean
  /** About entries that allow nothing. */
  readonly warnings: readonly string[]
}

/**
 * Hosts by the name or address used in URLs, each with one port. An entry of any other form allows nothing and causes a
 * warning: guessing its meaning could allow more than was intended.
 */
export function parseAllowList(text: string): AllowList {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  const parsed = entries.map((entry) => parseEntry(entry))
  const listed = new Set(parsed.flatMap((entry) => (typeof entry === 'string' ? [] : [formatDestination(entry)])))
  return {
    has: (destination) => listed.has(formatDestination(destination)),
    warnings: parsed.filter((entry) => typeof entry === 'string'),
  }
}

function parseEntry(entry: string): Destination | string {
  const quoted = JSON.stringify(entry.slice(0, 100))
  const [, hostText = '', digits = ''] = /^(\[[\da-f:.]+\]|[^\s:/?#@*[\]\\]+):(\d{1,5})$/i.exec(entry) ?? []
  const port = Number(digits)
  if (hostText === '') {
    return `FETCH_ALLOW: ${quoted} allows nothing: it must be a host and a port, such as localhost:3000 or [::1]:8080.`
  }
  if (port > 65_535 || isBlockedPort(port))
    return `FETCH_ALLOW: ${quoted} allows nothing: port ${port} cannot be fetched.`
  const url = tryParseUrl(`http://${hostText}`)
  if (!url) return `FETCH_ALLOW: ${quoted} allows nothing: its host is not valid.`
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return { host, port }
}

export interface AddressPolicy {
  /** Throws if the destination is not allowed, as far as that is known without resolving its name. */
  checkDestination(destination: Destination): void
  /** Resolves an allowed destination; all of the returned addresses may be connected to. */
  resolveChecked(destination: Destination): Promise<readonly string[]>
  /** Whether FETCH_ALLOW lists it. */
  isListed(destination: Destination): boolean
}

export function createAddressPolicy(allowed: AllowList, resolve: ResolveHost): AddressPolicy {
  const checkAddress = (destination: Destination, address: string, addressClass: AddressClass): void => {
    if (addressClass === 'public' || (addressClass === 'private' && allowed.has(destination))) return
    throw new FetchFailure('refused', describeRefusal(destination, address, addressClass, allowed.warnings))
  }
  const checkDestination = (destination: Destination): void => {
    const { host } = destination
    checkAddress(destination, host, isIP(host) === 0 ? classifyHostname(host) : classifyAddress(host))
  }
  return {
    checkDestination,
    isListed: (destination) => allowed.has(destination),
    async resolveChecked(destination) {
      const { host } = destination
      checkDestination(destination)
      if (isIP(host) !== 0) return [host]
      const addresses = await resolve(host)
      for (const address of addresses) checkAddress(destination, address, classifyAddress(address))
      if (addresses.length === 0) throw new FetchFailure('unresolved', describeUnknownHost(host))
      return addresses
    },
  }
}

function describeRefusal(
  destination: Destination,
  address: string,
  addressClass: AddressClass,
  warnings: readonly string[],
): string {
  const { host } = destination
  const subject = address === host ? host : `${host} resolves to ${address}, which`
  if (addressClass === 'metadata')
    return `${subject} is a cloud metadata or link-local address, which is always blocked.`
  const advice = `To allow it, set FETCH_ALLOW=${formatDestination(destination)} in the settings of this server.`
  return [`${subject} is not a public address.`, advice, ...warnings].join(' ')
}
