// OpenAlex API: scholarly works. https://docs.openalex.org

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const openalex: SearchEngine = {
  id: 'openalex',
  family: 'openalex',
  tier: 'vertical',
  weight: 0.7,
  baseUrl: 'https://api.openalex.org',
  kinds: ['paper'],
  maxQuery: 300,

  buildRequest: ({ text }, { baseUrl }) => ({
    url: `${baseUrl}/works?${encodeForm({ search: text, 'per-page': '8' })}`,
  }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'results'),
      (record) => ({
        url: getPath(record, 'primary_location', 'landing_page_url') ?? record.doi ?? record.id,
        title: record.display_name ?? record.title,
        snippet: getPath(record, 'primary_location', 'source', 'display_name'),
        date: record.publication_date,
      }),
    ),
}
