// Loads skills by name, reading the file anew each time, and serves their files. A skill created a moment ago is found; for
// an unknown name similar ones are suggested. Used by InvokeSkill and by the prompts and resources of skills. Created by
// services.ts of the app. Reads files.

import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { readUntrustedFile } from '../../storage/untrusted-file.js'
import { suggestNames } from '../../text/nearest-names.js'
import { isInsideDirectory } from '../../files/path-containment.js'
import type { ShellService } from '../shell/index.js'
import { loadBuiltInSkill } from './built-in-skills.js'
import {
  decodeManifest,
  isSkillFilePath,
  listSkillFiles,
  type SkillFile,
  type SkillFiles,
  splitManifest,
} from './skill-files.js'
import type { SkillIndex } from './skill-index.js'
import { buildScriptCommand } from './skill-script.js'
import { isSkillName, MANIFEST_FILE, MAX_MANIFEST_BYTES, type Skill, SKILL_NAME_RULE } from './skill.js'

const MAX_FILE_BYTES = 1024 * 1024
/** Limits of hosts that verify skills. */
const MAX_FILES = 512
const MAX_TOTAL_BYTES = 16 * 1024 * 1024
const MAX_SUGGESTIONS = 5
const LIST_MAX_AGE_MS = 500

export interface SkillService {
  /** Rejects with a Failure that lists the available skills. */
  load(name: string): Promise<LoadedSkill>
  /** Content of a skill file; undefined if there is none. */
  readFile(name: string, path: string): Promise<Buffer | undefined>
  /** Its files, up to the limits of listing. */
  listFiles(name: string): Promise<readonly SkillFile[]>
  /** All its files with their hashes; undefined if they exceed the limits. */
  hashFiles(name: string): Promise<readonly HashedFile[] | undefined>
  /** The shell command that runs a script skill. */
  buildCommand(skill: LoadedSkill, args: string): string
  shell(): Promise<ShellService>
  close(): void
}

export interface LoadedSkill extends Skill {
  /** Text without the frontmatter. */
  readonly body: string
  /** Files other than its SKILL.md. */
  readonly files: SkillFiles
}

export interface HashedFile {
  readonly path: string
  readonly size: number
  readonly digest: string
}

export function createSkillService(index: SkillIndex, shell: () => Promise<ShellService>): SkillService {
  async function find(name: string, maxAgeMs = 0): Promise<Skill> {
    await index.refresh(maxAgeMs)
    if (!isSkillName(name)) {
      const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
      throw new Failure(
        `${shown} is not the name of a skill: a name has ${SKILL_NAME_RULE}. ${describeSkillNames(index.skills)}`,
      )
    }
    // The scan that just ended may have begun before the skill was created.
    if (!isIndexed(index, name)) await index.refresh(0)
    const indexed = index.skills.find((skill) => skill.name === name)
    const skill = indexed && indexed.level !== 'built-in' ? indexed : ((await findUnindexed(index, name)) ?? indexed)
    if (!skill) throw new Failure(describeUnknownSkill(name, index))
    return skill
  }

  async function bytesOf(skill: Skill, path: string, maxBytes: number): Promise<Buffer | undefined> {
    if (skill.directory === undefined) {
      const text = path === MANIFEST_FILE ? await loadBuiltInSkill(skill.name) : undefined
      return text === undefined ? undefined : Buffer.from(text)
    }
    const allowedRoot =
      path === MANIFEST_FILE
        ? allowedRootOf(index, skill)
        : await resolveSkillRoot(skill.directory, allowedRootOf(index, skill))
    return readUntrustedFile(join(skill.directory, ...path.split('/')), { maxBytes, inside: allowedRoot })
  }

  async function filesOf(skill: Skill): Promise<SkillFiles> {
    if (skill.directory === undefined) {
      const size = Buffer.byteLength((await loadBuiltInSkill(skill.name)) ?? '')
      return { files: [{ path: MANIFEST_FILE, size }], isComplete: true }
    }
    return listSkillFiles(await resolveSkillRoot(skill.directory, allowedRootOf(index, skill)))
  }

  return {
    shell,
    buildCommand: ({ body, directory = '' }, args) => buildScriptCommand({ body, directory, args }),
    close: () => index.close(),
    async load(name) {
      const skill = await find(name)
      const bytes = await bytesOf(skill, MANIFEST_FILE, MAX_MANIFEST_BYTES).catch((error: unknown) => {
        if (error instanceof Failure)
          throw new Failure(`The skill ${name} cannot be used: its ${MANIFEST_FILE} ${error.message}.`)
        throw error
      })
      const { body } = splitManifest(decodeManifest(bytes ?? Buffer.alloc(0)).text)
      const { files, isComplete } = await filesOf(skill)
      const bundle: SkillFiles = { files: files.filter(({ path }) => path !== MANIFEST_FILE), isComplete }
      return { ...skill, isScript: body.startsWith('#!'), body, files: bundle }
    },
    async readFile(name, path) {
      if (!isSkillFilePath(path)) return undefined
      const skill = await find(name).catch(ignoreFailure)
      if (!skill) return undefined
      try {
        return await bytesOf(skill, path, MAX_FILE_BYTES)
      } catch (error) {
        if (error instanceof Failure && error.message.startsWith('is longer')) {
          throw new Failure(`${join(skill.directory ?? '', path)} ${error.message}; read it with Bash`)
        }
        return ignoreFailure(error)
      }
    },
    async listFiles(name) {
      return (await filesOf(await find(name, LIST_MAX_AGE_MS))).files
    },
    async hashFiles(name) {
      // Called for many skills in a row.
      const skill = await find(name, LIST_MAX_AGE_MS)
      const { files, isComplete } = await filesOf(skill)
      const total = files.reduce((sum, { size }) => sum + size, 0)
      if (!isComplete || files.length > MAX_FILES || total > MAX_TOTAL_BYTES) return undefined
      const hashed: HashedFile[] = []
      for (const { path } of files) {
        const bytes = await bytesOf(skill, path, MAX_FILE_BYTES).catch(ignoreFailure)
        // Too large to be read as a resource: the skill cannot be verified as a whole.
        if (!bytes) return undefined
        hashed.push({
          path,
          size: bytes.length,
          digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
        })
      }
      return hashed
    },
  }
}

function isIndexed({ skills }: SkillIndex, name: string): boolean {
  return skills.some((skill) => skill.name === name)
}

/** Finds a skill beyond the number of names that the index reads. */
async function findUnindexed(index: SkillIndex, name: string): Promise<Skill | undefined> {
  const incompleteDirectories = index.directories.filter(({ excess }) => excess > 0)
  if (incompleteDirectories.length === 0) return undefined
  const { inspectSkill } = await import('./read-skills.js')
  for (const { path, level } of incompleteDirectories) {
    const found = inspectSkill(path, name, index.locations.find((place) => place.level === level)?.allowedRoot)
    if (!('reason' in found)) return { ...found, name, level, directory: join(path, name) }
  }
  return undefined
}

function allowedRootOf({ locations }: SkillIndex, { level }: Skill): string | undefined {
  return locations.find((place) => place.level === level)?.allowedRoot
}

/** Resolved again: the directory may have become a link since it was listed. */
async function resolveSkillRoot(directory: string, allowedRoot: string | undefined): Promise<string> {
  const root = await realpath(directory).catch(() => undefined)
  if (root === undefined) throw new Failure(`${directory} is gone`)
  if (allowedRoot !== undefined && !isInsideDirectory(root, allowedRoot))
    throw new Failure(`${directory} leads out of the project`)
  return root
}

function ignoreFailure(error: unknown): undefined {
  if (error instanceof Failure) return undefined
  throw error
}

function describeUnknownSkill(name: string, { skills, directories: indexed }: SkillIndex): string {
  const skipped = indexed.flatMap(({ entries }) => entries).find((entry) => entry.name === name && 'reason' in entry)
  const reasonText = skipped && 'reason' in skipped ? ` There is a folder of that name, but ${skipped.reason}.` : ''
  const suggestions = suggestNames(
    name,
    skills.map((skill) => skill.name),
    MAX_SUGGESTIONS,
  )
  const suggestionText = suggestions.length > 0 ? ` Nearest: ${suggestions.join(', ')}.` : ''
  return `There is no skill called ${name}.${reasonText}${suggestionText} ${describeSkillNames(skills)}`
}

function describeSkillNames(skills: readonly Skill[]): string {
  const names = skills.slice(0, 20).map(({ name }) => name)
  const more = skills.length > names.length ? `, and ${skills.length - names.length} more` : ''
  return `There ${skills.length === 1 ? 'is' : 'are'} ${skills.length}: ${names.join(', ')}${more}.`
}
