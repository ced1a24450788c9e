// Crossref API: works with a DOI. https://api.crossref.org

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, joinedTexts, readJson } from '../json-answer.js'
import { plainText } from '../result-page.js'

export const crossref: Engine = {
  id: 'crossref',
  family: 'crossref',
  tier: 'vertical',
  weight: 0.6,
  base: 'https://api.crossref.org',
  kinds: ['paper'],
  maxQuery: 300,

  ask: ({ text }, { base }) => {
    const search = { query: text, rows: '8', select: 'URL,title,abstract,container-title,issued' }
    return { url: `${base}/works?${fields(search)}` }
  },

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'message', 'items'),
      (record) => ({
        url: record.URL,
        title: plainText(joinedTexts(record.title)),
        snippet: plainText(record.abstract) || joinedTexts(record['container-title']),
        date: toIssueDate(below(record, 'issued', 'date-parts')),
      }),
    ),
}

function toIssueDate(parts: unknown): string | undefined {
  const [date] = Array.isArray(parts) ? parts : []
  if (!Array.isArray(date)) return undefined
  const [year, month = 1, day = 1] = date
  return [year, month, day].map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')
}
