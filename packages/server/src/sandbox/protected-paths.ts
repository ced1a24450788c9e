// Keeps commands from creating files in their writable folders that control this server at its next start, or parts of
// a git repository that run programs. CVE-2026-25725 was such a file, unprotected because it did not exist yet.
//
// A missing path can only be protected by a placeholder: an empty folder is created on the host and mounted read-only.
// Git ignores empty folders. The sticky bit tells it from a folder of the user. It is removed when the sandbox closes,
// or after a crash when the next one does, unless another server still uses it.

import { lstatSync, mkdirSync, readdirSync, rmdirSync, type Stats } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'

/** In a project folder; each as a whole. */
const SERVER_FILES = ['.scorpiox', '.claude', 'scorpiox-env.txt']
/** Skills are read from the first only if the other is not a folder, or is a link to it. */
const SKILL_FOLDER = { of: '.agents', unless: join('.claude', 'skills') } as const

const CONFIG = 'config'
const HOOKS = 'hooks'
/** Protected if they exist: `commondir` would lead git to another `config`, but git fails on an empty one. */
const OPTIONAL_CONFIG = ['config.worktree', 'commondir']

const STICKY = 0o1000

interface ProtectedPaths {
  /**
   * The paths in this folder that must not be changed, all of them existing; in a project also placeholders for missing
   * ones.
   */
  protectFolder(root: string, options: ProtectOptions): readonly string[]
  /** The same for single files and folders, whose parent folders exist. */
  protectPaths(paths: readonly string[]): readonly string[]
  close(): Promise<void>
}

export interface ProtectOptions {
  readonly isProject: boolean
  /** Whether no running command could replace this path. */
  readonly isMountedInAll: (path: string) => boolean
}

export function createProtectedPaths(): ProtectedPaths {
  const placeholders = new Set<string>()

  function protectPath(path: string): readonly string[] {
    const stat = lstatIfExists(path)
    if (stat?.isSymbolicLink()) throw symbolicLinkFailure(path)
    if (stat === undefined && !createPlaceholder(path)) return []
    if (stat === undefined || (!placeholders.has(path) && isPlaceholder(path, stat))) placeholders.add(path)
    return [path]
  }

  function listGitPaths(root: string, isMountedInAll: ProtectOptions['isMountedInAll']): readonly string[] {
    if (basename(root).endsWith('.git')) return listRepositoryPaths(root, protectPath)
    const git = join(root, '.git')
    const stat = lstatIfExists(git)
    // A command may create a repository, and do anything with it; it is protected from the next command on.
    if (stat === undefined || !isMountedInAll(git)) return []
    if (stat.isSymbolicLink()) throw symbolicLinkFailure(git)
    // In a worktree it is a file that contains the path of the repository.
    return stat.isDirectory() ? listRepositoryPaths(git, protectPath) : [git]
  }

  return {
    protectFolder(root, { isProject, isMountedInAll }) {
      const skills = lstatIfExists(join(root, SKILL_FOLDER.unless))?.isDirectory() ? [] : [SKILL_FOLDER.of]
      const names = [...SERVER_FILES, ...skills].map((name) => join(root, name))
      const serverFiles = names.filter((path) => isProject || lstatIfExists(path) !== undefined).flatMap(protectPath)
      return [...serverFiles, ...listGitPaths(root, isMountedInAll)]
    },
    protectPaths: (paths) => paths.flatMap(protectPath),
    async close() {
      if (placeholders.size === 0) return
      const inUse = await listMountPoints()
      for (const path of placeholders) if (!inUse.has(path)) removePlaceholder(path)
    },
  }
}

/** Without `config` it is not a repository yet. */
function listRepositoryPaths(git: string, protectPath: (path: string) => readonly string[]): readonly string[] {
  if (lstatIfExists(join(git, CONFIG)) === undefined) return []
  const more = OPTIONAL_CONFIG.map((name) => join(git, name)).filter((path) => lstatIfExists(path) !== undefined)
  return [join(git, CONFIG), join(git, HOOKS), ...more].flatMap(protectPath)
}

function lstatIfExists(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

// A link could be replaced: only a real file or folder can be mounted on itself.
function symbolicLinkFailure(path: string): Failure {
  return new Failure(
    `The command was not started: ${path} is a symbolic link, which the sandbox cannot protect. ` +
      'Put the file or folder itself there, or set SANDBOX=read-only.',
  )
}

/** False if nothing can be created there anyway. */
function createPlaceholder(path: string): boolean {
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
  const stat = lstatIfExists(path)
  if (stat && isPlaceholder(path, stat)) rmdirSync(path)
}

/** The mount points of all processes that can be inspected: other servers may run commands in the same folder. */
async function listMountPoints(): Promise<ReadonlySet<string>> {
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
