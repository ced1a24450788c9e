// Assigns a unique tool name to each described script, made from its file name or the name that it gives. A script whose
// name is taken is skipped. Used by script-index. Pure.

import type { ScriptDescription } from './describe-script.js'
import type { SkippedScript } from './scan-scripts.js'

export interface ScriptTool extends Omit<ScriptDescription, 'name'> {
  readonly name: string
  readonly file: string
  readonly path: string
}

export interface DescribedScriptFile {
  readonly file: string
  readonly path: string
  readonly description: ScriptDescription
}

export interface NamedScripts {
  readonly scripts: readonly ScriptTool[]
  readonly skipped: readonly SkippedScript[]
}

const MAX_SCRIPTS = 128

/** `reservedNames`: names of the other tools, in lower case. */
export function assignToolNames(
  candidates: readonly DescribedScriptFile[],
  reservedNames: ReadonlySet<string>,
): NamedScripts {
  const scripts = new Map<string, ScriptTool>()
  const skipped: SkippedScript[] = []
  for (const { file, path, description } of candidates) {
    const name = description.name === undefined ? toToolName(file) : toToolName(`${description.name}.`)
    const reason = findNameProblem(name, scripts, reservedNames)
    if (reason === undefined && name !== undefined) scripts.set(name, { ...description, name, file, path })
    else skipped.push({ file, reason: reason ?? '' })
  }
  return { scripts: [...scripts.values()], skipped }
}

function findNameProblem(
  name: string | undefined,
  scripts: ReadonlyMap<string, ScriptTool>,
  reservedNames: ReadonlySet<string>,
): string | undefined {
  if (name === undefined) return 'has a name without any of A-Z and 0-9: set "name", or rename it.'
  if (reservedNames.has(name.toLowerCase())) return `cannot be called ${name}: that tool already exists. Rename it.`
  const other = scripts.get(name)
  if (other) return `would be called ${name} as ${other.file} is: rename one of them.`
  if (scripts.size >= MAX_SCRIPTS)
    return `exceeds the limit of ${MAX_SCRIPTS} script tools. Prefix the names of other scripts with _ to exclude them.`
  return undefined
}

const MAX_LENGTH = 64

/**
 * Makes a tool name from a file name, using only characters that every client and model accepts. Undefined if no letter
 * or digit remains.
 */
export function toToolName(file: string): string | undefined {
  const stem = file.replace(/(?<=.)\.[^.]*$/, '')
  const plain = stem.normalize('NFKD').replace(/\p{M}+/gu, '')
  const name = plain
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, MAX_LENGTH)
    .replace(/(?<!_)_+$/, '')
  return /[A-Za-z0-9]/.test(name) ? name : undefined
}
