// Formats a skill for a model: its origin, its text with the arguments substituted, and its files. Also the list of skills
// in the description of InvokeSkill. Used by invoke-skill-tool and skill-registrations. Pure.

import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { formatCount, formatNumber } from '../../text/format.js'
import type { LoadedSkill } from './skill-service.js'
import { MANIFEST_FILE, type Skill } from './skill.js'

const PLACEHOLDER = '$ARGUMENTS'
const MAX_CHARACTERS = 1024 * 1024
const MAX_LISTED_FILES = 100

const LEVEL_LABELS = { project: 'Project Skill', user: 'User Skill', 'built-in': 'Built-in Skill' } as const

export function formatSkillHeader({ name, level, directory }: Skill): string {
  const where =
    directory === undefined
      ? `no file; create .claude/skills/${name}/${MANIFEST_FILE} to override it`
      : `path: ${join(directory, MANIFEST_FILE)}`
  return `[skill: ${name} | ${LEVEL_LABELS[level]} | ${where}]`
}

/** The text of a skill that is not run. */
export function formatSkill(skill: LoadedSkill, args: string): string {
  const parts = [formatSkillHeader(skill), substituteArguments(skill, args).trimEnd(), ...fileListNote(skill)]
  return parts.join('\n')
}

function substituteArguments({ name, body, isScript }: LoadedSkill, args: string): string {
  const placeholders = isScript ? 0 : body.split(PLACEHOLDER).length - 1
  if (body.length + Math.max(placeholders, 1) * args.length > MAX_CHARACTERS) {
    throw new Failure(
      `With these arguments ${name} would be longer than ${formatNumber(MAX_CHARACTERS)} characters: give shorter ones.`,
    )
  }
  if (placeholders > 0) return body.replaceAll(PLACEHOLDER, () => args)
  return args === '' ? body : `${body.trimEnd()}\n\nArguments: ${args}`
}

function fileListNote({ directory, files: { files, isComplete } }: LoadedSkill): readonly string[] {
  if (directory === undefined || files.length === 0) return []
  const listed = files.slice(0, MAX_LISTED_FILES).map(({ path, size }) => `- ${path} (${formatNumber(size)} bytes)`)
  const more = files.length - listed.length
  const rest = more > 0 ? [`- and ${formatNumber(more)} more`] : isComplete ? [] : ['- and more']
  return ['', `Files of this skill, in ${directory}; read them when the text refers to them:`, ...listed, ...rest]
}

const MAX_LIST_BYTES = 4096
const DESCRIPTION_LENGTHS = [255, 160, 100, 60]

/**
 * Formats the skill list for the description of InvokeSkill, within a size limit. If there are many skills, their
 * descriptions are shortened first, and then skills are omitted.
 */
export function formatSkillList(skills: readonly Skill[]): string {
  for (const length of DESCRIPTION_LENGTHS) {
    const lines = skills.map((skill) => skillLine(skill, length))
    if (byteLengthOf(lines) <= MAX_LIST_BYTES) return lines.join('\n')
  }
  return listWithinLimit(skills)
}

function listWithinLimit(skills: readonly Skill[]): string {
  const lines: string[] = []
  let bytes = 0
  for (const skill of skills) {
    const line = skillLine(skill, DESCRIPTION_LENGTHS.at(-1) ?? 0)
    bytes += byteLengthOf([line])
    if (bytes > MAX_LIST_BYTES) break
    lines.push(line)
  }
  const omitted = skills.length - lines.length
  return [
    ...lines,
    `(+${formatCount(omitted, 'more skill', 'more skills')} not listed: call with any name to see the nearest, or run scorpiox-code skills)`,
  ].join('\n')
}

function skillLine({ name, description }: Skill, length: number): string {
  const shortDescription =
    description.length <= length ? description : `${description.slice(0, length - 1).toWellFormed()}…`
  return `- ${name}: ${shortDescription}`
}

function byteLengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
}
