// What goes between the thread that reads pages and whoever asks it. Both ends are ours; this says what they may rely on.

import { isObject } from '../../../lib/json.js'
import type { Reading, Source } from './extractor.js'

export function isSource(value: unknown): value is Source {
  return isObject(value) && typeof value.url === 'string' && value.bytes instanceof Uint8Array
}

export function isReading(value: unknown): value is Reading {
  return isObject(value) && typeof value.content === 'string' && isObject(value.evidence)
}

/** What the thread says in place of a reading, to the model. */
export function failureIn(value: unknown): string | undefined {
  return isObject(value) && typeof value.failure === 'string' ? value.failure : undefined
}
