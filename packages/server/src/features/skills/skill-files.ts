// The files of a skill: its SKILL.md, decoded and split, and the list of the others: regular files, up to a depth limit,
// and no links that lead outside. Only listed files can be read as resources. Used by read-skills and skill-service. Lists
// directories; reads no file contents.

import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { readByteOrderMark } from '../../text/utf16.js'
import { isInsideDirectory } from '../../files/path-containment.js'

const MAX_DEPTH = 6
/** Maximum number of entries inspected. */
const MAX_ENTRIES = 5000
/** Files of version control, package managers and caches are not part of a skill. */
const IGNORED_NAMES: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.DS_Store'])

export interface SkillFile {
  /** Relative to the skill directory, separated by `/`. */
  readonly path: string
  readonly size: number
}

export interface SkillFiles {
  /** Sorted by path. */
  readonly files: readonly SkillFile[]
  /** False if a limit was reached. */
  readonly isComplete: boolean
}

/** `root` must be a real path. Empty if it no longer exists. */
export async function listSkillFiles(root: string): Promise<SkillFiles> {
  const files: SkillFile[] = []
  let remaining = MAX_ENTRIES
  let isComplete = true

  async function visit(path: string, depth: number): Promise<void> {
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (!isAllowedName(entry.name)) continue
      if (--remaining < 0 || depth > MAX_DEPTH) return void (isComplete = false)
      const childPath = path === '' ? entry.name : `${path}/${entry.name}`
      // A linked directory could be a parent of itself; only links to files are followed.
      if (entry.isDirectory()) await visit(childPath, depth + 1)
      else if (entry.isFile() || entry.isSymbolicLink()) {
        const size = await fileSizeInside(root, join(root, childPath))
        if (size !== undefined) files.push({ path: childPath, size })
      }
    }
  }

  await visit('', 1)
  return { files: files.sort((one, other) => (one.path < other.path ? -1 : 1)), isComplete }
}

/** Whether a path can be one of a listed file. */
export function isSkillFilePath(path: string): boolean {
  const parts = path.split('/')
  return parts.length <= MAX_DEPTH && parts.every((part) => isAllowedName(part))
}

function isAllowedName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[\\\0]/.test(name) && !IGNORED_NAMES.has(name)
}

async function fileSizeInside(root: string, path: string): Promise<number | undefined> {
  try {
    const target = await realpath(path)
    const stats = isInsideDirectory(target, root) ? await stat(target) : undefined
    return stats?.isFile() ? stats.size : undefined
  } catch {
    return undefined
  }
}

interface ManifestParts {
  /** Without the `---` lines; undefined if there is none. */
  readonly frontmatter: string | undefined
  /** Without leading blank lines. */
  readonly body: string
}

interface DecodedManifest {
  readonly text: string
  /** False if it was decoded as UTF-16 or Windows-1252. */
  readonly isUtf8: boolean
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

export function decodeManifest(bytes: Uint8Array): DecodedManifest {
  try {
    return { text: UTF_8.decode(bytes), isUtf8: true }
  } catch {
    return { text: new TextDecoder(readByteOrderMark(bytes) ?? 'windows-1252').decode(bytes), isUtf8: false }
  }
}

export function splitManifest(text: string): ManifestParts {
  const range = findFrontmatter(text)
  if (!range) return { frontmatter: undefined, body: text }
  const body = toLineFeeds(text.slice(range.bodyStart))
  return { frontmatter: range.frontmatter, body: body.replace(/^(?:[ \t]*\n)+/, '') }
}

interface ManifestHead {
  readonly frontmatter: string | undefined
  /** Whether the body is a script. */
  readonly isScript: boolean
}

/** What a list needs, without a copy of the body. */
export function readManifestHead(text: string): ManifestHead {
  const { frontmatter, bodyStart } = findFrontmatter(text) ?? { frontmatter: undefined, bodyStart: 0 }
  const script = frontmatter === undefined ? /#!/y : /(?:[ \t]*(?:\r\n|\r(?!\n)|\n))*#!/y
  script.lastIndex = bodyStart
  return { frontmatter, isScript: script.test(text) }
}

/** Frontmatter begins with the first line, and ends with a line of --- or of three dots. */
function findFrontmatter(text: string): { readonly frontmatter: string; readonly bodyStart: number } | undefined {
  const [opening] = /^---[^\S\r\n]*(?:\r\n?|\n)/.exec(text) ?? []
  if (opening === undefined) return undefined
  const lineEnd = /\r\n?|\n|$/g
  for (let start = opening.length; start <= text.length; start = lineEnd.lastIndex) {
    lineEnd.lastIndex = start
    const end = lineEnd.exec(text)?.index ?? text.length
    if (/^(?:---|\.\.\.)\s*$/.test(text.slice(start, end))) {
      const frontmatter = toLineFeeds(text.slice(opening.length, start))
      return { frontmatter: frontmatter.replace(/\n$/, ''), bodyStart: lineEnd.lastIndex }
    }
    if (end === text.length) return undefined
  }
  return undefined
}

function toLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}
