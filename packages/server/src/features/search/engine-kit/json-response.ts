// Parses a JSON response into hits. If the list of records is missing, the format has changed; if it is empty, nothing
// was found. Used by the engines with a JSON interface. Pure.

import { isJsonObject, type JsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { type EngineOutcome, type EngineResponse, LAYOUT_CHANGED } from './search-engine.js'
import { parseHit, type RawHit } from './search-hit.js'

const MAX_RECORDS = 30

/** `path`: names of the nested members that lead to the list of records. */
export function jsonHitParser(
  path: readonly string[],
  toRawHit: (record: JsonObject) => RawHit,
): (response: Pick<EngineResponse, 'text'>) => EngineOutcome {
  return ({ text }) => parseRecords(getPath(tryParseJson(text), ...path), toRawHit)
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
