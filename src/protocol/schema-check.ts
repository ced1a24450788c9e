// The validator of JSON Schema. No list needs it and it is a fifth of the program, so over stdio it is loaded once clients
// have been answered, or by the first call; servers that start at leisure load it beforehand.

import type { Check, JsonSchema } from '../lib/json-schema/compile.js'

export type Compile = (schema: JsonSchema | boolean) => Check

let loaded: Compile | undefined
let loading: Promise<Compile> | undefined

/** The check of one schema: at once when the validator is there. */
export function checkOf(schema: JsonSchema | boolean): Check | Promise<Check> {
  return loaded ? loaded(schema) : loadCompile().then((compile) => compile(schema))
}

/** One promise for all: who begins to wait together goes on together, which engines do not promise of two imports. */
export function loadCompile(): Promise<Compile> {
  return (loading ??= load())
}

async function load(): Promise<Compile> {
  const { compileSchema } = await import('../lib/json-schema/compile.js')
  return (loaded = compileSchema)
}
