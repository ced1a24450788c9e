// What is mounted on the host while a command runs shows itself in its cage, and can be written to there: bwrap makes only
// what it finds read-only. These words, before those of bwrap, keep it out.

import { askProgram } from '../process.js'
import { findProgram } from './programs.js'

const PRIVATE = ['--user', '--map-current-user', '--mount', '--propagation', 'private', '--']
const TRIAL = ['--unshare-user', '--disable-userns', '--ro-bind', '/', '/', '--']

export interface Tools {
  readonly bwrap: string
  readonly bash: string
}

/** Empty where the system does not have it, or does not let bwrap run so. */
export async function privateMounts(
  { bwrap, bash }: Tools,
  env: NodeJS.ProcessEnv,
  writable: readonly string[],
): Promise<readonly string[]> {
  const unshare = findProgram('unshare', env, writable)
  if (unshare === undefined) return []
  const works = await askProgram(unshare, [...PRIVATE, bwrap, ...TRIAL, bash, '-c', ':'], env)
  return works === undefined ? [] : [unshare, ...PRIVATE]
}
