// Formats the skill list for the description of InvokeSkill, within a size limit. If there are many skills, their
// descriptions are shortened first, and then skills are omitted.

import type { Skill } from '../../services/skills/skill.js'
import { count } from './words.js'

const MAX_BYTES = 4096
const LENGTHS = [255, 160, 100, 60]

export function skillListing(skills: readonly Skill[]): string {
  for (const length of LENGTHS) {
    const lines = skills.map((skill) => lineOf(skill, length))
    if (bytesOf(lines) <= MAX_BYTES) return lines.join('\n')
  }
  return shortened(skills)
}

function shortened(skills: readonly Skill[]): string {
  const lines: string[] = []
  let bytes = 0
  for (const skill of skills) {
    const line = lineOf(skill, LENGTHS.at(-1) ?? 0)
    bytes += bytesOf([line])
    if (bytes > MAX_BYTES) break
    lines.push(line)
  }
  const omitted = skills.length - lines.length
  return [
    ...lines,
    `(+${count(omitted)} more ${omitted === 1 ? 'skill' : 'skills'} not listed: call with any name to see the nearest, or run scorpiox-code skills)`,
  ].join('\n')
}

function lineOf({ name, description }: Skill, length: number): string {
  const shortDescription =
    description.length <= length ? description : `${description.slice(0, length - 1).toWellFormed()}…`
  return `- ${name}: ${shortDescription}`
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
}
