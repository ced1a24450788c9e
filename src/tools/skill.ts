// Declaration of a skill for hosts with the Skills extension: its metadata and the list of its files. The files are
// read as resources.

import type { JsonObject } from '../lib/json.js'
import type { Call } from './call.js'

interface SkillBase {
  /** The last segment of the skill's path. */
  readonly name: string
  /** The URI of its SKILL.md: `skill://<name>/SKILL.md`, or one that ends like it. */
  readonly uri: string
  /** The frontmatter of SKILL.md as JSON: all fields, including `name` and `description`. */
  readonly frontmatter: JsonObject
}

/** A skill that hosts can list, verify and load. */
export interface Skill extends SkillBase {
  /** The services that `files` receives. */
  readonly needs?: readonly string[]
  /** Lists all files of the skill, including SKILL.md; undefined if their digests cannot be known in advance. */
  files(call: Call, services: unknown): Files | Promise<Files>
  /** Lists the directory if it contains more files than `files` vouches for. */
  contents?(call: Call, services: unknown): Contents | Promise<Contents>
}

type Files = readonly SkillFile[] | undefined
type Contents = readonly Omit<SkillFile, 'digest'>[]

/** One file of a skill, with the digest of its content. */
export interface SkillFile {
  /** Path relative to the skill's directory, separated by `/`. */
  readonly path: string
  /** `sha256:` and the hexadecimal hash of the content. */
  readonly digest: string
  readonly size: number
  readonly mimeType?: string
}

interface TypedDefinition<S, K extends keyof S & string> extends SkillBase {
  readonly needs?: readonly K[]
  files(call: Call, services: Pick<S, K>): ReturnType<Skill['files']>
  contents?(call: Call, services: Pick<S, K>): Contents | Promise<Contents>
}

/** `defineSkill` for skills that use the services `S`. */
export function skillsOver<S>() {
  return <const K extends keyof S & string = never>(definition: TypedDefinition<S, K>): Skill => definition
}

/** Checks the types of a skill. */
export const defineSkill = skillsOver<object>()
