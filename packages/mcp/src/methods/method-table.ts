// Finds the handler of a method, in the tables of the legacy and modern protocol, and tells which methods a server
// supports. Methods other than lifecycle and tools are loaded on demand. Used by the sessions. Imports modules; no
// other effect.

import { echo, METHOD_NOT_FOUND, ProtocolError } from '../errors.js'
import type { McpServer } from '../server/mcp-server.js'
import { andThen, loadOnce } from '../promises.js'
import { LEGACY_LIFECYCLE, MODERN_LIFECYCLE } from './lifecycle.js'
import type { MethodHandler, MethodTable } from './method.js'
import type * as optional from './optional-methods.js'
import { LEGACY_TOOLS, MODERN_TOOLS } from './tools.js'

type OptionalMethods = typeof optional

const OPTIONAL_METHODS = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'skills/list',
  'skills/get',
  'resources/directory/read',
]
const MODERN_ONLY_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel']

let optionalMethods: OptionalMethods | undefined

/**
 * Loads the methods other than lifecycle and tools. Called in advance where a delayed first answer would change the
 * order.
 */
export const loadOptionalMethods = loadOnce(async () => (optionalMethods = await import('./optional-methods.js')))

let legacy: MethodTable | undefined
let modern: MethodTable | undefined

/** Returns the handler of a method that the server supports. */
export function findMethod(server: McpServer, name: string, isModern: boolean): MethodHandler {
  // Created on first use, so that importing the library costs nothing.
  const methods = isModern
    ? (modern ??= {
        ...MODERN_LIFECYCLE,
        ...MODERN_TOOLS,
        ...loadOnCall([...OPTIONAL_METHODS, ...MODERN_ONLY_METHODS], (loaded) => loaded.MODERN_OPTIONAL_METHODS),
      })
    : (legacy ??= {
        ...LEGACY_LIFECYCLE,
        ...LEGACY_TOOLS,
        ...loadOnCall(OPTIONAL_METHODS, (loaded) => loaded.LEGACY_OPTIONAL_METHODS),
      })
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (method && isMethodSupported(server, name)) return method
  throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${echo(name, 100)}`)
}

function loadOnCall(names: readonly string[], tableIn: (loaded: OptionalMethods) => MethodTable): MethodTable {
  const createHandler =
    (name: string): MethodHandler =>
    (...args) =>
      andThen(optionalMethods ?? loadOptionalMethods(), (loaded) => {
        const method = tableIn(loaded)[name]
        if (!method) throw new Error(`no handler for ${name}`)
        return method(...args)
      })
  return Object.fromEntries(names.map((name) => [name, createHandler(name)]))
}

/** The methods that may ask a modern client for input. */
export const METHODS_WITH_INPUT_REQUESTS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** Whether the server's definition includes what a method is about; otherwise the method does not exist. */
export function isMethodSupported(server: McpServer, method: string): boolean {
  const { dynamicLists } = server
  if (method === 'resources/directory/read') return server.hasSkills
  switch (method.slice(0, method.indexOf('/'))) {
    case 'tools':
      return server.hasTools
    case 'resources':
      return server.resourceRegistry.hasResources || dynamicLists.resources
    case 'prompts':
      return server.resourceRegistry.hasPrompts || dynamicLists.prompts
    case 'completion':
      return server.resourceRegistry.hasCompletions
    case 'logging':
      return server.logging
    case 'skills':
      return server.hasSkills
    case 'tasks':
      return server.supportsTasks
    default:
      return true
  }
}
