// Crossref API: works with a DOI. https://api.crossref.org

import { getPath, joinStrings, parseJsonHits } from '../engine-kit/json-response.js'
import { htmlToText } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const crossref: SearchEngine = {
  id: 'crossref',
  family: 'crossref',
  tier: 'vertical',
  weight: 0.6,
  baseUrl: 'https://api.crossref.org',
  kinds: ['paper'],
  maxQuery: 300,

  buildRequest: ({ text }, { baseUrl }) => {
    const search = { query: text, rows: '8', select: 'URL,title,abstract,container-title,issued' }
    return { url: `${baseUrl}/works?${encodeForm(search)}` }
  },

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'message', 'items'),
      (record) => ({
        url: record.URL,
        title: htmlToText(joinStrings(record.title)),
        snippet: htmlToText(record.abstract) || joinStrings(record['container-title']),
        date: toIssueDate(getPath(record, 'issued', 'date-parts')),
      }),
    ),
}

function toIssueDate(parts: unknown): string | undefined {
  const [date] = Array.isArray(parts) ? parts : []
  if (!Array.isArray(date)) return undefined
  const [year, month = 1, day = 1] = date
  return [year, month, day].map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')
}
