// Skill files as resources, byte for byte, and skills as definitions for hosts that support the Skills extension.

import { Failure } from '../lib/failure.js'
import { MANIFEST, type Skill } from '../services/skills/skill.js'
import type { Skills } from '../services/skills/skills.js'
import { resourcesOver, templatesOver, type Resource, type ResourcePart } from './resource.js'
import { skillsOver, type Skill as HostedSkill } from './skill.js'

/** MIME types by file name extension. Other files are plain text or binary. */
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  sh: 'application/x-sh',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  ts: 'text/x-typescript',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

export function skillResource({ name, description, frontmatter }: Skill): Resource {
  const uri = uriOf(name, MANIFEST)
  const fullDescription = typeof frontmatter?.description === 'string' ? frontmatter.description : description
  return resourcesOver<{ skills: Skills }>()({
    uri,
    name,
    description: fullDescription,
    mimeType: 'text/markdown',
    needs: ['skills'],
    async read(_call, { skills }) {
      const bytes = await skills.file(name, MANIFEST)
      if (!bytes) throw new Failure(`The skill ${name} no longer exists.`)
      return [partOf(uri, MANIFEST, bytes)]
    },
  })
}

export const skillFiles = templatesOver<{ skills: Skills }>()({
  uriTemplate: 'skill://{name}/{+path}',
  name: 'files of skills',
  description: 'A file of a skill: its SKILL.md, or one that lies beside it.',
  needs: ['skills'],
  async read({ name = '', path = '' }, _call, { skills }) {
    const bytes = await skills.file(name, path)
    return bytes && [partOf(uriOf(name, path), path, bytes)]
  },
})

/** Undefined if a strict host might read its frontmatter differently. */
export function hostedSkill({ name, frontmatter }: Skill): HostedSkill | undefined {
  if (frontmatter === undefined) return undefined
  return skillsOver<{ skills: Skills }>()({
    name,
    uri: uriOf(name, MANIFEST),
    frontmatter,
    needs: ['skills'],
    async files(_call, { skills }) {
      const files = await skills.digests(name)
      return files?.map(withType)
    },
    async contents(_call, { skills }) {
      const files = await skills.files(name)
      return files.map(withType)
    },
  })
}

function withType<T extends { readonly path: string }>(file: T): T & { readonly mimeType?: string } {
  const mimeType = typeOf(file.path)
  return mimeType === undefined ? file : { ...file, mimeType }
}

function partOf(uri: string, path: string, bytes: Buffer): ResourcePart {
  const text = textOf(bytes)
  const mimeType = typeOf(path)
  if (text === undefined)
    return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: bytes.toString('base64') }
  return { uri, mimeType: mimeType ?? 'text/plain', text }
}

function textOf(bytes: Buffer): string | undefined {
  try {
    // Keeps a byte order mark, because hosts hash the text.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function typeOf(path: string): string | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined
}

function uriOf(name: string, path: string): string {
  return `skill://${name}/${path.split('/').map(encodeURIComponent).join('/')}`
}
