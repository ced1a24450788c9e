// What no command may plant in a folder it can write to: files that this server will obey when it next starts, and the
// parts of a git repository that run programs. CVE-2026-25725 was such a file, unprotected because it did not exist yet.
//
// A name can only be kept from being created by something being there: where nothing is, an empty folder is put on the
// host, and shown read-only. Git does not see empty folders. Its sticky bit tells it from a folder of the person, and
// it goes again when the sandbox closes, or after a crash when the next one does, unless another server still uses it.

import { lstatSync, mkdirSync, readdirSync, rmdirSync, type Stats } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { Failure } from '../../lib/failure.js'

/** In a folder of projects; each as a whole. */
const OURS = ['.scorpiox', '.claude', 'scorpiox-env.txt']
/** Skills are read from there only where the other is no folder, or is a link to it. */
const SKILLS = { of: '.agents', unless: join('.claude', 'skills') } as const

const CONFIG = 'config'
const HOOKS = 'hooks'
/** Protected where they exist: `commondir` would lead git to another `config`, but git fails on an empty one. */
const MORE_CONFIG = ['config.worktree', 'commondir']

const STICKY = 0o1000

export interface Guard {
  /** What must not be changed in this folder, all of it existing; in a project also what does not exist yet. */
  protect(root: string, terms: Terms): readonly string[]
  /** The same of single files and folders, whose own folders exist. */
  hold(paths: readonly string[]): readonly string[]
  close(): Promise<void>
}

export interface Terms {
  readonly isProject: boolean
  /** Whether no command that runs could put something else at this path. */
  readonly isHeld: (path: string) => boolean
}

export function createGuard(): Guard {
  const placeholders = new Set<string>()

  function held(path: string): readonly string[] {
    const stat = look(path)
    if (stat?.isSymbolicLink()) throw symbolicLink(path)
    if (stat === undefined && !putPlaceholder(path)) return []
    if (stat === undefined || (!placeholders.has(path) && isPlaceholder(path, stat))) placeholders.add(path)
    return [path]
  }

  function gitParts(root: string, isHeld: Terms['isHeld']): readonly string[] {
    if (basename(root).endsWith('.git')) return partsOf(root, held)
    const git = join(root, '.git')
    const stat = look(git)
    // A command may make a repository, and do with it as it likes; the next one finds it protected.
    if (stat === undefined || !isHeld(git)) return []
    if (stat.isSymbolicLink()) throw symbolicLink(git)
    // In a worktree it is a file that says where the rest is.
    return stat.isDirectory() ? partsOf(git, held) : [git]
  }

  return {
    protect(root, { isProject, isHeld }) {
      const skills = look(join(root, SKILLS.unless))?.isDirectory() ? [] : [SKILLS.of]
      const names = [...OURS, ...skills].map((name) => join(root, name))
      const ours = names.filter((path) => isProject || look(path) !== undefined).flatMap(held)
      return [...ours, ...gitParts(root, isHeld)]
    },
    hold: (paths) => paths.flatMap(held),
    async close() {
      if (placeholders.size === 0) return
      const inUse = await mountPoints()
      for (const path of placeholders) if (!inUse.has(path)) removePlaceholder(path)
    },
  }
}

/** Without its main file it is no repository yet. */
function partsOf(git: string, held: (path: string) => readonly string[]): readonly string[] {
  if (look(join(git, CONFIG)) === undefined) return []
  const more = MORE_CONFIG.map((name) => join(git, name)).filter((path) => look(path) !== undefined)
  return [join(git, CONFIG), join(git, HOOKS), ...more].flatMap(held)
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

// A link could be replaced: only what is really there can be mounted on itself.
function symbolicLink(path: string): Failure {
  return new Failure(
    `The command was not started: ${path} is a symbolic link, which the sandbox cannot protect. ` +
      'Put the file or folder itself there, or set SANDBOX=read-only.',
  )
}

/** False where nothing can be created anyway. */
function putPlaceholder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o755 | STICKY })
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return true
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false
    throw new Failure(`The command was not started: ${path} could not be protected (${String(code)}).`)
  }
}

function isPlaceholder(path: string, stat: Stats): boolean {
  return stat.isDirectory() && (stat.mode & STICKY) !== 0 && readdirSync(path).length === 0
}

function removePlaceholder(path: string): void {
  const stat = look(path)
  if (stat && isPlaceholder(path, stat)) rmdirSync(path)
}

/** Every mount point of every process that may be looked at: other servers may have commands in the same folder. */
async function mountPoints(): Promise<ReadonlySet<string>> {
  const points = new Set<string>()
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const mountinfo = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')
    for (const line of mountinfo.split('\n')) points.add(unescapeMount(line.split(' ')[4] ?? ''))
  }
  return points
}

function unescapeMount(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
}
