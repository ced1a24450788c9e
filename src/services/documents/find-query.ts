// Parses the `find` parameter: `/pattern/i` is a regular expression; other input is words, in any order and case.

import { Failure } from '../../lib/failure.js'
import { compilePattern, type LinePattern } from '../../lib/line-pattern.js'

const MAX_QUERY_CHARS = 1000
const MAX_QUERY_WORDS = 20

export type FindQuery =
  | { readonly kind: 'pattern'; readonly pattern: LinePattern }
  | { readonly kind: 'words'; readonly words: readonly string[] }

/** Undefined if the input is empty. */
export function readFindQuery(input: string): FindQuery | undefined {
  const text = input.trim()
  if (text === '') return undefined
  if (text.length > MAX_QUERY_CHARS) throw new Failure(`find is longer than ${MAX_QUERY_CHARS} characters: shorten it.`)
  const [, source, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? []
  if (source !== undefined) {
    return { kind: 'pattern', pattern: compilePattern(source, { ignoreCase: flags.includes('i'), subject: 'page' }) }
  }
  const words = [...new Set(text.toLowerCase().split(/\s+/))].slice(0, MAX_QUERY_WORDS)
  return { kind: 'words', words }
}
