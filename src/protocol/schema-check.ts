// The validator of JSON Schema. No list needs it and it is a fifth of the program, so over stdio it is loaded once clients
// have been answered, or by the first call; servers that start at leisure load it beforehand. Most schemas need the
// smaller part of it only.

import type { Check } from '../lib/json-schema/check.js'
import type { JsonSchema } from '../lib/json-schema/compile.js'

export type Compile = (schema: JsonSchema | boolean) => Check

let plain: ((schema: JsonSchema | boolean) => Check | undefined) | undefined
let whole: Compile | undefined

/** The check of one schema: at once when what it needs is there. */
export function checkOf(schema: JsonSchema | boolean): Check | Promise<Check> {
  return whole?.(schema) ?? plain?.(schema) ?? load(schema)
}

async function load(schema: JsonSchema | boolean): Promise<Check> {
  await loadPlain()
  return plain?.(schema) ?? (await loadCompile())(schema)
}

/** What plain schemas need. */
export async function loadPlain(): Promise<void> {
  plain = (await import('../lib/json-schema/plain.js')).compilePlain
}

export async function loadCompile(): Promise<Compile> {
  const { compileSchema } = await import('../lib/json-schema/compile.js')
  return (whole = compileSchema)
}
