// Declaration of a skill for hosts with the Skills extension: its metadata and the list of its files. The files are
// read as resources. Used by skill-registry.ts, methods/skills.ts and the skills of packages/server. Types, and
// functions that only check types.

import type { JsonObject } from '../json/json.js'
import type { CallContext } from './call-context.js'

interface SkillBase {
  /** The last segment of the skill's path. */
  readonly name: string
  /** The URI of its SKILL.md: `skill://<name>/SKILL.md`, or one that ends like it. */
  readonly uri: string
  /** The frontmatter of SKILL.md as JSON: all fields, including `name` and `description`. */
  readonly frontmatter: JsonObject
}

/** A skill that hosts can list, verify and load. */
export interface SkillDefinition extends SkillBase {
  /** The services that `files` receives. */
  readonly services?: readonly string[]
  /** Lists all files of the skill, including SKILL.md; undefined if their digests cannot be known in advance. */
  files(call: CallContext, services: unknown): Files | Promise<Files>
  /** Lists the directory if it contains more files than `files` vouches for. */
  listFiles?(call: CallContext, services: unknown): Contents | Promise<Contents>
}

type Files = readonly SkillFileEntry[] | undefined
type Contents = readonly Omit<SkillFileEntry, 'digest'>[]

/** One file of a skill, with the digest of its content. */
export interface SkillFileEntry {
  /** Path relative to the skill's directory, separated by `/`. */
  readonly path: string
  /** `sha256:` and the hexadecimal hash of the content. */
  readonly digest: string
  readonly size: number
  readonly mimeType?: string
}

interface TypedDefinition<S, K extends keyof S & string> extends SkillBase {
  readonly services?: readonly K[]
  files(call: CallContext, services: Pick<S, K>): ReturnType<SkillDefinition['files']>
  listFiles?(call: CallContext, services: Pick<S, K>): Contents | Promise<Contents>
}

/** `defineSkill` for skills that use the services `S`. */
export function defineSkillWith<S>() {
  return <const K extends keyof S & string = never>(definition: TypedDefinition<S, K>): SkillDefinition => definition
}

/** Checks the types of a skill. */
export const defineSkill = defineSkillWith<object>()
