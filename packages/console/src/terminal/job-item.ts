// The item of a job in a list, and the text of a notification about it. Used by home-screen.ts, jobs-screen.ts and
// inbox-command.ts. No I/O.

import { hasFailed } from '../i18n/job-ending.js'
import type { JobView } from '../view.js'
import { formatJobRow, formatProjectName, sanitizeLine } from './format-view.js'
import type { InboxContext, InboxTranslator } from './inbox-context.js'
import { createJobPane } from './job-pane.js'
import type { ListItem } from './pane.js'
import type { Row } from './rows.js'

export function createJobItem(context: InboxContext, job: JobView, group?: string): ListItem {
  const { translator, view, ui } = context
  const row = (): Row => {
    const text = translator.translate('job', { id: formatJobRow(job, view(), translator, Date.now()) })
    return hasFailed(job) ? [{ text, style: 'bad' }] : [text]
  }
  const onRestarted = (id: number): void => ui.openWhenListed(toValue({ ...job, id }))
  return {
    value: toValue(job),
    row,
    pane: () => createJobPane(context, job, onRestarted),
    ...(group !== undefined && { group }),
  }
}

/** Another server of the project may take the job over. */
function toValue({ id, project }: Pick<JobView, 'id' | 'project'>): string {
  return `job ${id} ${project}`
}

/** For a notification. */
export function formatFailedJob({ id, project, command }: JobView, { translate }: InboxTranslator): string {
  const title = translate('notifyJobFailed', { id: `${id}`, project: formatProjectName(project) })
  return `${title}: ${sanitizeLine(command)}`
}
