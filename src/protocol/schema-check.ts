// The validator of JSON Schema. No list needs it and it is a fifth of the program, so over stdio it is loaded once clients
// have been answered, or by the first call; servers that start at leisure load it beforehand. Most schemas need the
// smaller part of it only.

import type { Check } from '../lib/json-schema/check.js'
import type { JsonSchema } from '../lib/json-schema/compile.js'

export type Compile = (schema: JsonSchema | boolean) => Check

let plain: ((schema: JsonSchema | boolean) => Check | undefined) | undefined
let whole: Compile | undefined
// One promise for all: who begins to wait together goes on together, which engines do not promise of two imports.
let loadingPlain: Promise<void> | undefined
let loadingWhole: Promise<Compile> | undefined

/** The check of one schema: at once when what it needs is there. */
export function checkOf(schema: JsonSchema | boolean): Check | Promise<Check> {
  return whole?.(schema) ?? plain?.(schema) ?? load(schema)
}

async function load(schema: JsonSchema | boolean): Promise<Check> {
  await loadPlain()
  return plain?.(schema) ?? (await loadCompile())(schema)
}

/** What plain schemas need. */
export function loadPlain(): Promise<void> {
  loadingPlain ??= import('../lib/json-schema/plain.js').then(
    ({ compilePlain }) => {
      plain = compilePlain
    },
    (error: unknown) => {
      // What could not be loaded is tried again by the next who needs it.
      loadingPlain = undefined
      throw error
    },
  )
  return loadingPlain
}

export function loadCompile(): Promise<Compile> {
  loadingWhole ??= import('../lib/json-schema/compile.js').then(
    ({ compileSchema }) => (whole = compileSchema),
    (error: unknown) => {
      loadingWhole = undefined
      throw error
    },
  )
  return loadingWhole
}
