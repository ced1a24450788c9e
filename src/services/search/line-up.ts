// Selects the engines for a query by settings and API keys: eleven that fit, and fallbacks. WEBSEARCH_ENGINES and
// WEBSEARCH_DENY take precedence; an unknown name in them is an error.

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
  /** Preferred engines; `count` engines are used in total. */
  readonly first: readonly Engine[]
  readonly spares: readonly Engine[]
  readonly count: number
}

export interface Roster {
  readonly lineUp: (query: Query) => LineUp
  readonly baseOf: (engine: Engine) => string
  readonly keyOf: (engine: Engine) => string | undefined
  /** Why the engine is never used; undefined if it can be. */
  readonly absence: (engine: Engine) => string | undefined
}

/** Throws a Failure that names the invalid setting. */
export function readRoster(settings: SearchSettings): Roster {
  const keys = readKeys(settings.WEBSEARCH_KEYS)
  const named = namesIn('WEBSEARCH_ENGINES', settings.WEBSEARCH_ENGINES)
  const deniedNames = new Set(namesIn('WEBSEARCH_DENY', settings.WEBSEARCH_DENY))
  const gateway = addressIn('WEBSEARCH_GATEWAY', settings.WEBSEARCH_GATEWAY)
  const searxngUrl = addressIn('SEARXNG_URL', settings.SEARXNG_URL)
  if (gateway !== '' && !gateway.includes('{engine}')) {
    throw new Failure('WEBSEARCH_GATEWAY must contain {engine}, which is replaced by the name of each engine.')
  }

  const keyOf = ({ id, key, keyName = id }: Engine): string | undefined => (key ? keys.get(keyName) : undefined)

  function unavailableReason(engine: Engine): string | undefined {
    if (deniedNames.has(engine.id)) return 'denied by WEBSEARCH_DENY'
    if (engine.key === 'required' && keyOf(engine) === undefined) return 'no key'
    if (engine.id === 'searxng' && searxngUrl === '') return 'no SEARXNG_URL'
    return undefined
  }

  const isAvailable = (engine: Engine): boolean => unavailableReason(engine) === undefined
  const namedEngines = named
    .map((name) => ENGINES.find(({ id }) => id === name))
    .filter((engine) => engine !== undefined)
  const unavailableNamed = namedEngines.find((engine) => !deniedNames.has(engine.id) && !isAvailable(engine))
  if (unavailableNamed)
    throw new Failure(
      `WEBSEARCH_ENGINES names ${unavailableNamed.id}, for which there is ${unavailableReason(unavailableNamed)}.`,
    )
  const accountEngines = OWN.filter(isAvailable)
  // With a key, the API of an index replaces its result page.
  const isReplacedByApi = ({ family, tier }: Engine): boolean =>
    tier === 'page' && accountEngines.some((engine) => engine.family === family && engine.keyName !== undefined)

  return {
    keyOf,
    absence: unavailableReason,
    baseOf({ id, base }) {
      if (gateway !== '') return gateway.replaceAll('{engine}', id)
      return id === 'searxng' ? searxngUrl : base
    },
    lineUp(query) {
      if (namedEngines.length > 0) {
        const primary = namedEngines.filter(isAvailable)
        if (primary.length === 0) throw new Failure('WEBSEARCH_DENY denies every engine that WEBSEARCH_ENGINES names.')
        return { first: primary, spares: [], count: primary.length }
      }
      const defaults = USUAL.filter((engine) => fitsSite(engine, query) && !isReplacedByApi(engine))
      const [vertical, ...verticals] = VERTICALS.filter(({ kinds }) => kinds?.includes(query.kind)).filter(isAvailable)
      const primary = [...accountEngines, ...defaults, ...(vertical ? [vertical] : [])].filter(isAvailable)
      const fallbacks = [...SPARES, ...verticals].filter(isAvailable)
      if (primary.length + fallbacks.length === 0) throw new Failure('WEBSEARCH_DENY denies every engine.')
      return { first: primary, spares: fallbacks, count: ELEVEN + accountEngines.length }
    },
  }
}

/** A vertical engine cannot search another site. */
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
  const keyNames = new Set(ENGINES.flatMap(({ id, key, keyName = id }) => (key ? [keyName] : [])))
  const pairs = value
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
  return new Map(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      const name = pair.slice(0, Math.max(equals, 0)).trim().toLowerCase()
      const key = pair.slice(equals + 1).trim()
      // The message does not repeat the pair, which may contain a key.
      if (!keyNames.has(name) || key === '' || !/^[\x21-\x7e]+$/.test(key)) {
        throw new Failure(`WEBSEARCH_KEYS must read name=KEY,name=KEY with names of ${[...keyNames].join(', ')}.`)
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
