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
  const words = [...query.matchAll(/"([^"]*)"|\S+/g)]
  let filter: TaskFilter = { terms: [] }
  for (const [word, quoted] of words) {
    const before = /^before:(\d{1,15})$/i.exec(word)
    if (before) filter = { ...filter, before: Number(before[1]) }
    else if (/^is:open$/i.test(word)) filter = { ...filter, state: 'open' }
    else if (/^is:done$/i.test(word)) filter = { ...filter, state: 'done' }
    else filter = { ...filter, terms: [...filter.terms, quoted ?? word] }
  }
  const terms = filter.terms.map((term) => term.trim()).filter((term) => term !== '')
  if (terms.length > MAX_TERMS)
    throw new Failure(`The query has ${terms.length} words; ${MAX_TERMS} are the most. Use a few of them.`)
  return { ...filter, terms }
}
