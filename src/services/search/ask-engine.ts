// Sends one request to one engine, after fetching a token if the engine needs one. Every response and every network
// error becomes an EngineOutcome.

import { FetchFailure, type FetchProblem } from '../../platform/way-out/fetch-failure.js'
import type { Errand, WayOut } from '../../platform/way-out/way-out.js'
import { oneLine } from '../../lib/one-line.js'
import { visibleText } from '../../lib/visible-text.js'
import { VERSION } from '../../lib/version.js'
import type { Answer, Asked, Engine, Question, Way } from './engine.js'
import { judgeAnswer } from './judge-answer.js'
import { failed, UNRESOLVED, type Outcome } from './outcome.js'

/** The same for all engines; it identifies this program. */
const USER_AGENT = `Mozilla/5.0 (compatible; scorpiox-code/${VERSION}; MCP server)`
const MAX_BYTES = 3 * 1024 * 1024

export interface Roads {
  readonly wayOut: Pick<WayOut, 'fetch'>
  readonly baseOf: (engine: Engine) => string
  readonly keyOf: (engine: Engine) => string | undefined
  readonly timeoutMs: number
}

export type AskEngine = (engine: Engine, query: Asked, signal: AbortSignal) => Promise<Outcome>

export function createAskEngine({ wayOut: guardedFetch, baseOf: baseUrlOf, keyOf, timeoutMs }: Roads): AskEngine {
  const tokens = new Map<string, { readonly token: string; readonly until: number }>()

  async function send<T>(request: Question, language: string, signal: AbortSignal, read: (response: Answer) => T) {
    try {
      const response = await guardedFetch.fetch(request.url, { ...errandOf(request, language), timeoutMs, signal })
      return judgeAnswer(response, request.url, read)
    } catch (error) {
      return outcomeOf(error)
    }
  }

  async function tokenFor(engine: Engine, query: Asked, baseUrl: string, signal: AbortSignal) {
    const { id, token: tokenStep } = engine
    const cached = tokens.get(id)
    if (!tokenStep || (cached && cached.until > Date.now())) return cached?.token
    const access: Way = { base: baseUrl, key: keyOf(engine), token: undefined }
    const token = await send(tokenStep.ask(access), query.language, signal, tokenStep.read)
    if (typeof token === 'string') tokens.set(id, { token, until: Date.now() + tokenStep.keepMs })
    return token
  }

  return async (engine, query, signal) => {
    const baseUrl = baseUrlOf(engine).replaceAll('{language}', query.language)
    const token = await tokenFor(engine, query, baseUrl, signal)
    if (typeof token === 'object') return token
    const request = engine.ask(query, { base: baseUrl, key: keyOf(engine), token })
    const outcome = await send(request, query.language, signal, engine.read)
    // Do not reuse a token that was refused.
    if (outcome.kind !== 'ok' && outcome.kind !== 'empty') tokens.delete(engine.id)
    return outcome
  }
}

function errandOf({ headers, body }: Question, language: string): Errand {
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
    takePart: true,
  }
}

const UNREACHABLE = new Set<FetchProblem>(['unresolved', 'unreachable', 'tls'])
const REFUSED = new Set<FetchProblem>(['refused', 'bad-url'])
const MAX_REASON = 100

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof FetchFailure)) throw error
  const { problem } = error
  if (problem === 'timeout') return { kind: 'timeout' }
  // A constant text without the host name, so that engines with this problem are grouped in the result.
  const why = problem === 'unresolved' ? UNRESOLVED : reasonIn(error.message)
  if (REFUSED.has(problem)) return { kind: 'refused', why }
  return UNREACHABLE.has(problem) ? { kind: 'unreachable', why } : failed(why)
}

/** Without the URL and the advice, which do not apply to engine URLs. */
function reasonIn(message: string): string {
  const [, reason = message] = /^Could not fetch \S+: ([^]*)$/.exec(message) ?? []
  const [sentence = reason] = reason.split(/\.(?:\s|$)/, 1)
  return oneLine(visibleText(sentence), MAX_REASON)
}
