// Loads the JSON Schema compilers on demand. Lists do not need them and they are a fifth of the program, so over stdio
// they are loaded after the first answers or by the first call; other servers load them in advance. Most schemas need
// only the smaller compiler.

import type { Check } from '../lib/json-schema/check.js'
import type { JsonSchema } from '../lib/json-schema/compile.js'

export type Compile = (schema: JsonSchema | boolean) => Check

let simpleCompiler: ((schema: JsonSchema | boolean) => Check | undefined) | undefined
let fullCompiler: Compile | undefined
// One shared promise: engines do not guarantee that two imports resolve in the order they were started.
let loadingSimple: Promise<void> | undefined
let loadingFull: Promise<Compile> | undefined

/** Compiles a schema, synchronously if the compiler is loaded. */
export function checkOf(schema: JsonSchema | boolean): Check | Promise<Check> {
  return fullCompiler?.(schema) ?? simpleCompiler?.(schema) ?? loadAndCompile(schema)
}

async function loadAndCompile(schema: JsonSchema | boolean): Promise<Check> {
  await loadPlain()
  return simpleCompiler?.(schema) ?? (await loadCompile())(schema)
}

/** Loads the compiler for simple schemas. */
export function loadPlain(): Promise<void> {
  loadingSimple ??= import('../lib/json-schema/plain.js').then(
    ({ compilePlain }) => {
      simpleCompiler = compilePlain
    },
    (error: unknown) => {
      // A failed load is retried by the next caller.
      loadingSimple = undefined
      throw error
    },
  )
  return loadingSimple
}

export function loadCompile(): Promise<Compile> {
  loadingFull ??= import('../lib/json-schema/compile.js').then(
    ({ compileSchema }) => (fullCompiler = compileSchema),
    (error: unknown) => {
      loadingFull = undefined
      throw error
    },
  )
  return loadingFull
}
