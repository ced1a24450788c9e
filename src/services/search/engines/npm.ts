// npm registry search API: JavaScript packages. https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

export const npm: Engine = {
  id: 'npm',
  family: 'npm',
  tier: 'vertical',
  weight: 0.7,
  base: 'https://registry.npmjs.org',
  kinds: ['javascript'],
  maxQuery: 120,

  ask: ({ text }, { base }) => {
    const words = text.replaceAll(/\b(?:npm|package|module|library)s?\b/gi, ' ').trim() || text
    return { url: `${base}/-/v1/search?${fields({ text: words, size: '8' })}` }
  },

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'objects'),
      (record) => ({
        url: packageUrl(below(record, 'package', 'name')),
        title: below(record, 'package', 'name'),
        snippet: below(record, 'package', 'description'),
        date: below(record, 'package', 'date'),
      }),
    ),
}

function packageUrl(name: unknown): string | undefined {
  return typeof name === 'string' ? `https://www.npmjs.com/package/${name}` : undefined
}
