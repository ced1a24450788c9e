// Finds bwrap and checks its version, explains its errors, and finds the unshare wrapper that keeps later mounts of the
// host out of a sandbox. Used when a sandbox is opened (sandbox.ts). Runs `bwrap --version` and one test command.

import { existsSync } from 'node:fs'

import { Failure } from '@scorpiox/mcp/errors'
import type { WritableRoots } from '../config/writable-roots.js'
import { formatInstallCommand } from '../process/install-command.js'
import { readProgramOutput } from '../process/run-program.js'
import { findTrustedProgram } from '../process/trusted-program.js'
import { isOlderVersion } from '../text/compare-versions.js'
import { readFileOrEmpty } from '../files/read-file-or-empty.js'

/** The first version with --disable-userns; --size came just before it. */
const MIN_VERSION = '0.8.0'

export interface Bubblewrap {
  readonly path: string
  readonly version: string
}

export async function findBubblewrap(env: NodeJS.ProcessEnv, writableRoots: WritableRoots): Promise<Bubblewrap> {
  const path = findTrustedProgram('bwrap', env, writableRoots)
  if (path === undefined)
    throw new Failure(
      `The sandbox needs bubblewrap, which is not installed. Install it: ${formatInstallCommand('bubblewrap')}`,
    )
  const version = /(?<!\d)\d+(\.\d+)+/.exec((await readProgramOutput(path, ['--version'], env)) ?? '')?.[0]
  if (version === undefined) throw new Failure(`The sandbox cannot use ${path}: it does not report its version.`)
  if (isOlderVersion(version, MIN_VERSION)) {
    throw new Failure(
      `The sandbox needs bubblewrap ${MIN_VERSION} or newer; ${path} is ${version}. Upgrade it or the system.`,
    )
  }
  return { path, version }
}

/** What the user can do, given what bwrap printed when it failed to start. */
export function explainBubblewrapError(output: string): string {
  if (/mount|pivot_root/i.test(output) && isContainer()) return CONTAINER_ADVICE
  if (/RTM_NEWADDR|uid map|loopback/i.test(output) && hasKernelSetting('apparmor_restrict_unprivileged_userns', '1')) {
    return APPARMOR_ADVICE
  }
  if (hasKernelSetting('unprivileged_userns_clone', '0'))
    return 'Allow user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1'
  if (/namespace|uid map|RTM_NEWADDR/i.test(output)) return isContainer() ? CONTAINER_ADVICE : NAMESPACE_ADVICE
  return 'Set SANDBOX=off only if you trust every command, or run the server in a virtual machine.'
}

const CONTAINER_ADVICE =
  'In a container the sandbox needs the right to mount: start the container with ' +
  '--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined, ' +
  'and with --cap-add SYS_ADMIN if it runs as root. Otherwise the container is your sandbox: set SANDBOX=off.'

const APPARMOR_ADVICE =
  'AppArmor prevents programs from creating user namespaces. Give bwrap a profile that allows `userns` ' +
  '(Ubuntu has one: sudo apt install apparmor-profiles, and enable bwrap-userns-restrict), ' +
  'or sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0.'

const NAMESPACE_ADVICE = 'Allow user namespaces: sudo sysctl -w user.max_user_namespaces=15000.'

function isContainer(): boolean {
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv')
}

function hasKernelSetting(setting: string, value: string): boolean {
  return readFileOrEmpty(`/proc/sys/kernel/${setting}`).trim() === value
}

const UNSHARE_FLAGS = ['--user', '--map-current-user', '--mount', '--propagation', 'private', '--']
const TEST_FLAGS = ['--unshare-user', '--disable-userns', '--ro-bind', '/', '/', '--']

interface SandboxPrograms {
  readonly bwrap: string
  readonly bash: string
}

/**
 * The words to put before the bwrap command line, which keep mounts that are added on the host while a command runs out
 * of its sandbox, where they would be writable: bwrap makes only existing mounts read-only. Empty if the system lacks
 * unshare, or bwrap does not run under it.
 */
export async function findPrivateMountWrapper(
  { bwrap, bash }: SandboxPrograms,
  env: NodeJS.ProcessEnv,
  writableRoots: WritableRoots,
): Promise<readonly string[]> {
  const unshare = findTrustedProgram('unshare', env, writableRoots)
  if (unshare === undefined) return []
  const testOutput = await readProgramOutput(unshare, [...UNSHARE_FLAGS, bwrap, ...TEST_FLAGS, bash, '-c', ':'], env)
  return testOutput === undefined ? [] : [unshare, ...UNSHARE_FLAGS]
}
