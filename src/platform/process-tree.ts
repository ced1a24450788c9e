// Finds what a command started, wherever it went: every program is started with a tag in its environment, children
// inherit it, and Linux shows each process's environment. Process groups are not enough: timeout(1), `set -m`, setsid
// and daemons leave them. Where /proc is missing, nothing is found and groups must do.

import { existsSync, readdirSync, readFileSync } from 'node:fs'

const VARIABLE = 'SCORPIOX_TREE'

/** The environment with a tag added; a server inside a command keeps its parent's tags beside its own. */
export function tagged(env: NodeJS.ProcessEnv, tag: string): NodeJS.ProcessEnv {
  return { ...env, [VARIABLE]: `${env[VARIABLE] ?? ';'}${tag};` }
}

export interface TaggedProcess {
  readonly pid: number
  readonly tags: string
}

/** Every process of this user that carries a tag. */
export function findTagged(): readonly TaggedProcess[] {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    const tags = Number.isInteger(pid) && pid !== process.pid ? tagsOf(pid) : undefined
    return tags === undefined ? [] : [{ pid, tags }]
  })
}

/** Whether the process was started with a tag that begins so. */
export function hasTag({ tags }: TaggedProcess, beginning: string): boolean {
  return tags.includes(`;${beginning}`)
}

function tagsOf(pid: number): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
    return variables.find((variable) => variable.startsWith(`${VARIABLE}=`))
  } catch {
    // It has ended meanwhile, or belongs to somebody else.
    return undefined
  }
}
