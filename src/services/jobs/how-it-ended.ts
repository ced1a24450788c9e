// How a job ended, in a few words.

import type { JobRecord } from '../../store/job-record.js'

export function howItEnded({ record }: { readonly record: JobRecord }): string {
  const { exitCode = null, signal, ending } = record
  if (ending === 'server-lost') return 'stopped because its server was gone'
  if (ending === 'server-stopped') return 'stopped with its server'
  if (ending === 'killed') return 'killed'
  if (exitCode === null) return 'nobody saw how'
  return signal ? `exit code ${exitCode} (${signal})` : `exit code ${exitCode}`
}
