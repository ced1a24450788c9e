// The list of all jobs: running ones first, then those that ended, searched by text. Opened by home-screen.ts. No I/O.

import { foldCase } from '../i18n/fold-case.js'
import { sortJobs } from '../sort-jobs.js'
import type { JobView } from '../view.js'
import { formatProjectName, joinParts, lastLineOf, sanitizeLine } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import { createJobItem } from './job-item.js'
import type { ListScreen } from './pane.js'
import { createSearchBinding } from './search-binding.js'

export function createJobsScreen(context: InboxContext): ListScreen {
  const { translator, view } = context
  const { translate } = translator
  let query = ''

  /** Contains every word of the query. */
  function isFound(job: JobView): boolean {
    const number = translate('job', { id: `${job.id}` })
    const text = foldCase([number, formatProjectName(job.project), job.command, lastLineOf(job)].join('\n'))
    return foldCase(query)
      .split(/\s+/)
      .every((word) => text.includes(word))
  }

  return {
    title: () => joinParts(translate('jobs'), query !== '' && `/${sanitizeLine(query)}`),
    get emptyText() {
      return translate(query === '' ? 'jobsNone' : 'jobsNoMatch')
    },
    items: () =>
      sortJobs(view().jobs)
        .filter(isFound)
        .map((job) => createJobItem(context, job, translate(job.isRunning ? 'running' : 'ended'))),
    bindings: () => [
      createSearchBinding(context, {
        message: translate('searchJobs'),
        text: query,
        search: (text) => void (query = text.trim()),
      }),
    ],
  }
}
