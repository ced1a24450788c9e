// Lists the files in writable folders that a command must not change or create: those that control this server at its
// next start, and parts of a git repository that run programs. Most missing ones are protected by placeholders that
// this module creates on the host: empty folders or, in a git directory, files. Used by command-factory.ts.

import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { listProjectFiles, listProjectNames } from '../clients/client-paths.js'
import { isInsideDirectory } from '../files/path-containment.js'

/** In a project folder; each as a whole: settings of this server, and of clients that start programs. */
const PROJECT_NAMES = [...new Set(['.scorpiox', '.claude', 'scorpiox-env.txt', ...listProjectNames()])]
/** Skills are read from the first only if the other is not a folder, or is a link to it. */
const SKILL_FOLDER = { of: '.agents', unless: join('.claude', 'skills') } as const

/** What makes a folder a git directory. */
const GIT_DIRECTORY = ['HEAD', 'objects', 'refs'] as const
/** Contains the path of a folder that git takes `config` and `hooks` from; `.` is the git directory itself. */
const COMMON_DIR = 'commondir'
const SAME_FOLDER = '.\n'

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

interface ProtectionOptions {
  /** False where a path can be protected that does not exist; then missing paths are returned and nothing is created. */
  readonly usesPlaceholders?: boolean
}

export interface ProtectOptions {
  readonly isProject: boolean
  /** Whether no running command could replace this path. */
  readonly isMountedInAll: (path: string) => boolean
}

/**
 * A placeholder is mounted read-only. Git ignores empty folders. The sticky bit tells a placeholder from a folder of
 * the user. It is removed when the sandbox closes, or after a crash when the next one does, unless another server still
 * uses it; where machines share the project it stays. CVE-2026-25725 was a control file that was unprotected because it
 * did not exist yet.
 */
export function createProtectedPaths({ usesPlaceholders = true }: ProtectionOptions = {}): ProtectedPaths {
  const placeholders = new Set<string>()
  const filePlaceholders = new Set<string>()
  const hasWorktreeConfig = createWorktreeConfigCheck()

  function protectPath(path: string): readonly string[] {
    const stat = lstatIfExists(path)
    if (stat?.isSymbolicLink()) throw symbolicLinkFailure(path)
    if (stat === undefined && !usesPlaceholders) return [path]
    if (stat === undefined && !createPlaceholder(path)) return []
    if (stat === undefined || (!placeholders.has(path) && isPlaceholder(path, stat))) placeholders.add(path)
    return [path]
  }

  function protectFile(path: string, text: string): readonly string[] {
    if (lstatIfExists(path) !== undefined) {
      if (!filePlaceholders.has(path) && isFilePlaceholder(path)) filePlaceholders.add(path)
      return protectPath(path)
    }
    if (!usesPlaceholders) return [path]
    if (!createFilePlaceholder(path, text)) return []
    filePlaceholders.add(path)
    return [path]
  }

  /** Without `config` it is not a repository yet. */
  function listRepositoryPaths(git: string, root: string): readonly string[] {
    const config = join(git, 'config')
    if (lstatIfExists(config) === undefined) return []
    const worktreeConfig = join(git, 'config.worktree')
    return [
      ...[config, join(git, 'hooks')].flatMap(protectPath),
      ...protectFile(join(git, COMMON_DIR), SAME_FOLDER),
      // Git fails on a folder of that name, and reads it only if `config` says so.
      ...(hasWorktreeConfig(config) ? protectFile(worktreeConfig, '') : []),
      ...(lstatIfExists(worktreeConfig) === undefined ? [] : protectPath(worktreeConfig)),
      ...listOuterWorktrees(git, root).flatMap(protectPath),
    ]
  }

  function listGitPaths(root: string, { isProject, isMountedInAll }: ProtectOptions): readonly string[] {
    if (GIT_DIRECTORY.every((name) => !isMissing(join(root, name)))) return listRepositoryPaths(root, root)
    return [...(isProject ? preventBareRepository(root) : []), ...listWorkTreePaths(root, isMountedInAll)]
  }

  /**
   * With HEAD, objects and refs in it, git takes a folder for a bare repository and obeys the `config` beside them. Git
   * fails on a `commondir` that is a folder; when the placeholders are removed, one of the three is missing. Not HEAD if
   * avoidable: git would find that name ambiguous.
   */
  function preventBareRepository(root: string): readonly string[] {
    const missing = GIT_DIRECTORY.map((name) => join(root, name)).findLast(
      (path) => placeholders.has(path) || isMissing(path),
    )
    return [join(root, COMMON_DIR), ...(missing === undefined ? [] : [missing])].flatMap(protectPath)
  }

  function listWorkTreePaths(root: string, isMountedInAll: ProtectOptions['isMountedInAll']): readonly string[] {
    const git = join(root, '.git')
    const stat = lstatIfExists(git)
    // A command may create a repository, and do anything with it; it is protected from the next command on.
    if (stat === undefined || !isMountedInAll(git)) return []
    if (stat.isSymbolicLink()) throw symbolicLinkFailure(git)
    // In a worktree it is a file that contains the path of the repository.
    return stat.isDirectory() ? listRepositoryPaths(git, root) : [git]
  }

  return {
    protectFolder(root, options) {
      const skills = lstatIfExists(join(root, SKILL_FOLDER.unless))?.isDirectory() ? [] : [SKILL_FOLDER.of]
      const paths = [...PROJECT_NAMES, ...skills].map((name) => join(root, name))
      const files = listProjectFiles().map((name) => join(root, name))
      const existing = [...paths, ...files].filter((path) => lstatIfExists(path) !== undefined)
      const toProtect = options.isProject ? new Set([...paths, ...existing]) : existing
      return [...[...toProtect].flatMap(protectPath), ...listGitPaths(root, options)]
    },
    protectPaths: (paths) => paths.flatMap(protectPath),
    async close() {
      if (placeholders.size === 0 && filePlaceholders.size === 0) return
      const inUse = await listMountPoints()
      for (const path of placeholders) if (!inUse.has(path)) removePlaceholder(path)
      for (const path of filePlaceholders) if (!inUse.has(path) && isFilePlaceholder(path)) rmSync(path)
    },
  }
}

function isMissing(path: string): boolean {
  const stat = lstatIfExists(path)
  return stat === undefined || isPlaceholder(path, stat)
}

/** Read again only if it changed: this is asked for every command. */
function createWorktreeConfigCheck(): (config: string) => boolean {
  let known = { key: '', has: false }
  return (config) => {
    const stat = lstatIfExists(config)
    const key = `${config} ${stat?.ino} ${stat?.size} ${stat?.mtimeMs}`
    if (known.key !== key) known = { key, has: /worktreeconfig/i.test(readUntrusted(config)) }
    return known.has
  }
}

/**
 * The parts of a repository that belong to linked worktrees elsewhere: they name the folder that git takes its settings
 * from when it runs there. Commands cannot write to those worktrees.
 */
function listOuterWorktrees(git: string, root: string): readonly string[] {
  const folder = join(git, 'worktrees')
  if (!lstatIfExists(folder)?.isDirectory()) return []
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => lstatIfExists(path)?.isDirectory())
    .filter((path) => !isInsideDirectory(dirname(readUntrusted(join(path, 'gitdir')).trim()), root))
}

const MAX_READ_BYTES = 1024 * 1024

/** A command may have written it: opening a FIFO must not block, and a large file must not fill the memory. */
function readUntrusted(path: string): string {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const stat = fstatSync(file)
      return stat.isFile() && stat.size <= MAX_READ_BYTES ? readFileSync(file, 'utf8') : ''
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

function lstatIfExists(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

// A link could be replaced: only a real file or folder can be mounted on itself.
function symbolicLinkFailure(path: string): Failure {
  return new Failure(
    `The command was not started: ${path} is a symbolic link, which the sandbox cannot protect. ` +
      'Replace the link by the file or folder, or set SANDBOX=read-only.',
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

/** Where git expects a file. False if nothing can be created there anyway. */
function createFilePlaceholder(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    chmodSync(path, 0o444 | STICKY)
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return true
    if (hasErrorCode(error, 'EACCES', 'EROFS', 'EPERM')) return false
    throw new Failure(`The command was not started: ${path} could not be protected (${errorMessage(error)}).`)
  }
}

function isFilePlaceholder(path: string): boolean {
  const stat = lstatIfExists(path)
  if (!stat?.isFile() || (stat.mode & STICKY) === 0) return false
  return ['', SAME_FOLDER].includes(readUntrusted(path))
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
