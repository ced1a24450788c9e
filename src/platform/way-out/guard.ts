// Decides which addresses may be connected to. A host is checked by its name and by every address it has: if one
// address is not allowed, the host is rejected (DNS rebinding). Callers connect to the returned addresses and do not
// resolve again.

import { isIP } from 'node:net'

import { standingOf, type Standing } from '../../lib/internet-address.js'
import { standingOfName } from '../../lib/internet-name.js'
import type { AllowList } from './allow-list.js'
import { FetchFailure } from './fetch-failure.js'
import { noSuchHost, type Resolve } from './system-resolve.js'
import { printDestination, type Destination } from './web-url.js'

export interface Guard {
  /** Throws if the destination is not allowed, as far as that is known without resolving its name. */
  admit(destination: Destination): void
  /** Resolves an allowed destination; all of the returned addresses may be connected to. */
  addressesOf(destination: Destination): Promise<readonly string[]>
  /** Whether FETCH_ALLOW lists it. */
  isAllowed(destination: Destination): boolean
}

export function createGuard(allowed: AllowList, resolve: Resolve): Guard {
  const checkAddress = (destination: Destination, address: string, addressClass: Standing): void => {
    if (addressClass === 'public' || (addressClass === 'private' && allowed.has(destination))) return
    throw new FetchFailure('refused', describeRefusal(destination, address, addressClass, allowed.complaints))
  }
  const checkDestination = (destination: Destination): void => {
    const { host } = destination
    checkAddress(destination, host, isIP(host) === 0 ? standingOfName(host) : standingOf(host))
  }
  return {
    admit: checkDestination,
    isAllowed: (destination) => allowed.has(destination),
    async addressesOf(destination) {
      const { host } = destination
      checkDestination(destination)
      if (isIP(host) !== 0) return [host]
      const addresses = await resolve(host)
      for (const address of addresses) checkAddress(destination, address, standingOf(address))
      if (addresses.length === 0) throw new FetchFailure('unresolved', noSuchHost(host))
      return addresses
    },
  }
}

function describeRefusal(
  destination: Destination,
  address: string,
  addressClass: Standing,
  warnings: readonly string[],
): string {
  const { host } = destination
  const subject = address === host ? host : `${host} leads to ${address}, which`
  if (addressClass === 'metadata')
    return `${subject} is a cloud metadata or link-local address, which is always blocked.`
  const advice = `If it should be, FETCH_ALLOW=${printDestination(destination)} in the settings of this server allows it.`
  return [`${subject} is not a public address, and is not fetched.`, advice, ...warnings].join(' ')
}
