// The validator of JSON Schema, loaded by the first call that needs it: no list does, and it is a fifth of the program.

import type { Check, JsonSchema } from '../lib/json-schema/compile.js'

export type Compile = (schema: JsonSchema | boolean) => Check

let loaded: Compile | undefined

/** The check of one schema: at once when the validator is there, from the second call on. */
export function checkOf(schema: JsonSchema | boolean): Check | Promise<Check> {
  return loaded ? loaded(schema) : loadCompile().then((compile) => compile(schema))
}

export async function loadCompile(): Promise<Compile> {
  const { compileSchema } = await import('../lib/json-schema/compile.js')
  return (loaded = compileSchema)
}
