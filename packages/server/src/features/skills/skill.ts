// The indexed data of a skill, and the rule for skill names. Used by the files of this feature. Pure.

import type { JsonObject } from '@scorpiox/mcp/json/json'
import type { SkillLevel } from './skill-locations.js'

export const MANIFEST_FILE = 'SKILL.md'

/** Maximum size of a SKILL.md. */
export const MAX_MANIFEST_BYTES = 256 * 1024

const SKILL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const SKILL_NAME_RULE = "1 to 64 letters, digits, '.', '_' or '-', the first a letter or a digit"

export function isSkillName(text: string): boolean {
  return SKILL_NAME.test(text)
}

/** Data of a SKILL.md. Part of the cached index: its member names are the file format. */
export interface SkillManifest {
  /** One line. */
  readonly description: string
  readonly hint?: string | undefined
  /** Its body is a script that is run. */
  readonly isScript: boolean
  /** The whole frontmatter; undefined if a strict host would read it differently. */
  readonly frontmatter?: JsonObject | undefined
  /** Warnings for its author. */
  readonly notes: readonly string[]
}

export interface Skill extends SkillManifest {
  readonly name: string
  readonly level: SkillLevel
  /** Undefined for built-in skills. */
  readonly directory: string | undefined
}
