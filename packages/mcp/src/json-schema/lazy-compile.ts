// Loads the JSON Schema compilers on demand. Lists do not need them and they are a fifth of the program, so over stdio
// they are loaded after the first answers or by the first call; other servers load them in advance. Most schemas need
// only the smaller compiler.

import type { JsonSchema } from './compile.js'
import type { SchemaValidator } from './validation.js'

export type SchemaCompiler = (schema: JsonSchema | boolean) => SchemaValidator

let simpleCompiler: ((schema: JsonSchema | boolean) => SchemaValidator | undefined) | undefined
let fullCompiler: SchemaCompiler | undefined
// One shared promise: engines do not guarantee that two imports resolve in the order they were started.
let loadingSimple: Promise<void> | undefined
let loadingFull: Promise<SchemaCompiler> | undefined

/** Compiles a schema, synchronously if the compiler is loaded. */
export function compileOnDemand(schema: JsonSchema | boolean): SchemaValidator | Promise<SchemaValidator> {
  return fullCompiler?.(schema) ?? simpleCompiler?.(schema) ?? loadAndCompile(schema)
}

async function loadAndCompile(schema: JsonSchema | boolean): Promise<SchemaValidator> {
  await loadSimpleCompiler()
  return simpleCompiler?.(schema) ?? (await loadFullCompiler())(schema)
}

/** Loads the compiler for simple schemas. */
export function loadSimpleCompiler(): Promise<void> {
  loadingSimple ??= import('./compile-simple.js').then(
    ({ compileSimpleSchema }) => {
      simpleCompiler = compileSimpleSchema
    },
    (error: unknown) => {
      // A failed load is retried by the next caller.
      loadingSimple = undefined
      throw error
    },
  )
  return loadingSimple
}

export function loadFullCompiler(): Promise<SchemaCompiler> {
  loadingFull ??= import('./compile.js').then(
    ({ compileSchema }) => (fullCompiler = compileSchema),
    (error: unknown) => {
      loadingFull = undefined
      throw error
    },
  )
  return loadingFull
}
