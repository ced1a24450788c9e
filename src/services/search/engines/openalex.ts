// OpenAlex API: scholarly works. https://docs.openalex.org

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

export const openalex: Engine = {
  id: 'openalex',
  family: 'openalex',
  tier: 'vertical',
  weight: 0.7,
  base: 'https://api.openalex.org',
  kinds: ['paper'],
  maxQuery: 300,

  ask: ({ text }, { base }) => ({ url: `${base}/works?${fields({ search: text, 'per-page': '8' })}` }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'results'),
      (record) => ({
        url: below(record, 'primary_location', 'landing_page_url') ?? record.doi ?? record.id,
        title: record.display_name ?? record.title,
        snippet: below(record, 'primary_location', 'source', 'display_name'),
        date: record.publication_date,
      }),
    ),
}
