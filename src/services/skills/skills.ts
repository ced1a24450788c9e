// Loads skills by name, reading the file anew each time, and serves their files. A skill created a moment ago is found;
// for an unknown name similar ones are suggested.

import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { isWithin } from '../../lib/is-within.js'
import { readConfined } from '../../platform/confined-file.js'
import type { Shell } from '../shell/shell.js'
import { builtInText } from './built-in/built-ins.js'
import { bundleOf, isBundlePath, type Bundle, type BundledFile } from './bundled-files.js'
import { decode, takeApart } from './manifest-parts.js'
import { nearest } from './nearest.js'
import { scriptCommand } from './script.js'
import { isSkillName, MANIFEST, MAX_MANIFEST_BYTES, NAME_RULE, type Skill } from './skill.js'
import type { SkillIndex } from './skill-index.js'

const MAX_FILE_BYTES = 1024 * 1024
/** Limits of hosts that verify skills. */
const MAX_FILES = 512
const MAX_ALL_BYTES = 16 * 1024 * 1024
const MAX_NEAR = 5
const LIST_PATIENCE_MS = 500

export interface Skills {
  /** Rejects with a Failure that lists the available skills. */
  open(name: string): Promise<OpenSkill>
  /** Content of a skill file; undefined if there is none. */
  file(name: string, path: string): Promise<Buffer | undefined>
  /** Its files, up to the limits of listing. */
  files(name: string): Promise<readonly BundledFile[]>
  /** All its files with their hashes; undefined if they exceed the limits. */
  digests(name: string): Promise<readonly DigestedFile[] | undefined>
  /** The shell command that runs a script skill. */
  command(skill: OpenSkill, args: string): string
  shell(): Promise<Shell>
  close(): void
}

export interface OpenSkill extends Skill {
  /** Text without the frontmatter. */
  readonly body: string
  /** Files other than its SKILL.md. */
  readonly bundle: Bundle
}

export interface DigestedFile {
  readonly path: string
  readonly size: number
  readonly digest: string
}

export function createSkills(index: SkillIndex, shell: () => Promise<Shell>): Skills {
  async function find(name: string, maxAgeMs = 0): Promise<Skill> {
    await index.refresh(maxAgeMs)
    if (!isSkillName(name)) {
      const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
      throw new Failure(`${shown} is not the name of a skill: a name has ${NAME_RULE}. ${counted(index.skills)}`)
    }
    // The scan that just ended may have begun before the skill was created.
    if (!isListed(index, name)) await index.refresh(0)
    const indexed = index.skills.find((skill) => skill.name === name)
    const skill = indexed && indexed.level !== 'built-in' ? indexed : ((await onDisk(index, name)) ?? indexed)
    if (!skill) throw new Failure(unknown(name, index))
    return skill
  }

  async function bytesOf(skill: Skill, path: string, maxBytes: number): Promise<Buffer | undefined> {
    if (skill.folder === undefined) {
      const text = path === MANIFEST ? await builtInText(skill.name) : undefined
      return text === undefined ? undefined : Buffer.from(text)
    }
    const allowedRoot = path === MANIFEST ? insideOf(index, skill) : await rootOf(skill.folder, insideOf(index, skill))
    return readConfined(join(skill.folder, ...path.split('/')), { maxBytes, inside: allowedRoot })
  }

  async function filesOf(skill: Skill): Promise<Bundle> {
    if (skill.folder === undefined) {
      const size = Buffer.byteLength((await builtInText(skill.name)) ?? '')
      return { files: [{ path: MANIFEST, size }], isWhole: true }
    }
    return bundleOf(await rootOf(skill.folder, insideOf(index, skill)))
  }

  return {
    shell,
    command: ({ body, folder: directory = '' }, args) => scriptCommand({ body, folder: directory, args }),
    close: () => index.close(),
    async open(name) {
      const skill = await find(name)
      const bytes = await bytesOf(skill, MANIFEST, MAX_MANIFEST_BYTES).catch((error: unknown) => {
        if (error instanceof Failure)
          throw new Failure(`The skill ${name} cannot be used: its ${MANIFEST} ${error.message}.`)
        throw error
      })
      const { body } = takeApart(decode(bytes ?? Buffer.alloc(0)).text)
      const { files, isWhole: isComplete } = await filesOf(skill)
      const bundle: Bundle = { files: files.filter(({ path }) => path !== MANIFEST), isWhole: isComplete }
      return { ...skill, isScript: body.startsWith('#!'), body, bundle }
    },
    async file(name, path) {
      if (!isBundlePath(path)) return undefined
      const skill = await find(name).catch(absent)
      if (!skill) return undefined
      try {
        return await bytesOf(skill, path, MAX_FILE_BYTES)
      } catch (error) {
        if (error instanceof Failure && error.message.startsWith('is longer')) {
          throw new Failure(`${join(skill.folder ?? '', path)} ${error.message}; read it with Bash`)
        }
        return absent(error)
      }
    },
    async files(name) {
      return (await filesOf(await find(name, LIST_PATIENCE_MS))).files
    },
    async digests(name) {
      // Called for many skills in a row.
      const skill = await find(name, LIST_PATIENCE_MS)
      const { files, isWhole: isComplete } = await filesOf(skill)
      const total = files.reduce((sum, { size }) => sum + size, 0)
      if (!isComplete || files.length > MAX_FILES || total > MAX_ALL_BYTES) return undefined
      const digested: DigestedFile[] = []
      for (const { path } of files) {
        const bytes = await bytesOf(skill, path, MAX_FILE_BYTES).catch(absent)
        // Too large to be read as a resource: the skill cannot be verified as a whole.
        if (!bytes) return undefined
        digested.push({
          path,
          size: bytes.length,
          digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
        })
      }
      return digested
    },
  }
}

function isListed({ skills }: SkillIndex, name: string): boolean {
  return skills.some((skill) => skill.name === name)
}

/** Finds a skill beyond the number of names that the index reads. */
async function onDisk(index: SkillIndex, name: string): Promise<Skill | undefined> {
  const incompleteDirectories = index.known.filter(({ excess }) => excess > 0)
  if (incompleteDirectories.length === 0) return undefined
  const { inspect } = await import('./inspect.js')
  for (const { path, level } of incompleteDirectories) {
    const found = await inspect(path, name, index.places.find((place) => place.level === level)?.inside)
    if (!('reason' in found)) return { ...found, name, level, folder: join(path, name) }
  }
  return undefined
}

function insideOf({ places }: SkillIndex, { level }: Skill): string | undefined {
  return places.find((place) => place.level === level)?.inside
}

/** Resolved again: the directory may have become a link since it was listed. */
async function rootOf(directory: string, allowedRoot: string | undefined): Promise<string> {
  const root = await realpath(directory).catch(() => undefined)
  if (root === undefined) throw new Failure(`${directory} is gone`)
  if (allowedRoot !== undefined && !isWithin(root, allowedRoot))
    throw new Failure(`${directory} leads out of the project`)
  return root
}

function absent(error: unknown): undefined {
  if (error instanceof Failure) return undefined
  throw error
}

function unknown(name: string, { skills, known: indexed }: SkillIndex): string {
  const skipped = indexed.flatMap(({ entries }) => entries).find((entry) => entry.name === name && 'reason' in entry)
  const reasonText = skipped && 'reason' in skipped ? ` There is a folder of that name, but ${skipped.reason}.` : ''
  const suggestions = nearest(
    name,
    skills.map((skill) => skill.name),
    MAX_NEAR,
  )
  const suggestionText = suggestions.length > 0 ? ` Nearest: ${suggestions.join(', ')}.` : ''
  return `There is no skill called ${name}.${reasonText}${suggestionText} ${counted(skills)}`
}

function counted(skills: readonly Skill[]): string {
  const names = skills.slice(0, 20).map(({ name }) => name)
  const more = skills.length > names.length ? `, and ${skills.length - names.length} more` : ''
  return `There ${skills.length === 1 ? 'is' : 'are'} ${skills.length}: ${names.join(', ')}${more}.`
}
