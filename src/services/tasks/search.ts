// What is looked for, read from the words of a query: terms that must all occur, "several words" as one term, and the
// marks is:open, is:done and before:<task id>, which is how a long list is read on.

import { Failure } from '../../lib/failure.js'
import type { TaskFilter } from '../../store/state/task-rows.js'

const MAX_TERMS = 32
const MAX_CHARACTERS = 1000

export function readSearch(query: string): TaskFilter {
  if (query.length > MAX_CHARACTERS)
    throw new Failure(
      `The query has ${query.length} characters; ${MAX_CHARACTERS} are the most. Use a few words of it.`,
    )
  const terms: string[] = []
  let before: number | undefined
  let state: TaskFilter['state']
  for (const [word, quoted] of query.matchAll(/"([^"]*)"|\S+/g)) {
    const [, mark, value = ''] = /^(is|before):(open|done|\d{1,15})$/i.exec(word) ?? []
    if (mark?.toLowerCase() === 'before' && /^\d/.test(value)) before = Number(value)
    else if (mark?.toLowerCase() === 'is' && /^\D/.test(value)) state = value.toLowerCase() === 'open' ? 'open' : 'done'
    else if ((quoted ?? word).trim() !== '') terms.push((quoted ?? word).trim())
  }
  if (terms.length <= MAX_TERMS) return { terms, state, before }
  throw new Failure(`The query has ${terms.length} words; ${MAX_TERMS} are the most. Use a few of them.`)
}
