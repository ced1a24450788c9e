// The skills of one server, made ready for the wire: looked up by the address of their SKILL.md, or of a folder in them.

import type { Skill } from '../tools/skill.js'

const MANIFEST = '/SKILL.md'

export interface Shelf {
  readonly skills: readonly Skill[]
  at(uri: string): Skill | undefined
  /** The skill that a folder belongs to, and where in it the folder is; '' is the skill's own. */
  folder(uri: string): { readonly skill: Skill; readonly path: string } | undefined
}

export function createShelf(skills: readonly Skill[]): Shelf {
  const byUri = new Map<string, Skill>()
  const byRoot = new Map<string, Skill>()
  for (const skill of skills) {
    const { name, uri, frontmatter } = skill
    if (!uri.endsWith(`/${name}${MANIFEST}`))
      throw new Error(`the address of skill ${name} must end in /${name}/SKILL.md`)
    if (frontmatter.name !== name) throw new Error(`the frontmatter of skill ${name} must say that name`)
    if (byUri.has(uri)) throw new Error(`${uri} is offered twice`)
    byUri.set(uri, skill)
    byRoot.set(rootOf(skill), skill)
  }
  return {
    skills,
    at: (uri) => byUri.get(uri),
    folder(uri) {
      if (uri.endsWith('/')) return undefined
      // Skills may lie in skills: the innermost has it.
      for (let end = uri.length; end > 0; end = uri.lastIndexOf('/', end - 1)) {
        const skill = byRoot.get(uri.slice(0, end))
        const path = skill && decodePath(uri.slice(end + 1))
        if (skill) return path === undefined ? undefined : { skill, path }
      }
      return undefined
    },
  }
}

/** The address of a file or folder in a skill. */
export function addressIn(skill: Skill, path: string): string {
  return `${rootOf(skill)}/${path.split('/').map(encodeURIComponent).join('/')}`
}

function rootOf({ uri }: Skill): string {
  return uri.slice(0, -MANIFEST.length)
}

function decodePath(text: string): string | undefined {
  try {
    return text.split('/').map(decodeURIComponent).join('/')
  } catch {
    return undefined
  }
}
