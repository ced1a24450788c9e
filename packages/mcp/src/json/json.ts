// JSON types and helpers. Values from outside are `unknown` until they are checked. Used everywhere. Pure.

/** A JSON object whose members are unchecked. */
export type JsonObject = { readonly [key: string]: unknown }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// JSON.stringify escapes lone surrogates, and only those, in this form.
const LONE_SURROGATE_ESCAPE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/** Serializes a value with lone surrogates replaced by U+FFFD, because strict parsers reject them. */
export function stringifyWellFormed(value: object): string {
  const text = JSON.stringify(value)
  return text.includes('\\ud') ? text.replace(LONE_SURROGATE_ESCAPE, '$1\ufffd') : text
}
