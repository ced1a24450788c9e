// Reads the SKILL.md files that changed since an earlier reading, which is given, and reuses the results of the others
// (readChangedSkills, in slices); inspectSkill reads a single one. An entry that is not a skill gets the reason instead.
// Loaded on demand by skill-index and skill-service, and used by the command line (skills). Reads files only,
// synchronously: of thousands of small ones each asynchronous operation would cost more than the reading.

import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { readUntrustedFileSync } from '../../storage/untrusted-file.js'
import { toSingleLine } from '../../text/format.js'
import { removeInvisible } from '../../text/untrusted-text.js'
import { isInsideDirectory } from '../../files/path-containment.js'
import type { SlicedWork } from '../../async/sliced-work.js'
import { parseFrontmatter } from './frontmatter.js'
import { decodeManifest, readManifestHead } from './skill-files.js'
import type { IndexedDirectory, IndexedSkill } from './skill-index-cache.js'
import { isSkillName, MANIFEST_FILE, MAX_MANIFEST_BYTES, SKILL_NAME_RULE, type SkillManifest } from './skill.js'
import type { DirectorySnapshot } from './snapshot-directories.js'

export function* readChangedSkills(
  snapshots: readonly DirectorySnapshot[],
  previous: readonly IndexedDirectory[],
): SlicedWork<readonly IndexedDirectory[]> {
  const directories: IndexedDirectory[] = []
  for (const { location, directory, mark, entries, excess } of snapshots) {
    const knownEntries = new Map(
      previous
        .filter(({ path, level }) => path === directory.path && level === location.level)
        .flatMap((one) => one.entries.map((entry): [string, IndexedSkill] => [entry.name, entry])),
    )
    const entriesNow: IndexedSkill[] = []
    for (const { name, mark: currentMark } of entries) {
      const known = knownEntries.get(name)
      const isSame = known?.mark === currentMark
      entriesNow.push(
        isSame ? known : { name, mark: currentMark, ...inspectSkill(directory.path, name, location.allowedRoot) },
      )
      yield
    }
    directories.push({ path: directory.path, level: location.level, mark, entries: entriesNow, excess })
  }
  return directories
}

const MAX_DESCRIPTION = 1024
const MAX_HINT = 100
const MAX_PROBLEM = 300
const MAX_FRONTMATTER = 16 * 1024

/** The names that hosts which verify skills accept. */
const STRICT_NAME = /^(?!.*--)[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/

/** A skill, or the reason why it is not one. */
export type InspectSkillResult = SkillManifest | { readonly reason: string }

/**
 * Inspects one entry of a skill directory: the skill, or the reason why it is not one. Only a missing description or an
 * unreadable or forbidden file disqualifies it; other problems are warnings.
 */
export function inspectSkill(directory: string, name: string, allowedRoot: string | undefined): InspectSkillResult {
  try {
    if (name.startsWith('.')) throw new Failure('its name is hidden')
    checkSkillDirectory(join(directory, name), allowedRoot)
    if (!isSkillName(name)) throw new Failure(`its name must be ${SKILL_NAME_RULE}`)
    return parseManifest(readManifest(join(directory, name), allowedRoot), name)
  } catch (error) {
    if (error instanceof Failure) return { reason: error.message }
    return { reason: `it cannot be read (${errorMessage(error)})` }
  }
}

function checkSkillDirectory(path: string, allowedRoot: string | undefined): void {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) {
    const target = realPathIfAny(path)
    if (target === undefined) throw new Failure('it is a link that leads nowhere')
    if (allowedRoot !== undefined && !isInsideDirectory(target, allowedRoot))
      throw new Failure('it is a link that leads out of the project')
  }
  if (!(entry.isDirectory() || statSync(path).isDirectory())) throw new Failure('it is not a folder')
}

function realPathIfAny(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

function readManifest(directory: string, allowedRoot: string | undefined): Buffer {
  try {
    return readUntrustedFileSync(join(directory, MANIFEST_FILE), {
      maxBytes: MAX_MANIFEST_BYTES,
      inside: allowedRoot,
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const names = namesIn(directory)
    if (names.includes(MANIFEST_FILE)) throw new Failure(`its ${MANIFEST_FILE} ${error.message}`, { cause: error })
    const other = names.find((name) => name.toUpperCase() === MANIFEST_FILE.toUpperCase())
    throw new Failure(
      other ? `its file is called ${other}; rename it to ${MANIFEST_FILE}` : `there is no ${MANIFEST_FILE} in it`,
      {
        cause: error,
      },
    )
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function parseManifest(bytes: Buffer, name: string): SkillManifest {
  const { text, isUtf8 } = decodeManifest(bytes)
  if (text.includes('\0')) throw new Failure(`its ${MANIFEST_FILE} is not text`)
  const { frontmatter, isScript } = readManifestHead(text)
  if (frontmatter === undefined) throw new Failure(`it has no description: ${describeMissingFrontmatter(text)}`)
  const { fields, problem } = parseFrontmatter(frontmatter)
  const description = requireDescription(fields)
  const frontmatterWarnings =
    problem === undefined
      ? []
      : [
          `its frontmatter is not valid YAML; invalid lines were read as plain text: ${toSingleLine(removeInvisible(problem), MAX_PROBLEM)}`,
        ]
  const hasInvisible = hasInvisibleText(fields)
  const warnings = [
    ...(isUtf8 ? [] : ['it is not UTF-8; it was read as Latin-1']),
    ...frontmatterWarnings,
    ...nameWarnings(fields.name, name),
    ...(hasInvisible ? ['its frontmatter contains invisible characters; they are removed'] : []),
  ]
  const isStrict = warnings.length === 0 && JSON.stringify(fields).length <= MAX_FRONTMATTER
  return {
    description,
    hint: toLine(fields['argument-hint'], MAX_HINT),
    isScript,
    frontmatter: isStrict ? fields : undefined,
    notes: [...warnings, ...commentWarnings(frontmatter)],
  }
}

function describeMissingFrontmatter(text: string): string {
  return text.trimStart().startsWith('---')
    ? 'its frontmatter must begin with the first line and end with a line of ---'
    : 'it does not begin with frontmatter (---, description: …, ---)'
}

function requireDescription({ description }: JsonObject): string {
  if (description === undefined || description === null)
    throw new Failure('it has no description: add one to its frontmatter')
  const line = toLine(description, MAX_DESCRIPTION)
  if (line === undefined) throw new Failure('its description is not text, or empty')
  return line
}

function nameWarnings(input: unknown, name: string): readonly string[] {
  const strictNameWarning = STRICT_NAME.test(name)
    ? []
    : ['hosts that load skills themselves require a name of a-z, 0-9 and single -']
  if (input === name) return strictNameWarning
  const nameWarning =
    input === undefined ? 'its frontmatter has no name' : `its frontmatter calls it ${toLine(input, 64) ?? '(no text)'}`
  return [`${nameWarning}; the name of its folder counts`, ...strictNameWarning]
}

/** In any name or text of the frontmatter, at any depth. */
function hasInvisibleText(value: unknown): boolean {
  if (typeof value === 'string') return removeInvisible(value) !== value
  if (Array.isArray(value)) return value.some(hasInvisibleText)
  return isJsonObject(value) && Object.entries(value).flat().some(hasInvisibleText)
}

/** Valid YAML, but hardly ever intended. */
function commentWarnings(frontmatter: string): readonly string[] {
  return /^description:[ \t]+(?![ \t"'|>#]).*?[ \t]#/m.test(frontmatter)
    ? ['in its description all after # is a comment; put the description in quotes to keep it']
    : []
}

/** Undefined if it is not text or empty. */
function toLine(value: unknown, max: number): string | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined
  // Twice: a control character becomes a space first, and the length counts what is seen.
  return toSingleLine(removeInvisible(toSingleLine(String(value), Infinity)), max) || undefined
}
