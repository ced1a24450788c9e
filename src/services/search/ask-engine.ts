// One engine asked once: its token first where it needs one, then the question. Whatever happens is an outcome.

import { FetchFailure, type FetchProblem } from '../../platform/way-out/fetch-failure.js'
import type { Errand, WayOut } from '../../platform/way-out/way-out.js'
import { oneLine } from '../../lib/one-line.js'
import { visibleText } from '../../lib/visible-text.js'
import { VERSION } from '../../lib/version.js'
import type { Answer, Asked, Engine, Question } from './engine.js'
import { judgeAnswer } from './judge-answer.js'
import { failed, UNRESOLVED, type Outcome } from './outcome.js'

/** The same for all and always: who we are is no secret. */
const USER_AGENT = `Mozilla/5.0 (compatible; scorpiox-code/${VERSION}; MCP server)`
const MAX_BYTES = 3 * 1024 * 1024

export interface Roads {
  readonly wayOut: Pick<WayOut, 'fetch'>
  readonly baseOf: (engine: Engine) => string
  readonly keyOf: (engine: Engine) => string | undefined
  readonly timeoutMs: number
}

export type AskEngine = (engine: Engine, asked: Asked, signal: AbortSignal) => Promise<Outcome>

export function createAskEngine({ wayOut, baseOf, keyOf, timeoutMs }: Roads): AskEngine {
  const tokens = new Map<string, { readonly token: string; readonly until: number }>()

  async function put<T>(question: Question, language: string, signal: AbortSignal, read: (answer: Answer) => T) {
    try {
      const brought = await wayOut.fetch(question.url, { ...errandOf(question, language), timeoutMs, signal })
      return judgeAnswer(brought, question.url, read)
    } catch (error) {
      return outcomeOf(error)
    }
  }

  async function tokenFor(engine: Engine, asked: Asked, base: string, signal: AbortSignal) {
    const { id, token: step } = engine
    const known = tokens.get(id)
    if (!step || (known && known.until > Date.now())) return known?.token
    const way = { base, key: keyOf(engine), token: undefined }
    const token = await put(step.ask(way), asked.language, signal, step.read)
    if (typeof token === 'string') tokens.set(id, { token, until: Date.now() + step.keepMs })
    return token
  }

  return async (engine, asked, signal) => {
    const base = baseOf(engine).replaceAll('{language}', asked.language)
    const token = await tokenFor(engine, asked, base, signal)
    if (typeof token === 'object') return token
    const question = engine.ask(asked, { base, key: keyOf(engine), token })
    const outcome = await put(question, asked.language, signal, engine.read)
    // What it was refused with is not shown again.
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
  // Names differ, the reason does not: those with the same trouble are told of together.
  const why = problem === 'unresolved' ? UNRESOLVED : reasonIn(error.message)
  if (REFUSED.has(problem)) return { kind: 'refused', why }
  return UNREACHABLE.has(problem) ? { kind: 'unreachable', why } : failed(why)
}

/** Without the address, and without the advice, which is meant for whoever gave one. */
function reasonIn(message: string): string {
  const [, said = message] = /^Could not fetch \S+: ([^]*)$/.exec(message) ?? []
  const [sentence = said] = said.split(/\.(?:\s|$)/, 1)
  return oneLine(visibleText(sentence), MAX_REASON)
}
