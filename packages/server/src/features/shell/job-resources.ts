// Background jobs as resources: their list, and the output of each; also their URIs. Subscribers are notified of output and
// of the end by job-service. Registered in tool-list.ts. Reads the output of jobs through the shell service.

import { defineResourceWith, defineTemplateWith } from '@scorpiox/mcp/definitions/resource'
import { Failure } from '@scorpiox/mcp/errors'
import { appendNotes } from '../../text/format.js'
import { formatJobStatus, formatJobSummary } from './format-job.js'
import type { ShellService } from './shell-service.js'

export const JOBS_URI = 'scorpiox://jobs'

export function jobUri(id: number): string {
  return `${JOBS_URI}/${id}`
}

export const jobListResource = defineResourceWith<{ shell: ShellService }>()({
  uri: JOBS_URI,
  name: 'jobs',
  description: 'Your jobs in this project: ID, status, runtime and command.',
  mimeType: 'text/plain',
  services: ['shell'],
  async read({ user, session }, { shell }) {
    const jobs = await (await shell.jobs()).list({ user, session })
    return jobs.length === 0 ? 'No jobs.' : jobs.map(formatJobSummary).join('\n')
  },
})

export const jobOutputTemplate = defineTemplateWith<{ shell: ShellService }>()({
  uriTemplate: `${JOBS_URI}/{id}`,
  name: 'output of a job',
  description: 'Output of a job, or of a command with long output.',
  mimeType: 'text/plain',
  services: ['shell'],
  async read({ id = '' }, { user, session }, { shell }) {
    if (!/^\d{1,15}$/.test(id)) return undefined
    try {
      const { job, text } = await (await shell.jobs()).readAll(Number(id), { user, session })
      return appendNotes(text, [formatJobStatus(job, text === '')])
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  },
})
