// Wikipedia search API, in the language of the query. https://www.mediawiki.org/wiki/API:Search

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { htmlToText } from '../engine-kit/result-page.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const wikipedia: SearchEngine = {
  id: 'wikipedia',
  family: 'wikipedia',
  tier: 'vertical',
  weight: 0.7,
  baseUrl: 'https://{language}.wikipedia.org',
  maxQuery: 300,
  rateLimit: { intervalMs: 500, burst: 5 },

  buildRequest: ({ text, language }, { baseUrl }) => {
    const search = { action: 'query', list: 'search', format: 'json', srlimit: '5', srsearch: text, uselang: language }
    return { url: `${baseUrl}/w/api.php?${encodeForm(search)}` }
  },

  parseResponse: (response) => {
    const site = new URL(response.url).searchParams.get('uselang') ?? 'en'
    return parseJsonHits(
      response,
      (json) => getPath(json, 'query', 'search'),
      ({ title, snippet, timestamp }) => ({
        url: `https://${site}.wikipedia.org/wiki/${encodeURIComponent(String(title).replaceAll(' ', '_'))}`,
        title,
        snippet: htmlToText(snippet),
        date: timestamp,
      }),
    )
  },
}
