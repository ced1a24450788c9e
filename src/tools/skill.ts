// A skill that hosts can list, verify and load: what it says about itself, and which files it has. The files themselves
// are read as resources.

import type { JsonObject } from '../lib/json.js'
import type { Call } from './call.js'

interface SkillBase {
  /** The last part of its path. */
  readonly name: string
  /** The address of its SKILL.md: `skill://<name>/SKILL.md`, or one that ends like it. */
  readonly uri: string
  /** What its SKILL.md says at the beginning, as JSON: every field, `name` and `description` among them. */
  readonly frontmatter: JsonObject
}

/** A skill that hosts can list, verify and load. */
export interface Skill extends SkillBase {
  /** The services `files` receives. */
  readonly needs?: readonly string[]
  /** Every file of the skill, SKILL.md among them; undefined where nobody can vouch for them beforehand. */
  files(call: Call, services: unknown): Files | Promise<Files>
  /** What a directory read shows, where that is more than `files` vouches for. */
  contents?(call: Call, services: unknown): Contents | Promise<Contents>
}

type Files = readonly SkillFile[] | undefined
type Contents = readonly Omit<SkillFile, 'digest'>[]

/** One file of a skill, and what its bytes must be. */
export interface SkillFile {
  /** Seen from the skill's folder, with `/` between its parts. */
  readonly path: string
  /** `sha256:` and the hash of its bytes, in hexadecimal. */
  readonly digest: string
  readonly size: number
  readonly mimeType?: string
}

interface TypedDefinition<S, K extends keyof S & string> extends SkillBase {
  readonly needs?: readonly K[]
  files(call: Call, services: Pick<S, K>): ReturnType<Skill['files']>
  contents?(call: Call, services: Pick<S, K>): Contents | Promise<Contents>
}

/** `defineSkill` for skills over the services `S`. */
export function skillsOver<S>() {
  return <const K extends keyof S & string = never>(definition: TypedDefinition<S, K>): Skill => definition
}

/** Checks the types of a skill: where it is, what it says of itself, which files it has. */
export const defineSkill = skillsOver<object>()
