// Wikipedia search API, in the language of the query. https://www.mediawiki.org/wiki/API:Search

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'
import { plainText } from '../result-page.js'

export const wikipedia: Engine = {
  id: 'wikipedia',
  family: 'wikipedia',
  tier: 'vertical',
  weight: 0.7,
  base: 'https://{language}.wikipedia.org',
  maxQuery: 300,
  pace: { everyMs: 500, burst: 5 },

  ask: ({ text, language }, { base }) => {
    const search = { action: 'query', list: 'search', format: 'json', srlimit: '5', srsearch: text, uselang: language }
    return { url: `${base}/w/api.php?${fields(search)}` }
  },

  read: (response) => {
    const site = new URL(response.url).searchParams.get('uselang') ?? 'en'
    return readJson(
      response,
      (json) => below(json, 'query', 'search'),
      ({ title, snippet, timestamp }) => ({
        url: `https://${site}.wikipedia.org/wiki/${encodeURIComponent(String(title).replaceAll(' ', '_'))}`,
        title,
        snippet: plainText(snippet),
        date: timestamp,
      }),
    )
  },
}
