// The methods other than lifecycle and tools. Loaded by the first request for one of them, because most servers only
// have tools.

import { COMPLETION } from './completion.js'
import type { Methods } from './method.js'
import { LEGACY_PROMPTS, MODERN_PROMPTS } from './prompts.js'
import { LEGACY_RESOURCES, MODERN_RESOURCES } from './resources.js'
import { LEGACY_SKILLS, MODERN_SKILLS } from './skills.js'
import { TICKETS } from './tickets.js'

export const LEGACY_OFFERS: Methods = { ...LEGACY_RESOURCES, ...LEGACY_PROMPTS, ...COMPLETION, ...LEGACY_SKILLS }

export const MODERN_OFFERS: Methods = {
  ...MODERN_RESOURCES,
  ...MODERN_PROMPTS,
  ...COMPLETION,
  ...TICKETS,
  ...MODERN_SKILLS,
}
