// Keeps mounts that are added on the host while a command runs out of its sandbox, where they would be writable: bwrap
// makes only existing mounts read-only. The wrapper precedes the bwrap command line.

import { askProgram } from '../process.js'
import { findProgram } from './programs.js'

const UNSHARE_FLAGS = ['--user', '--map-current-user', '--mount', '--propagation', 'private', '--']
const TEST_FLAGS = ['--unshare-user', '--disable-userns', '--ro-bind', '/', '/', '--']

interface Tools {
  readonly bwrap: string
  readonly bash: string
}

/** Empty if the system lacks unshare, or bwrap does not run under it. */
export async function privateMounts(
  { bwrap, bash }: Tools,
  env: NodeJS.ProcessEnv,
  writableRoots: readonly string[],
): Promise<readonly string[]> {
  const unshare = findProgram('unshare', env, writableRoots)
  if (unshare === undefined) return []
  const testOutput = await askProgram(unshare, [...UNSHARE_FLAGS, bwrap, ...TEST_FLAGS, bash, '-c', ':'], env)
  return testOutput === undefined ? [] : [unshare, ...UNSHARE_FLAGS]
}
