// Parses a JSON response into hits. If the list of records is missing, the format has changed; if it is empty, nothing
// was found.

import { isJsonObject, type JsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { type EngineOutcome, type EngineResponse, LAYOUT_CHANGED } from './search-engine.js'
import { parseHit, type RawHit } from './search-hit.js'

const MAX_RECORDS = 30

export function parseJsonHits(
  { text }: Pick<EngineResponse, 'text'>,
  recordsOf: (value: unknown) => unknown,
  toRawHit: (record: JsonObject) => RawHit,
): EngineOutcome {
  return parseRecords(recordsOf(tryParseJson(text)), toRawHit)
}

export function parseRecords(records: unknown, toRawHit: (record: JsonObject) => RawHit): EngineOutcome {
  if (!Array.isArray(records)) return LAYOUT_CHANGED
  if (records.length === 0) return { kind: 'empty' }
  const hits = records
    .slice(0, MAX_RECORDS)
    .filter(isJsonObject)
    .flatMap((record) => parseHit(toRawHit(record)) ?? [])
  return hits.length === 0 ? LAYOUT_CHANGED : { kind: 'ok', hits }
}

/** The nested member with these names; undefined if there is none. */
export function getPath(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((parent, name) => (isJsonObject(parent) ? parent[name] : undefined), value)
}

/** Joins the strings of an array with spaces. */
export function joinStrings(value: unknown): string {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(' ') : ''
}
