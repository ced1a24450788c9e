// Mwmbl API: a small index made by volunteers. Titles are lists of bold and plain parts. https://mwmbl.org

import { isObject } from '../../../lib/json.js'
import type { Engine } from '../engine.js'
import { fields } from '../fields.js'
import { readJson } from '../json-answer.js'

export const mwmbl: Engine = {
  id: 'mwmbl',
  family: 'mwmbl',
  tier: 'endpoint',
  weight: 0.4,
  base: 'https://api.mwmbl.org',
  maxQuery: 200,

  ask: ({ text }, { base }) => ({ url: `${base}/api/v1/search/?${fields({ s: text })}` }),

  read: (response) =>
    readJson(
      response,
      (json) => json,
      ({ url, title, extract }) => ({ url, title: joinParts(title), snippet: joinParts(extract) }),
    ),
}

function joinParts(parts: unknown): string {
  return Array.isArray(parts) ? parts.map(valueOf).join('') : ''
}

function valueOf(part: unknown): string {
  return isObject(part) && typeof part.value === 'string' ? part.value : ''
}
