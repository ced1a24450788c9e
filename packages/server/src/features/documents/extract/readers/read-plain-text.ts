// Reads plain text, XML and JSON unchanged, except that JSON on long lines is indented, so that it can be paginated.

import { tryParseJson } from '@scorpiox/mcp/json/json'
import { createEmptySignals, type ExtractResult } from '../extract-types.js'

export function readPlainText(kind: 'text' | 'xml' | 'json', content: string): ExtractResult {
  return {
    kind,
    title: '',
    language: '',
    published: '',
    canonical: '',
    content,
    outline: [],
    hasFragment: false,
    pageCount: 0,
    signals: createEmptySignals(content.length),
  }
}

const MAX_LINE_CHARS = 200

export function readJsonText(text: string): ExtractResult {
  const isLong = text.split('\n', 50).some((line) => line.length > MAX_LINE_CHARS)
  const value = isLong ? tryParseJson(text) : undefined
  if (value === undefined) return readPlainText('json', text)
  return readPlainText('json', JSON.stringify(value, null, 2))
}
