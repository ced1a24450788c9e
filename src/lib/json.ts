// What JSON is, in types. Values that came from outside are `unknown` until one of these has looked at them.

export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
