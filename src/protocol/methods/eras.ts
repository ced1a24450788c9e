// What each era answers to, by method name.

import { COMPLETION } from './completion.js'
import { LEGACY_LIFECYCLE, MODERN_LIFECYCLE } from './lifecycle.js'
import type { Method } from './method.js'
import { LEGACY_PROMPTS, MODERN_PROMPTS } from './prompts.js'
import { LEGACY_RESOURCES, MODERN_RESOURCES } from './resources.js'
import { TICKETS } from './tickets.js'
import { LEGACY_TOOLS, MODERN_TOOLS } from './tools.js'

export const LEGACY_METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...LEGACY_LIFECYCLE, ...LEGACY_TOOLS, ...LEGACY_RESOURCES, ...LEGACY_PROMPTS, ...COMPLETION }),
)

export const MODERN_METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({
    ...MODERN_LIFECYCLE,
    ...MODERN_TOOLS,
    ...MODERN_RESOURCES,
    ...MODERN_PROMPTS,
    ...COMPLETION,
    ...TICKETS,
  }),
)

/** The methods in which a modern client may be asked something first. */
export const ASKING_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])
