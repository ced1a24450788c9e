// Why a command was not started, and what to do about it.

import { statSync } from 'node:fs'

import { reasonOf } from '../../lib/reason-of.js'
import { whyNoShell } from '../../platform/shell-program.js'

export function whyNotStarted(error: unknown, cwd: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'E2BIG' || code === 'ENAMETOOLONG') return 'it is too long. Write it to a file and run that file.'
  if (code === 'EMFILE' || code === 'ENFILE') return 'the system is out of open files. Wait for other commands to end.'
  if (code === 'EAGAIN') return 'the system is out of processes. Wait for other commands to end.'
  if (code === 'ENOMEM') return 'the system is out of memory. Wait for other commands to end.'
  if (code === 'ENOSPC') return 'the disk for temporary files is full. Make room, then run it again.'
  if (error instanceof Error && 'syscall' in error && error.syscall === 'mkdtemp')
    return `there is no place for temporary files (${error.message}). Set TMPDIR to a folder that can be written to.`
  const place = whatIsWrongWith(cwd)
  if (place !== undefined) return place
  if (code === 'ENOENT') return whyNoShell(process.platform)
  const reason = reasonOf(error)
  return `${reason}. Run it again; if that does not help, \`scorpiox-code doctor\` says what is missing.`
}

function whatIsWrongWith(cwd: string): string | undefined {
  const place = `the directory ${cwd}`
  const next = 'Make it, or start the server with --cwd and a directory that is there.'
  try {
    const stat = statSync(cwd, { throwIfNoEntry: false })
    if (!stat) return `${place} does not exist. ${next}`
    return stat.isDirectory() ? undefined : `${cwd} is not a directory. ${next}`
  } catch (error) {
    return `${place} cannot be used (${reasonOf(error)}). ${next}`
  }
}
