// What the operating system says: the code of an error, whether a process exists, the name of the user. For code that
// stores files, signals processes or names local callers. Used in all packages. Asks the operating system; changes
// nothing.

/** Tests the code of a system error, such as ENOENT. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => error.code === code)
}

/** The name of the OS user, or the numeric user ID. */
export function getOsUser(): string {
  try {
    return process.getBuiltinModule('node:os').userInfo().username
  } catch {
    // A container may run under a user ID without a name.
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** Whether a process with this pid exists; a negative pid is a process group. */
export function isPidRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user exists but may not be signalled.
    return hasErrorCode(error, 'EPERM')
  }
}
