// JSON with sorted keys: equal values give equal text.

import { isJsonObject } from './json.js'

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (isJsonObject(member) ? sortKeys(member) : member)) ?? 'null'
}

function sortKeys(object: object): object {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
