// Mwmbl API: a small index made by volunteers. Titles are lists of bold and plain parts. https://mwmbl.org

import { isJsonObject } from '@scorpiox/mcp/json/json'
import { parseJsonHits } from '../engine-kit/json-response.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const mwmbl: SearchEngine = {
  id: 'mwmbl',
  family: 'mwmbl',
  tier: 'endpoint',
  weight: 0.4,
  baseUrl: 'https://api.mwmbl.org',
  maxQuery: 200,

  buildRequest: ({ text }, { baseUrl }) => ({ url: `${baseUrl}/api/v1/search/?${encodeForm({ s: text })}` }),

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => json,
      ({ url, title, extract }) => ({ url, title: joinParts(title), snippet: joinParts(extract) }),
    ),
}

function joinParts(parts: unknown): string {
  return Array.isArray(parts) ? parts.map(valueOf).join('') : ''
}

function valueOf(part: unknown): string {
  return isJsonObject(part) && typeof part.value === 'string' ? part.value : ''
}
