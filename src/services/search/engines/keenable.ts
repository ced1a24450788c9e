// Keenable API; the public endpoint needs no key. https://keenable.ai

import type { Engine } from '../engine.js'
import { below, readJson } from '../json-answer.js'

export const keenable: Engine = {
  id: 'keenable',
  family: 'keenable',
  tier: 'endpoint',
  weight: 0.9,
  base: 'https://api.keenable.ai',
  key: 'optional',

  ask: ({ text, site }, { base, key }) => ({
    url: key === undefined ? `${base}/v1/search/public` : `${base}/v1/search`,
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) },
    body: JSON.stringify({ query: text, mode: 'pro', ...(site !== undefined && { site }) }),
  }),

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'results'),
      (record) => ({
        url: record.url,
        title: record.title,
        snippet: record.description || record.snippet,
        date: record.published_at,
      }),
    ),
}
