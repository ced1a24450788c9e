// Loads the JSON Schema compilers on demand. Lists do not need them and they are a fifth of the program, so over stdio
// they are loaded after the first answers or by the first call; other servers load them in advance. Most schemas need
// only the smaller compiler. Used by the tool registry and by questions to clients.

import { loadOnce } from '../promises.js'
import type { JsonSchema } from './compile.js'
import type { SchemaValidator } from './validation.js'

export type SchemaCompiler = (schema: JsonSchema | boolean) => SchemaValidator

let simpleCompiler: ((schema: JsonSchema | boolean) => SchemaValidator | undefined) | undefined
let fullCompiler: SchemaCompiler | undefined

/** Compiles a schema, synchronously if the compiler is loaded. */
export function compileOnDemand(schema: JsonSchema | boolean): SchemaValidator | Promise<SchemaValidator> {
  return fullCompiler?.(schema) ?? simpleCompiler?.(schema) ?? loadAndCompile(schema)
}

async function loadAndCompile(schema: JsonSchema | boolean): Promise<SchemaValidator> {
  await loadSimpleCompiler()
  return simpleCompiler?.(schema) ?? (await loadFullCompiler())(schema)
}

/** Loads the compiler for simple schemas. */
export const loadSimpleCompiler = loadOnce(async () => {
  simpleCompiler = (await import('./compile-simple.js')).compileSimpleSchema
})

export const loadFullCompiler = loadOnce(
  async (): Promise<SchemaCompiler> => (fullCompiler = (await import('./compile.js')).compileSchema),
)
