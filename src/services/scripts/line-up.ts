// Which of the scripts that described themselves become tools, and under which names: no two under one, and none under
// the name of a tool that the house has.

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

/** `house`: the names that are taken, in small letters. */
export function lineUp(candidates: readonly Candidate[], house: ReadonlySet<string>): LineUp {
  const scripts = new Map<string, Script>()
  const leftOut: LeftOut[] = []
  for (const { file, path, description } of candidates) {
    const name = description.name === undefined ? toolNameOf(file) : toolNameOf(`${description.name}.`)
    const reason = whyNot(name, scripts, house)
    if (reason === undefined && name !== undefined) scripts.set(name, { ...description, name, file, path })
    else leftOut.push({ file, reason: reason ?? '' })
  }
  return { scripts: [...scripts.values()], leftOut }
}

function whyNot(
  name: string | undefined,
  scripts: ReadonlyMap<string, Script>,
  house: ReadonlySet<string>,
): string | undefined {
  if (name === undefined) return 'has a name of which no letter A-Z is left: say another as "name", or rename it.'
  if (house.has(name.toLowerCase())) return `cannot be called ${name}: that tool is there already. Rename it.`
  const other = scripts.get(name)
  if (other) return `would be called ${name} as ${other.file} is: rename one of them.`
  if (scripts.size >= MAX_SCRIPTS)
    return `is one too many: ${MAX_SCRIPTS} scripts become tools. Put _ before the names of others.`
  return undefined
}
