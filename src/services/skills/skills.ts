// Skills as they are used: found by name, read anew each time, their files served. A skill that was made a moment ago is
// found; one that is not there is answered with those that might have been meant.

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
/** What hosts accept of one skill. */
const MAX_FILES = 512
const MAX_ALL_BYTES = 16 * 1024 * 1024
const MAX_NEAR = 5
const LIST_PATIENCE_MS = 500

export interface Skills {
  /** Throws a Failure that says which there are. */
  open(name: string): Promise<OpenSkill>
  /** A file of a skill; undefined where there is none. */
  file(name: string, path: string): Promise<Buffer | undefined>
  /** Its files, as far as they are looked for. */
  files(name: string): Promise<readonly BundledFile[]>
  /** All its files with their hashes; undefined where they are too many. */
  digests(name: string): Promise<readonly DigestedFile[] | undefined>
  /** The command that runs a skill that is a script. */
  command(skill: OpenSkill, args: string): string
  shell(): Promise<Shell>
  close(): void
}

export interface OpenSkill extends Skill {
  /** Its text without the frontmatter. */
  readonly body: string
  /** What lies beside its SKILL.md. */
  readonly bundle: Bundle
}

export interface DigestedFile {
  readonly path: string
  readonly size: number
  readonly digest: string
}

export function createSkills(index: SkillIndex, shell: () => Promise<Shell>): Skills {
  async function find(name: string, patienceMs = 0): Promise<Skill> {
    await index.refresh(patienceMs)
    if (!isSkillName(name)) {
      const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
      throw new Failure(`${shown} is not the name of a skill: a name has ${NAME_RULE}. ${counted(index.skills)}`)
    }
    // The look that was just waited for may have begun before the skill was made.
    if (!isListed(index, name)) await index.refresh(0)
    const known = index.skills.find((skill) => skill.name === name)
    const skill = known && known.level !== 'built-in' ? known : ((await onDisk(index, name)) ?? known)
    if (!skill) throw new Failure(unknown(name, index))
    return skill
  }

  async function bytesOf(skill: Skill, path: string, maxBytes: number): Promise<Buffer | undefined> {
    if (skill.folder === undefined) {
      const text = path === MANIFEST ? await builtInText(skill.name) : undefined
      return text === undefined ? undefined : Buffer.from(text)
    }
    const inside = path === MANIFEST ? insideOf(index, skill) : await rootOf(skill.folder, insideOf(index, skill))
    return readConfined(join(skill.folder, ...path.split('/')), { maxBytes, inside })
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
    command: ({ body, folder = '' }, args) => scriptCommand({ body, folder, args }),
    close: () => index.close(),
    async open(name) {
      const skill = await find(name)
      const bytes = await bytesOf(skill, MANIFEST, MAX_MANIFEST_BYTES).catch((error: unknown) => {
        if (error instanceof Failure)
          throw new Failure(`The skill ${name} cannot be used: its ${MANIFEST} ${error.message}.`)
        throw error
      })
      const { body } = takeApart(decode(bytes ?? Buffer.alloc(0)).text)
      const { files, isWhole } = await filesOf(skill)
      const bundle = { files: files.filter(({ path }) => path !== MANIFEST), isWhole }
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
      // Asked for many skills, one after the other.
      const skill = await find(name, LIST_PATIENCE_MS)
      const { files, isWhole } = await filesOf(skill)
      const total = files.reduce((sum, { size }) => sum + size, 0)
      if (!isWhole || files.length > MAX_FILES || total > MAX_ALL_BYTES) return undefined
      const digested: DigestedFile[] = []
      for (const { path } of files) {
        const bytes = await bytesOf(skill, path, MAX_FILE_BYTES).catch(absent)
        // Too long to be read as a resource: then nobody can vouch for the whole.
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

/** Beyond the names that the index looks at. */
async function onDisk(index: SkillIndex, name: string): Promise<Skill | undefined> {
  const crowded = index.known.filter(({ excess }) => excess > 0)
  if (crowded.length === 0) return undefined
  const { inspect } = await import('./inspect.js')
  for (const { path, level } of crowded) {
    const found = await inspect(path, name, index.places.find((place) => place.level === level)?.inside)
    if (!('reason' in found)) return { ...found, name, level, folder: join(path, name) }
  }
  return undefined
}

function insideOf({ places }: SkillIndex, { level }: Skill): string | undefined {
  return places.find((place) => place.level === level)?.inside
}

/** Looked at anew: the folder may have become a link since it was listed. */
async function rootOf(folder: string, inside: string | undefined): Promise<string> {
  const root = await realpath(folder).catch(() => undefined)
  if (root === undefined) throw new Failure(`${folder} is gone`)
  if (inside !== undefined && !isWithin(root, inside)) throw new Failure(`${folder} leads out of the project`)
  return root
}

function absent(error: unknown): undefined {
  if (error instanceof Failure) return undefined
  throw error
}

function unknown(name: string, { skills, known }: SkillIndex): string {
  const skipped = known.flatMap(({ entries }) => entries).find((entry) => entry.name === name && 'reason' in entry)
  const why = skipped && 'reason' in skipped ? ` There is a folder of that name, but ${skipped.reason}.` : ''
  const near = nearest(
    name,
    skills.map((skill) => skill.name),
    MAX_NEAR,
  )
  const meant = near.length > 0 ? ` Nearest: ${near.join(', ')}.` : ''
  return `There is no skill called ${name}.${why}${meant} ${counted(skills)}`
}

function counted(skills: readonly Skill[]): string {
  const names = skills.slice(0, 20).map(({ name }) => name)
  const more = skills.length > names.length ? `, and ${skills.length - names.length} more` : ''
  return `There ${skills.length === 1 ? 'is' : 'are'} ${skills.length}: ${names.join(', ')}${more}.`
}
