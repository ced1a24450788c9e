// JSON with its keys in order: two values that mean the same have the same text, however a client printed them.

import { isObject } from './json.js'

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (isObject(member) ? sorted(member) : member)) ?? 'null'
}

function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
