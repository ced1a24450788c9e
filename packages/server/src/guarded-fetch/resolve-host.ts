// Resolves host names to addresses with the system resolver, including its hosts file. Lookups use the thread pool that
// files and compression need too, and a silent name server blocks a thread for long: so only a few names are looked up
// at once. Used by address-policy and connector. Sends DNS queries.

import { lookup } from 'node:dns/promises'

import { errorMessage } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { createTimeoutSignal } from '../async/timeouts.js'
import { createSemaphore } from '../async/concurrency.js'
import { FetchFailure } from './fetch-failure.js'

const MAX_CONCURRENT_LOOKUPS = 3
const QUEUE_TIMEOUT_MS = 5000

/** The addresses of a name; rejects with a FetchFailure if there are none. */
export type ResolveHost = (name: string) => Promise<readonly string[]>

/** Concurrent requests for the same name share one lookup. */
export function createHostResolver(): ResolveHost {
  const turns = createSemaphore(MAX_CONCURRENT_LOOKUPS)
  const running = new Map<string, Promise<readonly string[]>>()

  async function lookUpInTurn(name: string): Promise<readonly string[]> {
    const timeout = createTimeoutSignal(QUEUE_TIMEOUT_MS)
    const release = await turns.acquire(timeout.signal).finally(timeout.clear)
    if (!release)
      throw new FetchFailure(
        'unresolved',
        `too many name lookups are waiting, so ${name} was not looked up. Try again.`,
      )
    return lookUp(name).finally(release)
  }

  return (name) => {
    const addresses = running.get(name) ?? lookUpInTurn(name).finally(() => running.delete(name))
    running.set(name, addresses)
    return addresses
  }
}

async function lookUp(name: string): Promise<readonly string[]> {
  try {
    const results = await lookup(name, { all: true, verbatim: true })
    return results.map(({ address }) => address)
  } catch (error) {
    throw new FetchFailure('unresolved', describeLookupError(name, error), { cause: error })
  }
}

function describeLookupError(name: string, error: unknown): string {
  if (hasErrorCode(error, 'EAI_AGAIN', 'ETIMEOUT')) return `no name server answers for ${name}. Check the network.`
  if (hasErrorCode(error, 'ENOTFOUND', 'ENODATA')) return describeUnknownHost(name)
  return `${name} cannot be looked up (${errorMessage(error)}).`
}

export function describeUnknownHost(name: string): string {
  return `there is no host ${name}. Check the spelling.`
}
