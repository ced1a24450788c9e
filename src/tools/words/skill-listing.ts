// The skills as the description of InvokeSkill lists them: sorted, and never more than a model should have to read at
// each turn. When there are many, the descriptions become shorter before any is left out.

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
  const left = skills.length - lines.length
  return [
    ...lines,
    `(+${count(left)} more ${left === 1 ? 'skill' : 'skills'} not listed: call with any name to see the nearest, or run scorpiox-code skills)`,
  ].join('\n')
}

function lineOf({ name, description }: Skill, length: number): string {
  const cut = description.length <= length ? description : `${description.slice(0, length - 1).toWellFormed()}…`
  return `- ${name}: ${cut}`
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
}
