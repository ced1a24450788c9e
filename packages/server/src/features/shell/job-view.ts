// What the view of BackgroundBash and ReadBgOutput (MCP Apps) reads: a job and its output from an offset on. A read waits a
// moment for new output and does not change what the model will read. Registered in tool-list.ts; loads its code with the
// first view. Reads jobs through the shell service.

import { defineTemplateWith } from '@scorpiox/mcp/definitions/resource'
import { Failure } from '@scorpiox/mcp/errors'
import type { ViewFiles } from '../apps/index.js'
import type { ShellService } from './shell-service.js'

export const jobViewData = defineTemplateWith<{ shell: ShellService; views: ViewFiles }>()({
  uriTemplate: 'ui://scorpiox-code/data/jobs/{id}{?from}',
  name: 'job and its output',
  mimeType: 'application/json',
  services: ['shell', 'views'],
  async read({ id = '', from }, { user, session, signal }, { shell, views }) {
    if (![id, from ?? '0'].every((text) => /^\d{1,15}$/.test(text))) return undefined
    const [jobs, createStyleMarks, { readJobForView }] = await Promise.all([
      shell.jobs(),
      views.loadStyleMarks(),
      import('./job-view-handler.js'),
    ])
    try {
      const job = await jobs.find(Number(id), { user, session })
      return JSON.stringify(
        await readJobForView(job, { from: from === undefined ? undefined : Number(from), createStyleMarks, signal }),
      )
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  },
})
