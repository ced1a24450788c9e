// What to look for in a page: `/pattern/i` is a regular expression, anything else is words, in any order and case.

import { Failure } from '../../lib/failure.js'
import { compilePattern, type LinePattern } from '../../lib/line-pattern.js'

const MAX_QUERY = 1000
const MAX_WORDS = 20

export type FindQuery =
  | { readonly kind: 'pattern'; readonly pattern: LinePattern }
  | { readonly kind: 'words'; readonly words: readonly string[] }

/** Undefined where nothing is to be found. */
export function readFindQuery(given: string): FindQuery | undefined {
  const text = given.trim()
  if (text === '') return undefined
  if (text.length > MAX_QUERY) throw new Failure(`find is longer than ${MAX_QUERY} characters: shorten it.`)
  const [, source, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? []
  if (source !== undefined) {
    return { kind: 'pattern', pattern: compilePattern(source, { ignoreCase: flags.includes('i'), subject: 'page' }) }
  }
  const words = [...new Set(text.toLowerCase().split(/\s+/))].slice(0, MAX_WORDS)
  return { kind: 'words', words }
}
