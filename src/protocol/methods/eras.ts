// What each era answers to, by method name.

import { COMPLETION } from './completion.js'
import { LEGACY_LIFECYCLE, MODERN_LIFECYCLE } from './lifecycle.js'
import type { Method } from './method.js'
import { LEGACY_PROMPTS, MODERN_PROMPTS } from './prompts.js'
import { LEGACY_RESOURCES, MODERN_RESOURCES } from './resources.js'
import { LEGACY_SKILLS, MODERN_SKILLS } from './skills.js'
import { TICKETS } from './tickets.js'
import { LEGACY_TOOLS, MODERN_TOOLS } from './tools.js'

export const LEGACY_METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({
    ...LEGACY_LIFECYCLE,
    ...LEGACY_TOOLS,
    ...LEGACY_RESOURCES,
    ...LEGACY_PROMPTS,
    ...COMPLETION,
    ...LEGACY_SKILLS,
  }),
)

export const MODERN_METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({
    ...MODERN_LIFECYCLE,
    ...MODERN_TOOLS,
    ...MODERN_RESOURCES,
    ...MODERN_PROMPTS,
    ...COMPLETION,
    ...TICKETS,
    ...MODERN_SKILLS,
  }),
)

/** The methods in which a modern client may be asked something first. */
export const ASKING_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])
