// Parses a JSON response into hits. If the list of records is missing, the format has changed; if it is empty, nothing
// was found.

import { isObject, parseJson, type JsonObject } from '../../lib/json.js'
import type { Answer } from './engine.js'
import { toHit, type Finding } from './hit.js'
import { LAYOUT_CHANGED, type Outcome } from './outcome.js'

const MAX_RECORDS = 30

export function readJson(
  { text }: Pick<Answer, 'text'>,
  recordsOf: (value: unknown) => unknown,
  toRawHit: (record: JsonObject) => Finding,
): Outcome {
  return readRecords(recordsOf(parseJson(text)), toRawHit)
}

export function readRecords(records: unknown, toRawHit: (record: JsonObject) => Finding): Outcome {
  if (!Array.isArray(records)) return LAYOUT_CHANGED
  if (records.length === 0) return { kind: 'empty' }
  const hits = records
    .slice(0, MAX_RECORDS)
    .filter(isObject)
    .flatMap((record) => toHit(toRawHit(record)) ?? [])
  return hits.length === 0 ? LAYOUT_CHANGED : { kind: 'ok', hits }
}

/** The nested member with these names; undefined if there is none. */
export function below(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((parent, name) => (isObject(parent) ? parent[name] : undefined), value)
}

/** Joins the strings of an array with spaces. */
export function joinedTexts(value: unknown): string {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(' ') : ''
}
