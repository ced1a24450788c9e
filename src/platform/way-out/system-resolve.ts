// Looks names up as the system does it, its hosts file included. The system uses threads for it that files and compression
// need too, and a name server that is silent holds one for long: so only a few names are looked up at once.

import { lookup } from 'node:dns/promises'

import { deadline } from '../../lib/deadline.js'
import { hasCode } from '../../lib/error-code.js'
import { reasonOf } from '../../lib/reason-of.js'
import { createTurns } from '../../lib/turns.js'
import { FetchFailure } from './fetch-failure.js'

const AT_ONCE = 3
const PATIENCE_MS = 5000

/** The addresses of a name; rejects with a FetchFailure where there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** Those who ask for the same name at the same time get one answer. */
export function systemResolve(): Resolve {
  const turns = createTurns(AT_ONCE)
  const asking = new Map<string, Promise<readonly string[]>>()

  async function askInTurn(name: string): Promise<readonly string[]> {
    const limit = deadline(PATIENCE_MS)
    const giveBack = await turns.take(limit.signal).finally(limit.clear)
    if (!giveBack) throw new FetchFailure('unresolved', `too many names wait for an answer before ${name}. Try again.`)
    return ask(name).finally(giveBack)
  }

  return (name) => {
    const running = asking.get(name) ?? askInTurn(name).finally(() => asking.delete(name))
    asking.set(name, running)
    return running
  }
}

async function ask(name: string): Promise<readonly string[]> {
  try {
    const answers = await lookup(name, { all: true, verbatim: true })
    return answers.map(({ address }) => address)
  } catch (error) {
    throw new FetchFailure('unresolved', explain(name, error), { cause: error })
  }
}

function explain(name: string, error: unknown): string {
  if (hasCode(error, 'EAI_AGAIN', 'ETIMEOUT')) return `no name server answers for ${name}. Is there a network?`
  if (hasCode(error, 'ENOTFOUND', 'ENODATA')) return noSuchHost(name)
  return `${name} cannot be looked up (${reasonOf(error)}).`
}

export function noSuchHost(name: string): string {
  return `there is no host ${name}. Check how it is written.`
}
