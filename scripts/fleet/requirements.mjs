// Which Debian packages the fleet needs and this machine lacks.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const PROGRAMS = [
  { package: 'iproute2', program: 'ip' },
  { package: 'haproxy', program: 'haproxy' },
  { package: 'util-linux', program: 'nsenter' },
  { package: 'bubblewrap', program: 'bwrap' },
]
const FOR_PATRONI = [
  { package: 'patroni', program: 'patroni' },
  { package: 'etcd-server', program: 'etcd' },
]

/** A sentence, or '' if nothing is missing. */
export function missingPackages() {
  if (process.getuid?.() !== 0) return 'npm run fleet makes network namespaces and must be run as root.'
  const missing = lacking(PROGRAMS)
  if (!existsSync('/usr/lib/postgresql')) missing.push('postgresql')
  if (missing.length === 0) return ''
  return `npm run fleet needs ${missing.join(', ')}; install it with: apt-get install ${missing.join(' ')}`
}

export function missingForPatroni() {
  const missing = lacking(FOR_PATRONI)
  return missing.length === 0 ? '' : `not run: apt-get install ${missing.join(' ')}`
}

export const hasFaketime = () => existsSync(FAKETIME)
export const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'

function lacking(programs) {
  return programs.filter(({ program }) => !canFind(program)).map((entry) => entry.package)
}

function canFind(program) {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
