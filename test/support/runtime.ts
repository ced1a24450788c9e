// What a runtime or Windows lacks, each with its reason: tests that need it are skipped there. docs/runtimes.md has the
// same list.

import type { TestContext, TestOptions } from 'vitest'

const IS_WINDOWS = process.platform === 'win32'
const onBun = (reason: string): string | undefined => ('bun' in process.versions ? `Bun ${reason}` : undefined)
const onWindows = (reason: string): string | undefined => (IS_WINDOWS ? `Windows ${reason}` : undefined)

/** What the runtime needs in order not to obey files of the project that the program is started in. */
export const RUNTIME_FLAGS: readonly string[] = 'bun' in process.versions ? ['--no-env-file', '--config=/dev/null'] : []

export const MISSING = {
  renewal: onBun('cannot change the certificate of a server that listens'),
  givingBack: onBun('cannot read a request again after ignoring its Upgrade header'),
  silentConnections: onBun('does not know connections without a request'),
  moduleList: onBun('does not report which built-in modules were loaded'),
  unwritten: onBun('does not report how much written data a program has not read yet'),
  changingHome: onBun('reads HOME once'),
  helplessness: onBun('decodes images itself without installed packages'),
  emptyHome: onBun('takes the home of the user where HOME is empty'),
  fewFiles: onBun('needs more than 40 open files for itself'),
  codeCache: onBun('compiles faster than it would read a cache'),
  manyHeaders: onBun('refuses requests with thousands of headers before anybody sees them'),
  bash: onWindows('has no bash or /bin/sh of its own, and Git Bash cannot be had where win32 is tested'),
  fifos: onWindows('has no FIFOs in folders'),
  fileModes: onWindows('has no modes and owners of files'),
  letterCase: onWindows('does not distinguish the case of file names'),
  links: onWindows('lets only some users create symbolic links, and Wine none'),
  openFolders: onWindows('removes no folder in which a file is open'),
  posixPaths: onWindows('has other paths, and the code runs on Linux or macOS only'),
  programsOfLinux: onWindows('has none of the programs that the test starts'),
  quickScans: onWindows('is tested in Wine, which reads folders too slowly for this test'),
  signals: onWindows('ends a process at once, whatever the signal'),
} as const

/** Modes of files that only their owner reads, and of programs. */
export const MODES = { private: IS_WINDOWS ? 0o666 : 0o600, program: IS_WINDOWS ? 0o666 : 0o755 } as const

/** Newer engines free memory later; limits measured on Node.js 20 are wider there by this factor. */
export const MEMORY_SLACK = process.version.startsWith('v20.') ? 1 : 1.4

/** Skips the test if the runtime lacks what it tests. */
export function skipIfMissing({ skip }: TestContext, reason: string | undefined): void {
  if (reason !== undefined) skip(reason)
}

/** Options of a test, or of a describe, that is skipped where something is missing. */
export function needs(...reasons: readonly (string | undefined)[]): TestOptions {
  const missing = reasons.filter((reason) => reason !== undefined)
  return missing.length === 0 ? {} : { skip: true, meta: { skipReason: missing.join('; ') } }
}
