// What a runtime lacks, each with its reason: tests that need it are skipped there. docs/runtimes.md has the same list.

import type { TestContext } from 'vitest'

const onBun = (reason: string): string | undefined => ('bun' in process.versions ? `Bun ${reason}` : undefined)

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
} as const

/** Newer engines free memory later; limits measured on Node.js 20 are wider there by this factor. */
export const MEMORY_SLACK = process.version.startsWith('v20.') ? 1 : 1.4

/** Skips the test if the runtime lacks what it tests. */
export function skipIfMissing({ skip }: TestContext, reason: string | undefined): void {
  if (reason !== undefined) skip(reason)
}
