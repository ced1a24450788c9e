// Selects the engines for a query by settings and API keys: eleven that fit, and fallbacks. WEBSEARCH_ENGINES and
// WEBSEARCH_DENY take precedence; an unknown name in them is an error. Used by the search service, search-health and the
// command line (search). Pure.

import { Failure } from '@scorpiox/mcp/errors'
import { splitList } from '../../config/paths.js'
import type { SearchEngine } from './engine-kit/search-engine.js'
import { ACCOUNT_ENGINES, ALL_ENGINES, DEFAULT_ENGINES, FALLBACK_ENGINES, VERTICAL_ENGINES } from './engines/index.js'
import type { SearchQuery } from './query.js'

const DEFAULT_ENGINE_COUNT = 11

export interface SearchSettings {
  readonly WEBSEARCH_ENGINES: string
  readonly WEBSEARCH_DENY: string
  readonly WEBSEARCH_KEYS: string
  readonly WEBSEARCH_GATEWAY: string
  readonly SEARXNG_URL: string
}

export interface SelectedEngines {
  /** Preferred engines; `count` engines are used in total. */
  readonly primary: readonly SearchEngine[]
  readonly fallbacks: readonly SearchEngine[]
  readonly count: number
}

export interface EngineSelection {
  readonly selectEngines: (query: SearchQuery) => SelectedEngines
  readonly baseUrlOf: (engine: SearchEngine) => string
  readonly keyOf: (engine: SearchEngine) => string | undefined
  /** Why the engine is never used; undefined if it can be. */
  readonly unavailableReason: (engine: SearchEngine) => string | undefined
}

/** Throws a Failure that names the invalid setting. */
export function readEngineSelection(settings: SearchSettings): EngineSelection {
  const keys = parseApiKeys(settings.WEBSEARCH_KEYS)
  const named = parseEngineNames('WEBSEARCH_ENGINES', settings.WEBSEARCH_ENGINES)
  const deniedNames = new Set(parseEngineNames('WEBSEARCH_DENY', settings.WEBSEARCH_DENY))
  const gateway = parseAddress('WEBSEARCH_GATEWAY', settings.WEBSEARCH_GATEWAY)
  const searxngUrl = parseAddress('SEARXNG_URL', settings.SEARXNG_URL)
  if (gateway !== '' && !gateway.includes('{engine}')) {
    throw new Failure('WEBSEARCH_GATEWAY must contain {engine}, which is replaced by the name of each engine.')
  }

  const keyOf = ({ id, apiKey, keyName = id }: SearchEngine): string | undefined =>
    apiKey ? keys.get(keyName) : undefined

  function unavailableReason(engine: SearchEngine): string | undefined {
    if (deniedNames.has(engine.id)) return 'denied by WEBSEARCH_DENY'
    if (engine.apiKey === 'required' && keyOf(engine) === undefined) return 'no key'
    if (engine.id === 'searxng' && searxngUrl === '') return 'no SEARXNG_URL'
    return undefined
  }

  const isAvailable = (engine: SearchEngine): boolean => unavailableReason(engine) === undefined
  const namedEngines = named
    .map((name) => ALL_ENGINES.find(({ id }) => id === name))
    .filter((engine) => engine !== undefined)
  const unavailableNamed = namedEngines.find((engine) => !deniedNames.has(engine.id) && !isAvailable(engine))
  if (unavailableNamed)
    throw new Failure(
      `WEBSEARCH_ENGINES names ${unavailableNamed.id}, but there is ${unavailableReason(unavailableNamed)}.`,
    )
  const accountEngines = ACCOUNT_ENGINES.filter(isAvailable)
  // With a key, the API of an index replaces its result page.
  const isReplacedByApi = ({ family, tier }: SearchEngine): boolean =>
    tier === 'page' && accountEngines.some((engine) => engine.family === family && engine.keyName !== undefined)

  return {
    keyOf,
    unavailableReason,
    baseUrlOf({ id, baseUrl }) {
      if (gateway !== '') return gateway.replaceAll('{engine}', id)
      return id === 'searxng' ? searxngUrl : baseUrl
    },
    selectEngines(query) {
      if (namedEngines.length > 0) {
        const primary = namedEngines.filter(isAvailable)
        if (primary.length === 0) throw new Failure('WEBSEARCH_DENY denies every engine that WEBSEARCH_ENGINES names.')
        return { primary, fallbacks: [], count: primary.length }
      }
      const defaults = DEFAULT_ENGINES.filter((engine) => canSearchSite(engine, query) && !isReplacedByApi(engine))
      const [vertical, ...verticals] = VERTICAL_ENGINES.filter(({ kinds }) => kinds?.includes(query.kind)).filter(
        isAvailable,
      )
      const primary = [...accountEngines, ...defaults, ...(vertical ? [vertical] : [])].filter(isAvailable)
      const fallbacks = [...FALLBACK_ENGINES, ...verticals].filter(isAvailable)
      if (primary.length + fallbacks.length === 0) throw new Failure('WEBSEARCH_DENY denies every engine.')
      return { primary, fallbacks, count: DEFAULT_ENGINE_COUNT + accountEngines.length }
    },
  }
}

/** A vertical engine cannot search another site. */
function canSearchSite({ tier, baseUrl }: SearchEngine, { site }: SearchQuery): boolean {
  if (site === undefined || tier !== 'vertical') return true
  return site.endsWith('wikipedia.org') && baseUrl.endsWith('wikipedia.org')
}

function parseEngineNames(option: string, value: string): readonly string[] {
  const names = splitList(value.toLowerCase())
  const unknown = names.find((name) => !ALL_ENGINES.some(({ id }) => id === name))
  if (unknown === undefined) return [...new Set(names)]
  throw new Failure(
    `${option} names ${JSON.stringify(unknown.slice(0, 40))}, which is not an engine. Engines: ${ALL_ENGINES.map(({ id }) => id).join(', ')}.`,
  )
}

function parseApiKeys(value: string): ReadonlyMap<string, string> {
  const keyNames = new Set(ALL_ENGINES.flatMap(({ id, apiKey, keyName = id }) => (apiKey ? [keyName] : [])))
  return new Map(
    splitList(value).map((pair) => {
      const equals = pair.indexOf('=')
      const name = pair.slice(0, Math.max(equals, 0)).trim().toLowerCase()
      const key = pair.slice(equals + 1).trim()
      // The message does not repeat the pair, which may contain a key.
      if (!keyNames.has(name) || key === '' || !/^[\x21-\x7e]+$/.test(key)) {
        throw new Failure(`WEBSEARCH_KEYS must be name=KEY,name=KEY with these names: ${[...keyNames].join(', ')}.`)
      }
      return [name, key]
    }),
  )
}

function parseAddress(option: string, value: string): string {
  const address = value.trim().replace(/(?<!\/)\/+$/, '')
  const isAddress = address === '' || /^https?:\/\/[^/\s]/i.test(address)
  if (!isAddress) throw new Failure(`${option} must be a URL such as https://search.example.com.`)
  return address
}
