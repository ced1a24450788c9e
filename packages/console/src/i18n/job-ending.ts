// Translates how a job ended.

import type { JobEnding, JobView } from '../view.js'
import type { TranslationKey } from './translator.js'

const ENDING_KEYS: Readonly<Record<Exclude<JobEnding, 'exit'>, TranslationKey>> = {
  killed: 'endedKilled',
  'server-stopped': 'endedWithServer',
  'server-lost': 'endedServerGone',
  unknown: 'endedUnknown',
}

/** For ended jobs without an exit code. */
export function jobEndingKey({ ending }: Pick<JobView, 'ending'>): TranslationKey {
  return ending === null || ending === 'exit' ? 'ended' : ENDING_KEYS[ending]
}

/** `1`, or `137 (SIGKILL)`; undefined if the job did not exit by itself. */
export function formatExitCode({
  ending,
  exitCode,
  signal,
}: Pick<JobView, 'ending' | 'exitCode' | 'signal'>): string | undefined {
  if (ending !== 'exit' || exitCode === null) return undefined
  return signal === null ? `${exitCode}` : `${exitCode} (${signal})`
}
