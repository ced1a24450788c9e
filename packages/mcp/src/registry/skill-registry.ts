// The skills of one server, found by the URI of their SKILL.md or of a directory in them. Created by mcp-server.ts. In
// memory only.

import type { SkillDefinition } from '../definitions/skill.js'

const MANIFEST_SUFFIX = '/SKILL.md'

export interface SkillRegistry {
  readonly skills: readonly SkillDefinition[]
  findByUri(uri: string): SkillDefinition | undefined
  /** Finds the skill that contains a directory, and the directory's path in it; '' is the skill's own directory. */
  findFolder(uri: string): { readonly skill: SkillDefinition; readonly path: string } | undefined
}

export function createSkillRegistry(skills: readonly SkillDefinition[]): SkillRegistry {
  const byUri = new Map<string, SkillDefinition>()
  const byDirectory = new Map<string, SkillDefinition>()
  for (const skill of skills) {
    const { name, uri, frontmatter } = skill
    if (!uri.endsWith(`/${name}${MANIFEST_SUFFIX}`))
      throw new Error(`the address of skill ${name} must end in /${name}/SKILL.md`)
    if (frontmatter.name !== name) throw new Error(`the frontmatter of skill ${name} must say that name`)
    if (byUri.has(uri)) throw new Error(`${uri} is registered twice`)
    byUri.set(uri, skill)
    byDirectory.set(directoryUri(skill), skill)
  }
  return {
    skills,
    findByUri: (uri) => byUri.get(uri),
    findFolder(uri) {
      if (uri.endsWith('/')) return undefined
      // Skills may be nested: the innermost one is returned.
      for (let end = uri.length; end > 0; end = uri.lastIndexOf('/', end - 1)) {
        const skill = byDirectory.get(uri.slice(0, end))
        const path = skill && decodePath(uri.slice(end + 1))
        if (skill) return path === undefined ? undefined : { skill, path }
      }
      return undefined
    },
  }
}

/** The URI of a file or directory in a skill. */
export function skillFileUri(skill: SkillDefinition, path: string): string {
  return `${directoryUri(skill)}/${path.split('/').map(encodeURIComponent).join('/')}`
}

function directoryUri({ uri }: SkillDefinition): string {
  return uri.slice(0, -MANIFEST_SUFFIX.length)
}

function decodePath(text: string): string | undefined {
  try {
    return text.split('/').map(decodeURIComponent).join('/')
  } catch {
    return undefined
  }
}
