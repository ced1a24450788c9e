// Who may be dialled. A host is judged by what was asked for, and by every address it has: one bad answer among good ones
// is a trick, so all are refused. Whoever dials takes an address from here and looks nothing up again.

import { isIP } from 'node:net'

import { standingOf, type Standing } from '../../lib/internet-address.js'
import { standingOfName } from '../../lib/internet-name.js'
import type { AllowList } from './allow-list.js'
import { FetchFailure } from './fetch-failure.js'
import { noSuchHost, type Resolve } from './system-resolve.js'
import { printDestination, type Destination } from './web-url.js'

export interface Guard {
  /** Refuses what can be refused without asking where a name leads. */
  admit(destination: Destination): void
  /** All addresses of an admitted destination, each fit to be dialled. */
  addressesOf(destination: Destination): Promise<readonly string[]>
  /** Whether FETCH_ALLOW lists it. */
  isAllowed(destination: Destination): boolean
}

export function createGuard(allowed: AllowList, resolve: Resolve): Guard {
  const judge = (destination: Destination, found: string, standing: Standing): void => {
    if (standing === 'public' || (standing === 'private' && allowed.has(destination))) return
    throw new FetchFailure('refused', refusal(destination, found, standing, allowed.complaints))
  }
  const admit = (destination: Destination): void => {
    const { host } = destination
    judge(destination, host, isIP(host) === 0 ? standingOfName(host) : standingOf(host))
  }
  return {
    admit,
    isAllowed: (destination) => allowed.has(destination),
    async addressesOf(destination) {
      const { host } = destination
      admit(destination)
      if (isIP(host) !== 0) return [host]
      const addresses = await resolve(host)
      for (const address of addresses) judge(destination, address, standingOf(address))
      if (addresses.length === 0) throw new FetchFailure('unresolved', noSuchHost(host))
      return addresses
    },
  }
}

function refusal(destination: Destination, found: string, standing: Standing, complaints: readonly string[]): string {
  const { host } = destination
  const what = found === host ? host : `${host} leads to ${found}, which`
  if (standing === 'metadata') return `${what} belongs to the services of a cloud or of the link, and is never fetched.`
  const how = `If it should be, FETCH_ALLOW=${printDestination(destination)} in the settings of this server allows it.`
  return [`${what} is not a public address, and is not fetched.`, how, ...complaints].join(' ')
}
