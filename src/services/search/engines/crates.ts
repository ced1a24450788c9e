// crates.io API: Rust packages. One request per second. https://crates.io/data-access

import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { below, readJson } from '../json-answer.js'

export const crates: Engine = {
  id: 'crates',
  family: 'crates',
  tier: 'vertical',
  weight: 0.7,
  base: 'https://crates.io',
  kinds: ['rust'],
  maxQuery: 120,
  pace: { everyMs: 1000, burst: 1 },

  ask: ({ text }, { base }) => {
    const words = text.replaceAll(/\b(?:rust|cargo|crate|library|package)s?\b/gi, ' ').trim() || text
    return { url: `${base}/api/v1/crates?${fields({ q: words, per_page: '8' })}` }
  },

  read: (response) =>
    readJson(
      response,
      (json) => below(json, 'crates'),
      ({ name, description: snippet, updated_at: date }) => ({
        url: typeof name === 'string' ? `https://crates.io/crates/${name}` : undefined,
        title: name,
        snippet,
        date,
      }),
    ),
}
