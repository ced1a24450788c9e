// Translates how a job ended. The server sends it in English; unknown text is shown unchanged.

import type { TranslationKey } from './translator.js'

const ENDINGS: ReadonlyMap<string, TranslationKey> = new Map<string, TranslationKey>([
  ['killed', 'endedKilled'],
  ['stopped with its server', 'endedWithServer'],
  ['stopped because its server was gone', 'endedServerGone'],
  ['exit status unknown', 'endedUnseen'],
])

/** Of jobs that did not exit by themselves. */
export function jobEndingKey(ending: string): TranslationKey | undefined {
  return ENDINGS.get(ending)
}

/** `1`, or `137 (SIGKILL)`; undefined if the job has no exit code. */
export function formatExitCode(exitCode: number | null, ending: string): string | undefined {
  const signal = /^exit code -?\d+ ?(.*)$/.exec(ending)?.[1]
  return exitCode === null || signal === undefined ? undefined : `${exitCode} ${signal}`.trim()
}
