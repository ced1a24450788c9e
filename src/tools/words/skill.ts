// Formats a skill: its origin, its text with the arguments substituted, and its files.

import { join } from 'node:path'

import { Failure } from '../../lib/failure.js'
import type { OpenSkill } from '../../services/skills/skills.js'
import { MANIFEST, type Skill } from '../../services/skills/skill.js'
import { count } from './words.js'

const PLACEHOLDER = '$ARGUMENTS'
const MAX_CHARACTERS = 1024 * 1024
const MAX_LISTED = 100

const LABELS = { project: 'Project Skill', user: 'User Skill', 'built-in': 'Built-in Skill' } as const

export function skillHeader({ name, level, folder }: Skill): string {
  const where =
    folder === undefined
      ? `no file; create .claude/skills/${name}/${MANIFEST} to override it`
      : `path: ${join(folder, MANIFEST)}`
  return `[skill: ${name} | ${LABELS[level]} | ${where}]`
}

/** The text of a skill that is not run. */
export function skillText(skill: OpenSkill, args: string): string {
  const parts = [skillHeader(skill), filledIn(skill, args).trimEnd(), ...bundleNote(skill)]
  return parts.join('\n')
}

function filledIn({ name, body, isScript }: OpenSkill, args: string): string {
  const placeholders = isScript ? 0 : body.split(PLACEHOLDER).length - 1
  if (body.length + Math.max(placeholders, 1) * args.length > MAX_CHARACTERS) {
    throw new Failure(
      `With these arguments ${name} would be longer than ${count(MAX_CHARACTERS)} characters: give shorter ones.`,
    )
  }
  if (placeholders > 0) return body.replaceAll(PLACEHOLDER, () => args)
  return args === '' ? body : `${body.trimEnd()}\n\nArguments: ${args}`
}

function bundleNote({ folder, bundle: { files, isWhole } }: OpenSkill): readonly string[] {
  if (folder === undefined || files.length === 0) return []
  const listed = files.slice(0, MAX_LISTED).map(({ path, size }) => `- ${path} (${count(size)} bytes)`)
  const more = files.length - listed.length
  const rest = more > 0 ? [`- and ${count(more)} more`] : isWhole ? [] : ['- and more']
  return ['', `Files of this skill, in ${folder}; read them when the text refers to them:`, ...listed, ...rest]
}
