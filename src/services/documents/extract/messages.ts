// Type guards of the messages between the main thread and the worker thread.

import { isObject } from '../../../lib/json.js'
import type { Reading, Source } from './extractor.js'

export function isSource(value: unknown): value is Source {
  return isObject(value) && typeof value.url === 'string' && value.bytes instanceof Uint8Array
}

export function isReading(value: unknown): value is Reading {
  return isObject(value) && typeof value.content === 'string' && Array.isArray(value.outline)
}

/** The message of a Failure in the worker; undefined for other errors. */
export function failureIn(value: unknown): string | undefined {
  return isObject(value) && typeof value.failure === 'string' ? value.failure : undefined
}
