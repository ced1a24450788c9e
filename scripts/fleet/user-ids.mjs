// The numbers of a user of this machine, for folders of programs that do not run as root.

import { readFileSync } from 'node:fs'

export function userIds(name) {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  if (line === undefined) throw new Error(`this machine has no user ${name}`)
  const [, , uid, gid] = line.split(':').map(Number)
  return { uid, gid }
}
