// What code that is itself loaded on demand may use of the feature `skills`. Imported by the `skills` command
// (skills-command). Re-exports only.

export { readChangedSkills } from './read-skills.js'
