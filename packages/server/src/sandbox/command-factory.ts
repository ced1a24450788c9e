// Builds the sandboxed commands of an open sandbox (sandbox.ts): for each start the bwrap flags, the mounts of its
// level, the placeholders for protected files and the resource limits. It is built anew each time, because the files it
// protects come and go; that takes about 0.6 ms. Used by sandbox.ts. Reads files; starts no process itself.

import { readdirSync, readFileSync, statSync } from 'node:fs'

import type { SandboxedCommand } from '../process/shell-pool.js'
import { isInsideDirectory } from '../files/path-containment.js'
import { createLevelViews, isUsableHome, type ViewPolicy } from './level-view.js'
import { type MountPlan, planMounts, toBubblewrapFlags } from './mount-plan.js'
import { createProtectedPaths } from './protected-paths.js'
import { checkWritableRoot, resolveParents } from './real-paths.js'
import type { ResourceLimits } from './resource-limits.js'
import type { SandboxFiles } from './sandbox-files.js'
import type { ActiveSandboxLevel } from './sandbox-level.js'

interface ActiveMounts {
  /** Whether the path is a mount point in every command that could otherwise change it. */
  readonly isMountedInAll: (path: string) => boolean
  /** Registers a command that has this mount plan; the returned function removes it. */
  add(writable: readonly string[], plan: MountPlan): () => void
}

/**
 * Tracks which paths are mount points in the running commands, which therefore cannot replace them. A path that a
 * running command could replace between check and mount must not be mounted for another command.
 */
export function createActiveMounts(): ActiveMounts {
  const running = new Set<{ readonly writable: readonly string[]; readonly plan: MountPlan }>()
  return {
    isMountedInAll: (path) =>
      [...running].every(
        ({ writable, plan }) => plan.has(path) || !writable.some((root) => isInsideDirectory(path, root)),
      ),
    add(writable, plan) {
      const entry = { writable, plan }
      running.add(entry)
      return () => void running.delete(entry)
    },
  }
}

const CLOSE_ON_EXEC = 0o2000000
/** stdin, stdout and stderr. */
const FIRST_NON_STANDARD = 3

/**
 * Finds descriptors that this server inherited from its parent without close-on-exec. Node.js closes its own when it
 * starts a program, but these would reach every command, and an open file is a way out of any sandbox.
 */
function findInheritedDescriptors(): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor >= FIRST_NON_STANDARD && survivesExec(descriptor))
}

function survivesExec(descriptor: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    // The descriptor of the listing itself is closed by now.
    return false
  }
}

export interface WriteGrants {
  readonly writable?: readonly string[]
}

export interface SandboxedCommands {
  create(level: ActiveSandboxLevel, grants?: WriteGrants): SandboxedCommand
  /** To be called when no sandboxed command is running any more: removes the placeholders from the project. */
  close(): Promise<void>
}

export interface CommandPolicy extends ViewPolicy {
  /** Folders that commands may write to besides the project. */
  readonly writable: readonly string[]
  /** Files and folders that control this server, wherever they are, also those that do not exist yet. */
  readonly controlFiles?: readonly string[] | undefined
  /** Variables that commands get although bwrap does not have them. */
  readonly restoredEnv?: NodeJS.ProcessEnv | undefined
  /** At any level, only the write grants of a command are writable: neither the project nor the folders above. */
  readonly allowsOnlyGrants?: boolean | undefined
  /** Whether other machines run commands in the same project, whose mounts cannot be seen here. */
  readonly isProjectShared?: boolean | undefined
}

interface SandboxedCommandDeps {
  /** bwrap, and what may precede it. */
  readonly bwrap: readonly string[]
  readonly bash: string
  readonly files: SandboxFiles
  readonly limits: ResourceLimits
}

/** Part of every sandbox; `strict` has a network namespace besides. */
const ISOLATION_FLAGS = [
  '--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup',
  '--cap-drop ALL --die-with-parent --seccomp 9',
  // The inherited TMPDIR may be a folder of the host that is not mounted.
  '--setenv TMPDIR /tmp',
].flatMap((flags) => flags.split(' '))

/** The factory of one sandbox; the commands that it creates share the protected paths and the list of active mounts. */
export function createSandboxedCommands(
  policy: CommandPolicy,
  { bwrap, bash, files, limits }: SandboxedCommandDeps,
): SandboxedCommands {
  const { project, home } = policy
  const protectedPaths = createProtectedPaths()
  const activeMounts = createActiveMounts()
  const controlFiles = resolveParents(policy.controlFiles ?? []).filter(
    (path) => !policy.readOnly.some((readOnlyPath) => isInsideDirectory(path, readOnlyPath)),
  )
  const viewOf = createLevelViews(policy, files.emptyFile)
  const restoreFlags = Object.entries(policy.restoredEnv ?? {}).flatMap(([name, value = '']) => [
    '--setenv',
    name,
    value,
  ])
  const closeInherited = findInheritedDescriptors().map((descriptor) => `exec ${descriptor}<&-; `)

  function planView(level: ActiveSandboxLevel, writable: readonly string[]): PlannedView {
    const { isMountedInAll } = activeMounts
    const projectRoots = writable.some((root) => isInsideDirectory(project, root)) ? [project] : []
    // Where only grants are writable, they are not a project, and a symbolic link created there would fail every command.
    const protectedRoots = policy.allowsOnlyGrants ? [] : new Set([...projectRoots, ...writable])
    const protectedInRoots = [...protectedRoots].flatMap((root) =>
      protectedPaths.protectFolder(root, { isProject: root === project, isMountedInAll }),
    )
    const controlFilesInRoots = controlFiles.filter(
      (path) => [...protectedRoots].some((root) => isInsideDirectory(path, root)) && isMountedInAll(path),
    )
    const outermost = controlFilesInRoots.filter(
      (path) => !controlFilesInRoots.some((other) => other !== path && isInsideDirectory(path, other)),
    )
    const readOnly = [...protectedInRoots, ...protectedPaths.protectPaths(outermost)]
    const view = viewOf(level, writable, readOnly)
    const plan = planMounts(view, isMountedInAll)
    const flags = toBubblewrapFlags(plan, view)
    return { plan, flags, fingerprint: `${flags.join('\0')}\0${formatInodes(plan)}` }
  }

  function create(level: ActiveSandboxLevel, { writable: granted = [] }: WriteGrants = {}): SandboxedCommand {
    const projectRoot = level === 'read-only' ? [] : [project]
    const defaultRoots = policy.allowsOnlyGrants ? [] : [...projectRoot, ...policy.writable]
    const writable = [...defaultRoots, ...granted.map((path) => checkWritableRoot(path, home))]
    const { plan, fingerprint, flags } = planView(level, writable)
    const allocation = limits.allocate()
    let removeMounts = activeMounts.add(writable, plan)
    const strictFlags = level === 'strict' ? ['--unshare-net', ...(isUsableHome(home) ? ['--dir', home] : [])] : []
    return {
      argv: [...bwrap, ...ISOLATION_FLAGS, ...restoreFlags, ...strictFlags, ...flags, '--'],
      seccompFile: files.seccompFile,
      cgroupFiles: allocation.cgroupFiles,
      bash,
      shellPrelude: [...closeInherited, allocation.ulimits].join(''),
      isUpToDate() {
        // This command has not run anything yet, so it cannot change what would be mounted now.
        removeMounts()
        try {
          return planView(level, writable).fingerprint === fingerprint
        } catch {
          return false
        } finally {
          removeMounts = activeMounts.add(writable, plan)
        }
      },
      release() {
        removeMounts()
        allocation.release()
      },
    }
  }

  return {
    create,
    async close() {
      limits.close()
      // A placeholder that is removed would not be protected any more in the running commands of another machine.
      if (!policy.isProjectShared) await protectedPaths.close()
    },
  }
}

interface PlannedView {
  readonly plan: MountPlan
  readonly flags: readonly string[]
  /** Changes if another mount plan would be made. */
  readonly fingerprint: string
}

/** If a file is replaced on the host, its bind mount disappears and the new file becomes visible in every sandbox. */
function formatInodes(plan: MountPlan): string {
  const mounted = [...plan].filter(([, mount]) => mount !== 'write' && mount !== 'private tmp')
  return mounted.map(([path]) => statSync(path, { throwIfNoEntry: false })?.ino).join(' ')
}
