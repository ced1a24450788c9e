// Parses the query of TaskManager: terms that must all occur, "quoted phrases", and the filters is:open, is:done,
// before:<task id> and not:<task id>, which are used for paging. Also builds the query of the next page. Used by
// task-service and task-manager-handler. Pure.

import { Failure } from '@scorpiox/mcp/errors'
import type { TaskFilter } from './task-table.js'

const MAX_TERMS = 32
const MAX_CHARACTERS = 1000
const WORD = /"([^"]*)"|\S+/g
const FILTER = /^(?:is:(open|done)|before:(\d{1,15})|not:(\d{1,15}))$/i

export function parseTaskQuery(query: string): TaskFilter {
  const terms: string[] = []
  let before: number | undefined
  let except: number | undefined
  let state: TaskFilter['state']
  for (const [word, quoted] of query.matchAll(WORD)) {
    const [filter, is, newest, excepted] = FILTER.exec(word) ?? []
    if (is !== undefined) state = is.toLowerCase() === 'open' ? 'open' : 'done'
    if (newest !== undefined) before = Number(newest)
    if (excepted !== undefined) except = Number(excepted)
    const term = (quoted ?? word).trim()
    if (filter === undefined && term !== '') terms.push(term)
  }
  checkQueryLimits(terms)
  return { terms, state, before, except }
}

/** Returns the query of the next page; a `before:` filter is replaced. */
export function nextPageQuery(query: string, filters: string): string {
  const words = [...query.matchAll(WORD)].map(([word]) => word)
  return [...words.filter((word) => !/^before:\d{1,15}$/i.test(word)), filters].join(' ')
}

function checkQueryLimits(terms: readonly string[]): void {
  const { length } = terms.join(' ')
  if (length > MAX_CHARACTERS)
    throw new Failure(`The query has ${length} characters; at most ${MAX_CHARACTERS} are allowed. Use fewer words.`)
  if (terms.length > MAX_TERMS)
    throw new Failure(`The query has ${terms.length} words; at most ${MAX_TERMS} are allowed. Use fewer words.`)
}
