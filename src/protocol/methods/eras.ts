// What each era answers to, by method name.

import { LEGACY_LIFECYCLE, MODERN_LIFECYCLE } from './lifecycle.js'
import type { Method, Methods } from './method.js'
import { LEGACY_TOOLS, MODERN_TOOLS } from './tools.js'

type Offers = typeof import('./offers.js')

const OFFERS = [
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
const MODERN_ONLY = ['tasks/get', 'tasks/update', 'tasks/cancel']

let offers: Offers | undefined
// One promise for all, so that who asks first is answered first.
let loading: Promise<Offers> | undefined

/** What is answered about everything but tools; beforehand, for whom a first answer that waits is another answer. */
export function loadOffers(): Promise<Offers> {
  loading ??= import('./offers.js').then(
    (loaded) => (offers = loaded),
    (error: unknown) => {
      // Tried again by the next who asks.
      loading = undefined
      throw error
    },
  )
  return loading
}

let legacy: Methods | undefined
let modern: Methods | undefined

// Made on first use: who imports the library for something else takes nothing of it along.
export function legacyMethods(): Methods {
  return (legacy ??= { ...LEGACY_LIFECYCLE, ...LEGACY_TOOLS, ...later(OFFERS, (loaded) => loaded.LEGACY_OFFERS) })
}

export function modernMethods(): Methods {
  return (modern ??= {
    ...MODERN_LIFECYCLE,
    ...MODERN_TOOLS,
    ...later([...OFFERS, ...MODERN_ONLY], (loaded) => loaded.MODERN_OFFERS),
  })
}

function later(names: readonly string[], tableIn: (loaded: Offers) => Methods): Methods {
  const methodOf = (name: string): Method => {
    const work = (loaded: Offers, ...args: Parameters<Method>): ReturnType<Method> => {
      const method = tableIn(loaded)[name]
      if (!method) throw new Error(`no handler for ${name}`)
      return method(...args)
    }
    return (...args) => (offers ? work(offers, ...args) : loadOffers().then((loaded) => work(loaded, ...args)))
  }
  return Object.fromEntries(names.map((name) => [name, methodOf(name)]))
}

/** The methods in which a modern client may be asked something first. */
export const ASKING_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])
