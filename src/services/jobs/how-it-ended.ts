// Describes how a job ended, in the same words for every tool and for the console.

import type { Job } from './job.js'

export function howItEnded({ record }: Pick<Job, 'record'>): string {
  const { exitCode = null, signal, ending } = record
  if (ending === 'server-lost') return 'stopped because its server was gone'
  if (ending === 'server-stopped') return 'stopped with its server'
  if (ending === 'killed') return 'killed'
  if (exitCode === null) return 'exit status unknown'
  return signal ? `exit code ${exitCode} (${signal})` : `exit code ${exitCode}`
}
