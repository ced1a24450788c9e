// Assigns a unique tool name to each described script. A script whose name is taken is skipped.

import type { Description } from './description.js'
import type { LeftOut } from './survey.js'
import { toolNameOf } from './tool-name.js'

export interface Script extends Omit<Description, 'name'> {
  readonly name: string
  readonly file: string
  readonly path: string
}

export interface Candidate {
  readonly file: string
  readonly path: string
  readonly description: Description
}

export interface LineUp {
  readonly scripts: readonly Script[]
  readonly leftOut: readonly LeftOut[]
}

const MAX_SCRIPTS = 128

/** `reservedNames`: names of the other tools, in lower case. */
export function lineUp(candidates: readonly Candidate[], reservedNames: ReadonlySet<string>): LineUp {
  const scripts = new Map<string, Script>()
  const skipped: LeftOut[] = []
  for (const { file, path, description } of candidates) {
    const name = description.name === undefined ? toolNameOf(file) : toolNameOf(`${description.name}.`)
    const reason = whyNot(name, scripts, reservedNames)
    if (reason === undefined && name !== undefined) scripts.set(name, { ...description, name, file, path })
    else skipped.push({ file, reason: reason ?? '' })
  }
  return { scripts: [...scripts.values()], leftOut: skipped }
}

function whyNot(
  name: string | undefined,
  scripts: ReadonlyMap<string, Script>,
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
