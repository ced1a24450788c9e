// What other code may use of the feature `skills`: types, what is needed at the start, and functions that load the
// rest. Imported by tool-list.ts, and by services.ts and the `skills` command of the app. No effects of its own.

export { BUILT_IN_SKILLS } from './built-in-skills.js'
export { invokeSkill } from './invoke-skill-tool.js'
export type { IndexedDirectory, IndexedSkill } from './skill-index-cache.js'
export { listSkillLocations, type SkillLocation } from './skill-locations.js'
export { createDeferredSkills, openSkillRegistrations, type DeferredSkills } from './skill-registrations.js'
export type { SkillService } from './skill-service.js'
export { snapshotDirectories, type DirectorySnapshot } from './snapshot-directories.js'

export const loadSkillService = () => import('./skill-service.js')
