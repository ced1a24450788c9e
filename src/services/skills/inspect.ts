// Inspects one entry of a skill directory: the skill, or the reason why it is not one. Only a missing description or an
// unreadable or forbidden file disqualifies it; other problems are warnings.

import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { Failure } from '../../lib/failure.js'
import type { JsonObject } from '../../lib/json.js'
import { isWithin } from '../../lib/is-within.js'
import { oneLine } from '../../lib/one-line.js'
import { reasonOf } from '../../lib/reason-of.js'
import { readConfined } from '../../platform/confined-file.js'
import { readFrontmatter } from './frontmatter.js'
import { decode, takeApart } from './manifest-parts.js'
import { isSkillName, MANIFEST, MAX_MANIFEST_BYTES, NAME_RULE, type Manifest } from './skill.js'

const MAX_DESCRIPTION = 1024
const MAX_HINT = 100
const MAX_FRONTMATTER = 16 * 1024

/** The names that hosts which verify skills accept. */
const STRICT_NAME = /^(?!.*--)[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/

/** A skill, or the reason why it is not one. */
export type Inspected = Manifest | { readonly reason: string }

export async function inspect(directory: string, name: string, allowedRoot: string | undefined): Promise<Inspected> {
  try {
    if (name.startsWith('.')) throw new Failure('its name is hidden')
    await checkFolder(join(directory, name), allowedRoot)
    if (!isSkillName(name)) throw new Failure(`its name must be ${NAME_RULE}`)
    return read(await manifestBytes(join(directory, name), allowedRoot), name)
  } catch (error) {
    if (error instanceof Failure) return { reason: error.message }
    return { reason: `it cannot be read (${reasonOf(error)})` }
  }
}

async function checkFolder(path: string, allowedRoot: string | undefined): Promise<void> {
  const entry = await lstat(path)
  if (entry.isSymbolicLink()) {
    const target = await realpath(path).catch(() => undefined)
    if (target === undefined) throw new Failure('it is a link that leads nowhere')
    if (allowedRoot !== undefined && !isWithin(target, allowedRoot))
      throw new Failure('it is a link that leads out of the project')
  }
  if (!(await stat(path)).isDirectory()) throw new Failure('it is not a folder')
}

async function manifestBytes(directory: string, allowedRoot: string | undefined): Promise<Buffer> {
  try {
    return await readConfined(join(directory, MANIFEST), { maxBytes: MAX_MANIFEST_BYTES, inside: allowedRoot })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const names: readonly string[] = await readdir(directory).catch(() => [])
    if (names.includes(MANIFEST)) throw new Failure(`its ${MANIFEST} ${error.message}`, { cause: error })
    const other = names.find((name) => name.toUpperCase() === MANIFEST.toUpperCase())
    throw new Failure(
      other ? `its file is called ${other}; rename it to ${MANIFEST}` : `there is no ${MANIFEST} in it`,
      {
        cause: error,
      },
    )
  }
}

function read(bytes: Buffer, name: string): Manifest {
  const { text, isUtf8 } = decode(bytes)
  if (text.includes('\0')) throw new Failure(`its ${MANIFEST} is not text`)
  const { frontmatter, body } = takeApart(text)
  if (frontmatter === undefined) throw new Failure(`it has no description: ${whyNone(text)}`)
  const { fields, problem } = readFrontmatter(frontmatter)
  const description = descriptionOf(fields)
  const frontmatterWarnings =
    problem === undefined ? [] : [`its frontmatter is not quite YAML, and was read as it was meant: ${problem}`]
  const warnings = [
    ...(isUtf8 ? [] : ['it is not UTF-8; it was read as Latin-1']),
    ...frontmatterWarnings,
    ...nameNotes(fields.name, name),
  ]
  const isStrict = warnings.length === 0 && JSON.stringify(fields).length <= MAX_FRONTMATTER
  return {
    description,
    hint: lineOf(fields['argument-hint'], MAX_HINT),
    isScript: body.startsWith('#!'),
    frontmatter: isStrict ? fields : undefined,
    notes: [...warnings, ...commentNotes(frontmatter)],
  }
}

function whyNone(text: string): string {
  return text.trimStart().startsWith('---')
    ? 'its frontmatter must begin with the first line and end with a line of ---'
    : 'it does not begin with frontmatter (---, description: …, ---)'
}

function descriptionOf({ description }: JsonObject): string {
  if (description === undefined || description === null)
    throw new Failure('it has no description: add one to its frontmatter')
  const line = lineOf(description, MAX_DESCRIPTION)
  if (line === undefined) throw new Failure('its description is not text, or empty')
  return line
}

function nameNotes(input: unknown, name: string): readonly string[] {
  const strictNameWarning = STRICT_NAME.test(name)
    ? []
    : ['hosts that load skills themselves require a name of a-z, 0-9 and single -']
  if (input === name) return strictNameWarning
  const nameWarning =
    input === undefined ? 'its frontmatter has no name' : `its frontmatter calls it ${lineOf(input, 64) ?? '(no text)'}`
  return [`${nameWarning}; the name of its folder counts`, ...strictNameWarning]
}

/** Valid YAML, but hardly ever intended. */
function commentNotes(frontmatter: string): readonly string[] {
  return /^description:[ \t]+(?!["'|>#]).*?[ \t]#/m.test(frontmatter)
    ? ['in its description all after # is a comment; put the description in quotes to keep it']
    : []
}

/** Undefined if it is not text or empty. */
function lineOf(value: unknown, max: number): string | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined
  return oneLine(String(value).toWellFormed(), max) || undefined
}
