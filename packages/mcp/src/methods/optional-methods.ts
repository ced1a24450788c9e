// The methods other than lifecycle and tools. Loaded by method-table.ts with the first request for one of them, because
// most servers only have tools. Tables only.

import { COMPLETION_METHODS } from './completion.js'
import type { MethodTable } from './method.js'
import { LEGACY_PROMPTS, MODERN_PROMPTS } from './prompts.js'
import { LEGACY_RESOURCES, MODERN_RESOURCES } from './resources.js'
import { LEGACY_SKILLS, MODERN_SKILLS } from './skills.js'
import { TASK_METHODS } from './tasks.js'

export const LEGACY_OPTIONAL_METHODS: MethodTable = {
  ...LEGACY_RESOURCES,
  ...LEGACY_PROMPTS,
  ...COMPLETION_METHODS,
  ...LEGACY_SKILLS,
}

export const MODERN_OPTIONAL_METHODS: MethodTable = {
  ...MODERN_RESOURCES,
  ...MODERN_PROMPTS,
  ...COMPLETION_METHODS,
  ...TASK_METHODS,
  ...MODERN_SKILLS,
}
