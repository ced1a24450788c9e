// The method tables of the legacy and modern protocol. Methods other than lifecycle and tools are loaded on demand.

import { LEGACY_LIFECYCLE, MODERN_LIFECYCLE } from './lifecycle.js'
import type { Method, Methods } from './method.js'
import type * as optional from './offers.js'
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
// One shared promise, so that requests are answered in the order they arrived.
let loading: Promise<OptionalMethods> | undefined

/**
 * Loads the methods other than lifecycle and tools. Called in advance where a delayed first answer would change the
 * order.
 */
export function loadOffers(): Promise<OptionalMethods> {
  loading ??= import('./offers.js').then(
    (loaded) => (optionalMethods = loaded),
    (error: unknown) => {
      // Retried by the next request.
      loading = undefined
      throw error
    },
  )
  return loading
}

let legacy: Methods | undefined
let modern: Methods | undefined

// Created on first use, so that importing the library costs nothing.
export function legacyMethods(): Methods {
  return (legacy ??= {
    ...LEGACY_LIFECYCLE,
    ...LEGACY_TOOLS,
    ...loadOnCall(OPTIONAL_METHODS, (loaded) => loaded.LEGACY_OFFERS),
  })
}

export function modernMethods(): Methods {
  return (modern ??= {
    ...MODERN_LIFECYCLE,
    ...MODERN_TOOLS,
    ...loadOnCall([...OPTIONAL_METHODS, ...MODERN_ONLY_METHODS], (loaded) => loaded.MODERN_OFFERS),
  })
}

function loadOnCall(names: readonly string[], tableIn: (loaded: OptionalMethods) => Methods): Methods {
  const createHandler = (name: string): Method => {
    const callMethod = (loaded: OptionalMethods, ...args: Parameters<Method>): ReturnType<Method> => {
      const method = tableIn(loaded)[name]
      if (!method) throw new Error(`no handler for ${name}`)
      return method(...args)
    }
    return (...args) =>
      optionalMethods
        ? callMethod(optionalMethods, ...args)
        : loadOffers().then((loaded) => callMethod(loaded, ...args))
  }
  return Object.fromEntries(names.map((name) => [name, createHandler(name)]))
}

/** The methods that may ask a modern client for input. */
export const ASKING_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])
