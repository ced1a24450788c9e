// Checks the folders that commands will be able to write to, when a sandbox is opened (sandbox.ts). Nothing that this
// server is started with, and nothing that decides where these folders are, may be in them. Reads files only.

import { errorMessage } from '@scorpiox/mcp/errors'
import { createWritableRoots, tracePath, type WritableRoots } from '../config/writable-roots.js'
import { BUN_FLAGS } from '../process/program-files.js'
import { isInsideDirectory } from '../files/path-containment.js'
import { checkReadableRoot, checkWritableRoot, resolveReadablePaths } from './real-paths.js'
import { findWritableRuntimeFile } from './runtime-variables.js'
import { UnsafeSandboxFailure } from './sandbox-level.js'
import type { SandboxPolicy } from './sandbox.js'

interface CheckedRoots {
  /** Real paths. */
  readonly project: string
  readonly writable: readonly string[]
  /** Also what earlier commands may have written to, even if only grants are writable now. */
  readonly writableRoots: WritableRoots
}

/** Throws an UnsafeSandboxFailure that says what to change. */
export function checkRoots(policy: SandboxPolicy): CheckedRoots {
  const { levels, home, allowsOnlyGrants = false } = policy
  const canWriteProject = !allowsOnlyGrants && levels.some((level) => level !== 'read-only')
  const project = canWriteProject ? checkWritableRoot(policy.project, home) : checkReadableRoot(policy.project)
  const writable = allowsOnlyGrants
    ? resolveReadablePaths(policy.writable).map(({ path }) => path)
    : policy.writable.map((path) => checkConfiguredFolder(path, home))
  const roots = canWriteProject || allowsOnlyGrants ? [project, ...writable] : writable
  const writableRoots = createWritableRoots(roots, { home })
  if (!allowsOnlyGrants) {
    for (const folder of policy.writable)
      rejectReplaceableLink(folder, createWritableRoots([project, ...roots], { home }))
    rejectReplaceableLink(policy.project, writableRoots)
    rejectOwnProgram(policy, writable)
    rejectOwnOptions(policy.env, writableRoots)
    if (canWriteProject && policy.obeysProjectFiles) rejectObeyedProject()
  }
  return { project, writable, writableRoots }
}

function checkConfiguredFolder(path: string, home: string): string {
  try {
    return checkWritableRoot(path, home)
  } catch (error) {
    throw new UnsafeSandboxFailure(`SANDBOX_WRITE: ${errorMessage(error)}`, { cause: error })
  }
}

/** A command could make the link lead anywhere, and after the next start its target would be writable. */
function rejectReplaceableLink(path: string, writableRoots: WritableRoots): void {
  const folders = tracePath(path).slice(0, -1)
  const folder = folders.find((each) => writableRoots.contains(each))
  if (folder === undefined) return
  throw new UnsafeSandboxFailure(
    `The sandbox cannot let commands write to ${path}: a symbolic link in ${folder} leads there, and commands can ` +
      'replace it. Put the real path of the folder into SANDBOX_WRITE.',
  )
}

/** In the project it is mounted read-only; elsewhere also what installed it would have to be, such as the cache of npx. */
function rejectOwnProgram({ program = [] }: SandboxPolicy, writable: readonly string[]): void {
  for (const { path } of resolveReadablePaths(program)) {
    const root = writable.find((folder) => isInsideDirectory(path, folder))
    if (root === undefined) continue
    throw new UnsafeSandboxFailure(
      `The sandbox cannot let commands write to ${root}: this server runs from there (${path}), and commands could ` +
        'replace it. Install the server elsewhere (npx scorpiox-code install), or remove the folder from SANDBOX_WRITE.',
    )
  }
}

function rejectOwnOptions(env: NodeJS.ProcessEnv, writableRoots: WritableRoots): void {
  const found = findWritableRuntimeFile(env, writableRoots, process.cwd())
  if (found === undefined) return
  throw new UnsafeSandboxFailure(
    `The sandbox cannot be used: ${found.variable} names ${found.text}, which this server loads at start and ` +
      'commands can write to. Start the server without it, or name a file that commands cannot write to.',
  )
}

/** They run or set what they contain before any code of this server does. */
function rejectObeyedProject(): never {
  throw new UnsafeSandboxFailure(
    'The sandbox cannot be used: at start Bun reads .env and bunfig.toml of the project, which commands can write to. ' +
      `Start the server with bun ${BUN_FLAGS.join(' ')} …, with Node.js, or as scorpiox-code install sets it up.`,
  )
}
