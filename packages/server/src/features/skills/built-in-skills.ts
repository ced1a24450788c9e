// Names and descriptions of the built-in skills, and their whole SKILL.md, whose text is loaded on demand. Used by
// skill-index and skill-service, and by the command line (skills). Reads no skill files.

import type { Skill } from './skill.js'

export const BUILT_IN_SKILLS: readonly Skill[] = [
  defineBuiltInSkill('create-skill', 'Write or improve a skill for work that recurs.', '<what the skill should do>'),
  defineBuiltInSkill(
    'debug-failing-command',
    'Find the cause when a command, test or build fails repeatedly or without a visible reason.',
    '<command>',
  ),
  defineBuiltInSkill(
    'release-notes',
    'Write release notes from the git history for a new version.',
    '<range, such as v1.2.0..HEAD>',
  ),
]

/** The whole SKILL.md; undefined if there is no such skill. */
export async function loadBuiltInSkill(name: string): Promise<string | undefined> {
  const skill = BUILT_IN_SKILLS.find((one) => one.name === name)
  const body = await loadBody(name)
  if (!skill || body === undefined) return undefined
  const fields = Object.entries(skill.frontmatter ?? {}).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
  return `---\n${fields.join('')}---\n\n${body}`
}

async function loadBody(name: string): Promise<string | undefined> {
  switch (name) {
    case 'create-skill':
      return (await import('./built-in-skill-texts.js')).CREATE_SKILL
    case 'debug-failing-command':
      return (await import('./built-in-skill-texts.js')).DEBUG_FAILING_COMMAND
    case 'release-notes':
      return (await import('./built-in-skill-texts.js')).RELEASE_NOTES
    default:
      return undefined
  }
}

function defineBuiltInSkill(name: string, description: string, hint: string): Skill {
  const frontmatter = { name, description, 'argument-hint': hint }
  return { name, description, hint, frontmatter, isScript: false, notes: [], level: 'built-in', directory: undefined }
}
