// Which engines are asked for a query: eleven that fit, in order, and who stands in for those that cannot be. What a person
// named or denied wins over everything, and a name that does not exist is said, not passed over.

import { Failure } from '../../lib/failure.js'
import type { Engine } from './engine.js'
import { ENGINES, OWN, SPARES, USUAL, VERTICALS } from './engines.js'
import type { Query } from './query.js'

const ELEVEN = 11

export interface SearchSettings {
  readonly WEBSEARCH_ENGINES: string
  readonly WEBSEARCH_DENY: string
  readonly WEBSEARCH_KEYS: string
  readonly WEBSEARCH_GATEWAY: string
  readonly SEARXNG_URL: string
}

export interface LineUp {
  /** Asked first, as many as `count`. */
  readonly first: readonly Engine[]
  readonly spares: readonly Engine[]
  readonly count: number
}

export interface Roster {
  readonly lineUp: (query: Query) => LineUp
  readonly baseOf: (engine: Engine) => string
  readonly keyOf: (engine: Engine) => string | undefined
  /** Why it is never asked; undefined where it may be. */
  readonly absence: (engine: Engine) => string | undefined
}

/** Throws a Failure that says which setting is wrong. */
export function readRoster(settings: SearchSettings): Roster {
  const keys = readKeys(settings.WEBSEARCH_KEYS)
  const named = namesIn('WEBSEARCH_ENGINES', settings.WEBSEARCH_ENGINES)
  const denied = new Set(namesIn('WEBSEARCH_DENY', settings.WEBSEARCH_DENY))
  const gateway = addressIn('WEBSEARCH_GATEWAY', settings.WEBSEARCH_GATEWAY)
  const own = addressIn('SEARXNG_URL', settings.SEARXNG_URL)
  if (gateway !== '' && !gateway.includes('{engine}')) {
    throw new Failure('WEBSEARCH_GATEWAY must have {engine} in it, where the name of each engine goes.')
  }

  const keyOf = ({ id, key, keyName = id }: Engine): string | undefined => (key ? keys.get(keyName) : undefined)

  function absence(engine: Engine): string | undefined {
    if (denied.has(engine.id)) return 'denied by WEBSEARCH_DENY'
    if (engine.key === 'needed' && keyOf(engine) === undefined) return 'no key'
    if (engine.id === 'searxng' && own === '') return 'no SEARXNG_URL'
    return undefined
  }

  const isPresent = (engine: Engine): boolean => absence(engine) === undefined
  const chosen = named.map((name) => ENGINES.find(({ id }) => id === name)).filter((engine) => engine !== undefined)
  const lacking = chosen.find((engine) => !denied.has(engine.id) && !isPresent(engine))
  if (lacking) throw new Failure(`WEBSEARCH_ENGINES names ${lacking.id}, for which there is ${absence(lacking)}.`)
  const extra = OWN.filter(isPresent)
  // With a key, the same index is asked by its API, and its page left alone.
  const isDoubled = ({ family, tier }: Engine): boolean =>
    tier === 'page' && extra.some((engine) => engine.family === family && engine.keyName !== undefined)

  return {
    keyOf,
    absence,
    baseOf({ id, base }) {
      if (gateway !== '') return gateway.replaceAll('{engine}', id)
      return id === 'searxng' ? own : base
    },
    lineUp(query) {
      if (chosen.length > 0) {
        const first = chosen.filter(isPresent)
        if (first.length === 0) throw new Failure('WEBSEARCH_DENY denies every engine that WEBSEARCH_ENGINES names.')
        return { first, spares: [], count: first.length }
      }
      const usual = USUAL.filter((engine) => fitsSite(engine, query) && !isDoubled(engine))
      const [vertical, ...verticals] = VERTICALS.filter(({ kinds }) => kinds?.includes(query.kind)).filter(isPresent)
      const first = [...extra, ...usual, ...(vertical ? [vertical] : [])].filter(isPresent)
      const spares = [...SPARES, ...verticals].filter(isPresent)
      if (first.length + spares.length === 0) throw new Failure('WEBSEARCH_DENY denies every engine there is.')
      return { first, spares, count: ELEVEN + extra.length }
    },
  }
}

/** An encyclopedia has nothing of another site. */
function fitsSite({ tier, base }: Engine, { site }: Query): boolean {
  if (site === undefined || tier !== 'vertical') return true
  return site.endsWith('wikipedia.org') && base.endsWith('wikipedia.org')
}

function namesIn(option: string, value: string): readonly string[] {
  const names = value
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  const unknown = names.find((name) => !ENGINES.some(({ id }) => id === name))
  if (unknown === undefined) return [...new Set(names)]
  throw new Failure(
    `${option} names ${JSON.stringify(unknown.slice(0, 40))}, which is no engine. Known: ${ENGINES.map(({ id }) => id).join(', ')}.`,
  )
}

function readKeys(value: string): ReadonlyMap<string, string> {
  const takers = new Set(ENGINES.flatMap(({ id, key, keyName = id }) => (key ? [keyName] : [])))
  const pairs = value
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
  return new Map(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      const name = pair.slice(0, Math.max(equals, 0)).trim().toLowerCase()
      const key = pair.slice(equals + 1).trim()
      // The pair itself is not repeated: a key without a name would be shown.
      if (!takers.has(name) || key === '' || !/^[\x21-\x7e]+$/.test(key)) {
        throw new Failure(`WEBSEARCH_KEYS must read name=KEY,name=KEY with names of ${[...takers].join(', ')}.`)
      }
      return [name, key]
    }),
  )
}

function addressIn(option: string, value: string): string {
  const address = value.trim().replace(/\/+$/, '')
  const isAddress = address === '' || /^https?:\/\/[^/\s]/i.test(address)
  if (!isAddress) throw new Failure(`${option} must be an address such as https://search.example.com.`)
  return address
}
