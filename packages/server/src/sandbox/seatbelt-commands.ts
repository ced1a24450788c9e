// Makes sandboxed commands of macOS: sandbox-exec with a profile for each command, because the files that it protects come
// and go. Used by seatbelt.ts. Reads the file system.

import { basename, dirname, join } from 'node:path'

import { isInsideDirectory } from '../files/path-containment.js'
import type { CommandPolicy, SandboxedCommands, WriteGrants } from './command-factory.js'
import { createLevelViews } from './level-view.js'
import { type PathRule, planMounts } from './mount-plan.js'
import { createProtectedPaths } from './protected-paths.js'
import { checkWritableRoot, resolveParents } from './real-paths.js'
import type { ActiveSandboxLevel } from './sandbox-level.js'
import { buildSeatbeltProfile, DATA_VOLUME } from './seatbelt-profile.js'

/** Part of macOS, on its read-only volume. */
const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/** The rules for the first path of a file do not name the second. A project in it stays visible. */
const SECOND_PATHS: PathRule = { path: DATA_VOLUME, access: 'hidden folder' }

interface SeatbeltCommandDeps {
  readonly bash: string
  /** The folder for temporary files, which commands share. */
  readonly tmp: string
  readonly platform?: NodeJS.Platform
}

/** No mounts are needed: a rule applies from the start of the command. */
const isMountedInAll = (): boolean => true

export function createSeatbeltCommands(
  policy: CommandPolicy,
  { bash, tmp, platform = 'darwin' }: SeatbeltCommandDeps,
): Pick<SandboxedCommands, 'create'> {
  const { project, home } = policy
  // A rule can protect a path that does not exist.
  const protectedPaths = createProtectedPaths({ usesPlaceholders: false })
  const viewOf = createLevelViews(policy, '', platform)
  const controlFiles = resolveParents(policy.controlFiles ?? [])
  const variables = listTemporaryVariables(tmp)

  function buildProfile(level: ActiveSandboxLevel, writable: readonly string[]): string {
    const projectRoots = writable.some((root) => isInsideDirectory(project, root)) ? [project] : []
    const protectedRoots = policy.allowsOnlyGrants ? [] : [...new Set([...projectRoots, ...writable])]
    const readOnly = [
      ...protectedRoots.flatMap((root) =>
        protectedPaths.protectFolder(root, { isProject: root === project, isMountedInAll }),
      ),
      ...controlFiles.filter((path) => protectedRoots.some((root) => isInsideDirectory(path, root))),
    ]
    const { pathRules, ...rest } = viewOf(level, [...writable, tmp], readOnly)
    const view = { ...rest, pathRules: [...pathRules, SECOND_PATHS], privateFolders: [] }
    return buildSeatbeltProfile({
      plan: planMounts(view, isMountedInAll),
      base: view.base,
      hasNetwork: level !== 'strict',
    })
  }

  return {
    create(level, { writable: granted = [] }: WriteGrants = {}) {
      const projectRoot = level === 'read-only' ? [] : [project]
      const defaultRoots = policy.allowsOnlyGrants ? [] : [...projectRoot, ...policy.writable]
      const writable = [...defaultRoots, ...granted.map((path) => checkWritableRoot(path, home))]
      const profile = buildProfile(level, writable)
      return {
        argv: [SANDBOX_EXEC, '-p', profile, '/usr/bin/env', ...variables],
        seccompFile: '',
        cgroupFiles: [],
        bash,
        shellPrelude: '',
        isUpToDate: () => buildProfile(level, writable) === profile,
        release() {},
      }
    },
  }
}

/** The folder that macOS has for temporary files of each user. */
const USER_TMP = /^\/private\/var\/folders\/[^/]+\/[^/]+\/T$/

/** Commands cannot write to where these programs put temporary files and caches by default. Others use TMPDIR. */
function listTemporaryVariables(tmp: string): readonly string[] {
  const inUserTmp = USER_TMP.test(dirname(tmp))
  return [
    `TMPDIR=${tmp}`,
    // `mktemp`, and what uses Foundation, ask the system for the folder of the user, and this is a folder in it.
    ...(inUserTmp ? [`DIRHELPER_USER_DIR_SUFFIX=${basename(tmp)}`] : []),
    // The here-documents of zsh.
    `TMPPREFIX=${join(tmp, 'zsh')}`,
    // Where xcrun, and so Apple's git, remembers where its programs are.
    `xcrun_db=${join(tmp, 'xcrun_db')}`,
    `CLANG_MODULE_CACHE_PATH=${join(tmp, 'clang-modules')}`,
    `SWIFTPM_MODULECACHE_OVERRIDE=${join(tmp, 'swift-modules')}`,
  ]
}
