// Plain text, JSON and XML: as they are. JSON on one line is set out, so that it can be read and cut by lines.

import { parseJson } from '../../../lib/json.js'
import type { Reading } from './extractor.js'
import { noEvidence } from './no-evidence.js'

export function readPlain(kind: 'text' | 'xml' | 'json', content: string): Reading {
  const none = { title: '', language: '', published: '', canonical: '', outline: [], hasFragment: false, pages: 0 }
  return { kind, content, ...none, evidence: noEvidence(content.length) }
}

const LONG_LINE = 200

export function readJson(text: string): Reading {
  const isLong = text.split('\n', 50).some((line) => line.length > LONG_LINE)
  const value = isLong ? parseJson(text) : undefined
  if (value === undefined) return readPlain('json', text)
  return readPlain('json', JSON.stringify(value, null, 2))
}
