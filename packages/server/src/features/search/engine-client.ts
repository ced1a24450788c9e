// Sends one request to one engine, after fetching a token if the engine needs one. Every response and every network error
// becomes an EngineOutcome. Used by search-service through engine-requests. Sends HTTP requests with guarded fetch; keeps
// tokens in memory.

import { FetchFailure, type FetchFailureKind } from '../../guarded-fetch/fetch-failure.js'
import type { FetchRequest, GuardedFetch } from '../../guarded-fetch/guarded-fetch.js'
import { toSingleLine } from '../../text/format.js'
import { removeInvisible } from '../../text/untrusted-text.js'
import { VERSION } from '../../config/version.js'
import { classifyResponse } from './classify-response.js'
import {
  type EngineAccess,
  type EngineOutcome,
  type EngineQuery,
  type EngineRequest,
  type EngineResponse,
  failedOutcome,
  HOST_NOT_FOUND,
  type SearchEngine,
} from './engine-kit/search-engine.js'

/** The same for all engines; it identifies this program. */
const USER_AGENT = `Mozilla/5.0 (compatible; scorpiox-code/${VERSION}; MCP server)`
const MAX_BYTES = 3 * 1024 * 1024

export interface EngineClientDeps {
  readonly guardedFetch: Pick<GuardedFetch, 'fetch'>
  readonly baseUrlOf: (engine: SearchEngine) => string
  readonly keyOf: (engine: SearchEngine) => string | undefined
  readonly timeoutMs: number
}

export type QueryEngine = (engine: SearchEngine, query: EngineQuery, signal: AbortSignal) => Promise<EngineOutcome>

export function createEngineClient({ guardedFetch, baseUrlOf, keyOf, timeoutMs }: EngineClientDeps): QueryEngine {
  const tokens = new Map<string, { readonly token: string; readonly until: number }>()

  async function send<T>(
    request: EngineRequest,
    language: string,
    signal: AbortSignal,
    read: (response: EngineResponse) => T,
  ) {
    try {
      const response = await guardedFetch.fetch(request.url, {
        ...toFetchRequest(request, language),
        timeoutMs,
        signal,
      })
      return classifyResponse(response, request.url, read)
    } catch (error) {
      return toOutcome(error)
    }
  }

  async function tokenFor(engine: SearchEngine, query: EngineQuery, baseUrl: string, signal: AbortSignal) {
    const { id, token: tokenStep } = engine
    const cached = tokens.get(id)
    if (!tokenStep || (cached && cached.until > Date.now())) return cached?.token
    const access: EngineAccess = { baseUrl, apiKey: keyOf(engine), token: undefined }
    const token = await send(tokenStep.buildRequest(access), query.language, signal, tokenStep.parseToken)
    if (typeof token === 'string') tokens.set(id, { token, until: Date.now() + tokenStep.lifetimeMs })
    return token
  }

  return async (engine, query, signal) => {
    const baseUrl = baseUrlOf(engine).replaceAll('{language}', query.language)
    const token = await tokenFor(engine, query, baseUrl, signal)
    if (typeof token === 'object') return token
    const request = engine.buildRequest(query, { baseUrl, apiKey: keyOf(engine), token })
    const outcome = await send(request, query.language, signal, engine.parseResponse)
    // Do not reuse a token that was refused.
    if (outcome.kind !== 'ok' && outcome.kind !== 'empty') tokens.delete(engine.id)
    return outcome
  }
}

function toFetchRequest({ headers, body }: EngineRequest, language: string): FetchRequest {
  return {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'user-agent': USER_AGENT,
      accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8',
      'accept-language': language === 'en' ? 'en-US,en;q=0.9' : `${language},en;q=0.7`,
      ...headers,
    },
    ...(body !== undefined && { body }),
    maxBytes: MAX_BYTES,
    maxRedirects: 3,
    acceptsPartial: true,
  }
}

const UNREACHABLE_PROBLEMS = new Set<FetchFailureKind>(['unresolved', 'unreachable', 'tls'])
const REFUSED_PROBLEMS = new Set<FetchFailureKind>(['refused', 'bad-url'])
const MAX_REASON = 100
/** The message has the address, which the engine's server chose. */
const FAILED_REDIRECT = 'it redirects to a page that cannot be fetched'

function toOutcome(error: unknown): EngineOutcome {
  if (!(error instanceof FetchFailure)) throw error
  const { kind } = error
  if (kind === 'timeout') return { kind: 'timeout' }
  // A constant text without the host name, so that engines with this problem are grouped in the result.
  const why = kind === 'unresolved' ? HOST_NOT_FOUND : error.isUntrusted ? FAILED_REDIRECT : shortReason(error.message)
  if (REFUSED_PROBLEMS.has(kind)) return { kind: 'refused', why }
  return UNREACHABLE_PROBLEMS.has(kind) ? { kind: 'unreachable', why } : failedOutcome(why)
}

/** Without the URL and the advice, which do not apply to engine URLs. */
function shortReason(message: string): string {
  const [, reason = message] = /^Could not fetch \S+: ([^]*)$/.exec(message) ?? []
  const [sentence = reason] = reason.split(/\.(?:\s|$)/, 1)
  return toSingleLine(removeInvisible(sentence), MAX_REASON)
}
