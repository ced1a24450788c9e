// Background jobs as resources: their list, and the output of each. Subscribers are notified of output and of the end.

import { Failure } from '../lib/failure.js'
import { JOBS_URI } from '../services/jobs/uri.js'
import type { Shell } from '../services/shell/shell.js'
import { resourcesOver, templatesOver } from './resource.js'
import { jobLine, statusNote } from './words/job.js'
import { closing } from './words/words.js'

export const jobList = resourcesOver<{ shell: Shell }>()({
  uri: JOBS_URI,
  name: 'background tasks',
  description: 'Your background tasks in this project: id, status, runtime and command.',
  mimeType: 'text/plain',
  needs: ['shell'],
  async read({ user, session }, { shell }) {
    const jobs = await (await shell.jobs()).list({ user, session })
    return jobs.length === 0 ? 'No background tasks.' : jobs.map(jobLine).join('\n')
  },
})

export const jobOutput = templatesOver<{ shell: Shell }>()({
  uriTemplate: `${JOBS_URI}/{id}`,
  name: 'output of a background task',
  description: 'What a background task, or a command with a long output, has printed.',
  mimeType: 'text/plain',
  needs: ['shell'],
  async read({ id = '' }, { user, session }, { shell }) {
    if (!/^\d{1,15}$/.test(id)) return undefined
    try {
      const { job, text } = await (await shell.jobs()).show(Number(id), { user, session })
      return closing(text, [statusNote(job, text === '')])
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  },
})
