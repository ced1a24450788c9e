// What code that is itself loaded on demand may use of the feature `skills`.

export { readChangedSkills } from './read-skills.js'
