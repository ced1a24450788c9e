// What is known of a skill without reading it again, and what a name of one looks like.

import type { JsonObject } from '../../lib/json.js'
import type { Level } from './places.js'

export const MANIFEST = 'SKILL.md'

/** How long a SKILL.md may be. */
export const MAX_MANIFEST_BYTES = 256 * 1024

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const NAME_RULE = "1 to 64 letters, digits, '.', '_' or '-', the first a letter or a digit"

export function isSkillName(text: string): boolean {
  return NAME.test(text)
}

/** What its SKILL.md says. */
export interface Manifest {
  /** One line. */
  readonly description: string
  readonly hint?: string | undefined
  /** Its text is a program that is run. */
  readonly isScript: boolean
  /** All of its frontmatter; absent where a strict host would read something else, or nothing. */
  readonly frontmatter?: JsonObject | undefined
  /** What its author may want to know. */
  readonly notes: readonly string[]
}

export interface Skill extends Manifest {
  readonly name: string
  readonly level: Level
  /** Its folder; undefined for what is built in. */
  readonly folder: string | undefined
}
