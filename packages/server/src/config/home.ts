// Finds the home directory of the user as os.homedir() does, without loading node:os where the environment names it.
// Used at every start by load-config.ts and paths.ts, and by launch.ts of the app before there are settings. Reads the
// environment.

/** Throws if the user has no passwd entry. */
export function findHome(): string {
  const { HOME } = process.env
  // On Windows other variables count.
  if (HOME !== undefined && process.platform !== 'win32') return HOME
  return process.getBuiltinModule('node:os').homedir()
}

/** The same; '' if there is none. */
export function findHomeIfAny(): string {
  try {
    return findHome()
  } catch {
    return ''
  }
}
