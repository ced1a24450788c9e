// Shared by the plan mode tests: a project, a server in it, and snapshots of the file system.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { PYTHON, type SandboxProject } from '../sandbox/sandbox-project.js'
import { call, PROGRAM, startServer, type TestClient, type ToolResult } from '../support/client.js'

/** A session other than the plan's. */
const OTHER = join('.scorpiox', 'sessions', '2026_01_01_other_session')

export const granted = ({ base }: SandboxProject): string => join(base, 'granted')
export const other = ({ project }: SandboxProject): string => join(project, OTHER)

/** A repository with files to change. */
export function writeProjectFiles(sandboxProject: SandboxProject): void {
  sandboxProject.rebuild()
  const { project } = sandboxProject
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const path of ['file', 'folder/file', 'run.sh']) put(join(project, path), 'x\n')
  put(join(other(sandboxProject), 'plan.md'), 'of another')
  put(join(project, '.scorpiox', 'sessions', '.gitignore'), '*\n')
  put(join(granted(sandboxProject), 'file'), 'x\n')
  mkdirSync(join(project, 'empty'))
  const git = (...args: readonly string[]): void => {
    const identity = ['-c', 'user.name=x', '-c', 'user.email=x@y']
    execFileSync('git', ['-C', project, ...identity, ...args], { stdio: 'ignore' })
  }
  git('init', '-q')
  git('add', 'folder')
  git('commit', '-q', '-m', 'x')
}

export function startIn(sandboxProject: SandboxProject, env: NodeJS.ProcessEnv = {}): TestClient {
  const more = {
    STATE_DIR: sandboxProject.state,
    SANDBOX_WRITE: granted(sandboxProject),
    PYTHON: PYTHON ?? '',
    DIST: dirname(PROGRAM),
    NODE: process.execPath,
  }
  return startServer({ cwd: sandboxProject.project, env: { ...sandboxProject.env, ...more, ...env } })
}

export const plan = (client: TestClient, action: string, more: object = {}): Promise<ToolResult> =>
  call(client, 'PlanMode', { action, ...more })

export const bash = (client: TestClient, command: string, more: object = {}): Promise<ToolResult> =>
  call(client, 'Bash', { command, ...more })

/** Enters plan mode; returns the directory that stays writable. */
export async function enter(client: TestClient, project: string, more: object = {}): Promise<string> {
  const { structured, text, isError } = await plan(client, 'enter', { goal: 'see', ...more })
  if (isError) throw new Error(text)
  return join(project, '.scorpiox', 'sessions', structured.session)
}

/** Everything below some folders: type, content and modification time. */
export function snapshot(folders: readonly string[], except: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(folders.flatMap((folder) => [...describe(folder, new Set(except))]))
}

function describe(path: string, except: ReadonlySet<string>): readonly (readonly [string, string])[] {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat || except.has(path)) return []
  const { mode, uid, gid, nlink, ino, mtimeMs, ctimeMs } = stat
  const content = stat.isFile() ? digestOf(path) : stat.isSymbolicLink() ? readlinkSync(path) : ''
  const self = [mode.toString(8), uid, gid, nlink, ino, mtimeMs, ctimeMs, content].join(' ')
  const inside = stat.isDirectory() ? readdirSync(path).flatMap((name) => describe(join(path, name), except)) : []
  return [[path, self], ...inside]
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

export function differences(one: ReadonlyMap<string, string>, two: ReadonlyMap<string, string>): readonly string[] {
  const paths = [...new Set([...one.keys(), ...two.keys()])].filter((path) => one.get(path) !== two.get(path))
  return paths.map((path) => `${path}: ${one.get(path)} → ${two.get(path)}`)
}

export function hasProgram(name: string): boolean {
  if (name === 'py') return PYTHON !== undefined
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${name}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
