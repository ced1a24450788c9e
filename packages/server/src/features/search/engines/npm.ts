// npm registry search API: JavaScript packages. https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md

import { getPath, parseJsonHits } from '../engine-kit/json-response.js'
import { encodeForm, type SearchEngine } from '../engine-kit/search-engine.js'

export const npm: SearchEngine = {
  id: 'npm',
  family: 'npm',
  tier: 'vertical',
  weight: 0.7,
  baseUrl: 'https://registry.npmjs.org',
  kinds: ['javascript'],
  maxQuery: 120,

  buildRequest: ({ text }, { baseUrl }) => {
    const words = text.replaceAll(/\b(?:npm|package|module|library)s?\b/gi, ' ').trim() || text
    return { url: `${baseUrl}/-/v1/search?${encodeForm({ text: words, size: '8' })}` }
  },

  parseResponse: (response) =>
    parseJsonHits(
      response,
      (json) => getPath(json, 'objects'),
      (record) => ({
        url: packageUrl(getPath(record, 'package', 'name')),
        title: getPath(record, 'package', 'name'),
        snippet: getPath(record, 'package', 'description'),
        date: getPath(record, 'package', 'date'),
      }),
    ),
}

function packageUrl(name: unknown): string | undefined {
  return typeof name === 'string' ? `https://www.npmjs.com/package/${name}` : undefined
}
