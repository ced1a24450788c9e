// Explains why a command could not be started, and what to do about it.

import { statSync } from 'node:fs'

import { errorMessage } from '@scorpiox/mcp/errors'
import { describeMissingShell } from '../../process/shell-program.js'

export function explainStartError(error: unknown, cwd: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'E2BIG' || code === 'ENAMETOOLONG') return 'it is too long. Write it to a file and run that file.'
  if (code === 'EMFILE' || code === 'ENFILE') return 'the system is out of open files. Wait for other commands to end.'
  if (code === 'EAGAIN') return 'the system is out of processes. Wait for other commands to end.'
  if (code === 'ENOMEM') return 'the system is out of memory. Wait for other commands to end.'
  if (code === 'ENOSPC') return 'the disk for temporary files is full. Make room, then run it again.'
  if (error instanceof Error && 'syscall' in error && error.syscall === 'mkdtemp')
    return `there is no place for temporary files (${error.message}). Set TMPDIR to a folder that can be written to.`
  const directory = findDirectoryProblem(cwd)
  if (directory !== undefined) return directory
  if (code === 'ENOENT') return describeMissingShell(process.platform)
  const reason = errorMessage(error)
  return `${reason}. Run it again; if that does not help, \`scorpiox-code doctor\` says what is missing.`
}

function findDirectoryProblem(cwd: string): string | undefined {
  const directory = `the directory ${cwd}`
  const advice = 'Create it, or start the server with --cwd and an existing directory.'
  try {
    const stat = statSync(cwd, { throwIfNoEntry: false })
    if (!stat) return `${directory} does not exist. ${advice}`
    return stat.isDirectory() ? undefined : `${cwd} is not a directory. ${advice}`
  } catch (error) {
    return `${directory} cannot be used (${errorMessage(error)}). ${advice}`
  }
}
