// Names and descriptions of the built-in skills. Their texts are loaded on demand.

import type { Skill } from '../skill.js'

export const BUILT_INS: readonly Skill[] = [
  builtIn(
    'create-skill',
    'Write or improve a skill. Use it when a way of working should be repeatable.',
    '<what the skill should do>',
  ),
  builtIn(
    'debug-failing-command',
    'Find out why a command, test or build fails. Use it when one fails twice or for no visible reason.',
    '<command>',
  ),
  builtIn(
    'release-notes',
    'Write release notes from the git history. Use it when a version is announced.',
    '<range, such as v1.2.0..HEAD>',
  ),
]

/** The whole SKILL.md; undefined if there is no such skill. */
export async function builtInText(name: string): Promise<string | undefined> {
  const skill = BUILT_INS.find((one) => one.name === name)
  const body = await bodyOf(name)
  if (!skill || body === undefined) return undefined
  const fields = Object.entries(skill.frontmatter ?? {}).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
  return `---\n${fields.join('')}---\n\n${body}`
}

async function bodyOf(name: string): Promise<string | undefined> {
  switch (name) {
    case 'create-skill':
      return (await import('./create-skill.js')).CREATE_SKILL
    case 'debug-failing-command':
      return (await import('./debug-failing-command.js')).DEBUG_FAILING_COMMAND
    case 'release-notes':
      return (await import('./release-notes.js')).RELEASE_NOTES
    default:
      return undefined
  }
}

function builtIn(name: string, description: string, hint: string): Skill {
  const frontmatter = { name, description, 'argument-hint': hint }
  return { name, description, hint, frontmatter, isScript: false, notes: [], level: 'built-in', folder: undefined }
}
