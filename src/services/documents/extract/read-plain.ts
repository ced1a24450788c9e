// Reads plain text, XML and JSON unchanged, except that JSON on long lines is indented, so that it can be paginated.

import { parseJson } from '../../../lib/json.js'
import type { Reading } from './extractor.js'
import { noEvidence } from './no-evidence.js'

export function readPlain(kind: 'text' | 'xml' | 'json', content: string): Reading {
  return {
    kind,
    title: '',
    language: '',
    published: '',
    canonical: '',
    content,
    outline: [],
    hasFragment: false,
    pages: 0,
    evidence: noEvidence(content.length),
  }
}

const MAX_LINE_CHARS = 200

export function readJson(text: string): Reading {
  const isLong = text.split('\n', 50).some((line) => line.length > MAX_LINE_CHARS)
  const value = isLong ? parseJson(text) : undefined
  if (value === undefined) return readPlain('json', text)
  return readPlain('json', JSON.stringify(value, null, 2))
}
