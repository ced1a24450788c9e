// An answer in JSON, read as records that each may be a hit. Where the records should be and are not, the answer has
// changed its shape; where they are and there are none, nothing was found.

import { isObject, parseJson, type JsonObject } from '../../lib/json.js'
import type { Answer } from './engine.js'
import { toHit, type Finding } from './hit.js'
import { LAYOUT_CHANGED, type Outcome } from './outcome.js'

const MAX_RECORDS = 30

export function readJson(
  { text }: Pick<Answer, 'text'>,
  recordsOf: (value: unknown) => unknown,
  findingOf: (record: JsonObject) => Finding,
): Outcome {
  return readRecords(recordsOf(parseJson(text)), findingOf)
}

export function readRecords(records: unknown, findingOf: (record: JsonObject) => Finding): Outcome {
  if (!Array.isArray(records)) return LAYOUT_CHANGED
  if (records.length === 0) return { kind: 'empty' }
  const hits = records
    .slice(0, MAX_RECORDS)
    .filter(isObject)
    .flatMap((record) => toHit(findingOf(record)) ?? [])
  return hits.length === 0 ? LAYOUT_CHANGED : { kind: 'ok', hits }
}

/** What lies below a value, name by name. */
export function below(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((within, name) => (isObject(within) ? within[name] : undefined), value)
}

/** The texts of a list, one after the other. */
export function joinedTexts(value: unknown): string {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(' ') : ''
}
