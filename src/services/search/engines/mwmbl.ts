// Mwmbl: a small index made by volunteers. Titles come in pieces, bold and plain. https://mwmbl.org

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

  read: (answer) =>
    readJson(
      answer,
      (json) => json,
      ({ url, title, extract }) => ({ url, title: joined(title), snippet: joined(extract) }),
    ),
}

function joined(pieces: unknown): string {
  return Array.isArray(pieces) ? pieces.map(valueOf).join('') : ''
}

function valueOf(piece: unknown): string {
  return isObject(piece) && typeof piece.value === 'string' ? piece.value : ''
}
