// What JSON is, in types. Values that came from outside are `unknown` until one of these has looked at them.

/** An object out of JSON, whose members nobody has looked at yet. */
export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Half a character is printed as an escape, and only that is printed as such an escape.
const HALF = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/** JSON text that strict readers take: they refuse half a character. */
export function printJson(value: object): string {
  const text = JSON.stringify(value)
  return text.includes('\\ud') ? text.replace(HALF, '$1\ufffd') : text
}
