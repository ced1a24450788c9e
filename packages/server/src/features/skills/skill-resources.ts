// Skill files as resources, byte for byte, and skills as definitions for hosts that support the Skills extension. Used by
// skill-registrations. No I/O of its own: files are read by the skill service.

import {
  defineResourceWith,
  defineTemplateWith,
  type ResourceDefinition,
  type ResourcePart,
} from '@scorpiox/mcp/definitions/resource'
import { defineSkillWith, type SkillDefinition as HostedSkill } from '@scorpiox/mcp/definitions/skill'
import { Failure } from '@scorpiox/mcp/errors'
import type { SkillService } from './skill-service.js'
import { MANIFEST_FILE, type Skill } from './skill.js'

/** MIME types by file name extension. Other files are plain text or binary. */
const MIME_TYPES: Readonly<Record<string, string>> = {
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

export function toResourceDefinition({ name, description, frontmatter }: Skill): ResourceDefinition {
  const uri = skillFileUri(name, MANIFEST_FILE)
  const fullDescription = typeof frontmatter?.description === 'string' ? frontmatter.description : description
  return defineResourceWith<{ skills: SkillService }>()({
    uri,
    name,
    description: fullDescription,
    mimeType: 'text/markdown',
    services: ['skills'],
    async read(_call, { skills }) {
      const bytes = await skills.readFile(name, MANIFEST_FILE)
      if (!bytes) throw new Failure(`The skill ${name} no longer exists.`)
      return [toResourcePart(uri, MANIFEST_FILE, bytes)]
    },
  })
}

export const skillFileTemplate = defineTemplateWith<{ skills: SkillService }>()({
  uriTemplate: 'skill://{name}/{+path}',
  name: 'files of skills',
  description: 'A file of a skill: SKILL.md or another file in its folder.',
  services: ['skills'],
  async read({ name = '', path = '' }, _call, { skills }) {
    const bytes = await skills.readFile(name, path)
    return bytes && [toResourcePart(skillFileUri(name, path), path, bytes)]
  },
})

/** Undefined if a strict host might read its frontmatter differently. */
export function toSkillDefinition({ name, frontmatter }: Skill): HostedSkill | undefined {
  if (frontmatter === undefined) return undefined
  return defineSkillWith<{ skills: SkillService }>()({
    name,
    uri: skillFileUri(name, MANIFEST_FILE),
    frontmatter,
    services: ['skills'],
    async files(_call, { skills }) {
      const files = await skills.hashFiles(name)
      return files?.map(withMimeType)
    },
    async listFiles(_call, { skills }) {
      const files = await skills.listFiles(name)
      return files.map(withMimeType)
    },
  })
}

function withMimeType<T extends { readonly path: string }>(file: T): T & { readonly mimeType?: string } {
  const mimeType = mimeTypeOf(file.path)
  return mimeType === undefined ? file : { ...file, mimeType }
}

function toResourcePart(uri: string, path: string, bytes: Buffer): ResourcePart {
  const text = decodeText(bytes)
  const mimeType = mimeTypeOf(path)
  if (text === undefined)
    return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: bytes.toString('base64') }
  return { uri, mimeType: mimeType ?? 'text/plain', text }
}

function decodeText(bytes: Buffer): string | undefined {
  try {
    // Keeps a byte order mark, because hosts hash the text.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function mimeTypeOf(path: string): string | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(MIME_TYPES, extension) ? MIME_TYPES[extension] : undefined
}

function skillFileUri(name: string, path: string): string {
  return `skill://${name}/${path.split('/').map(encodeURIComponent).join('/')}`
}
