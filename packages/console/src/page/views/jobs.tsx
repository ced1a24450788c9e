// Background jobs: a list, running ones first, and what is open in it. The address names what is open by its server and
// its number, `#/jobs/<server>/<id>`, by its project and its number, or by its number alone. Shown by console-page.
// Changes the address.

import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { sortJobs } from '../../sort-jobs.js'
import type { JobView } from '../../view.js'
import { JobEnding, JobRuntime, JobStateIcon } from '../components/job-state.js'
import { SplitView } from '../components/split-view.js'
import { stripControls } from '../components/strip-controls.js'
import { ProjectName, RelativeTime } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { VirtualList } from '../components/virtual-list.js'
import { routeHref, useRoute } from '../route.js'
import { findProjectOfServer } from '../server-projects.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import type { JobDetailProps } from './job-detail.js'

export function JobsView({ jobs }: { readonly jobs: readonly JobView[] }) {
  const { translate } = useTranslator()
  const { path } = useRoute()
  const [isWrapped, setWrapped] = useState(true)
  const open = findJob(jobs, path)
  useEffect(() => void loadDetail().catch(() => undefined), [])
  useEffect(() => {
    // From now on the address names this job, also when a newer one with its number starts in another project.
    if (open !== undefined && path.length === 1) location.replace(routeHref('jobs', open.server, open.id))
  }, [open, path.length])
  const sorted = sortJobs(jobs)
  const key = open === undefined ? path.join('/') : jobKey(open)
  return (
    <ViewFrame
      view="jobs"
      summary={{ phrase: 'jobsRunning', n: jobs.filter(({ isRunning }) => isRunning).length }}
      empty={{ phrase: 'jobsNone', how: 'jobsHow', tool: 'BackgroundBash' }}
      isEmpty={jobs.length === 0 && path.length === 0}
    >
      <SplitView
        list={
          <VirtualList
            items={sorted}
            keyOf={jobKey}
            label={translate('jobs')}
            estimate={ROW_HEIGHT}
            current={open === undefined ? undefined : key}
            render={(job) => <JobRow job={job} isOpen={jobKey(job) === key} />}
          />
        }
        detail={
          path.length === 0 ? undefined : open === undefined ? (
            <MissingJob key={key} />
          ) : (
            <LazyJobDetail key={key} job={open} isWrapped={isWrapped} setWrapped={setWrapped} />
          )
        }
        detailKey={key}
        detailLabel={translate('jobNumber', { id: `${open?.id ?? path.at(-1) ?? ''}` })}
        backHref={routeHref('jobs')}
        placeholder={translate('jobsChoose')}
      />
    </ViewFrame>
  )
}

/** A job that was just started, and those of a server that was just found, are listed a moment later. */
const LISTED_AFTER_MS = 3000

function MissingJob() {
  const { translate } = useTranslator()
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setMissing(true), LISTED_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p class="quiet" role="status">
      {translate(isMissing ? 'jobMissing' : 'loading')}
    </p>
  )
}

let loadedDetail: FunctionComponent<JobDetailProps> | undefined

/** Loaded with the first view of jobs; a failed attempt is repeated when a job is opened. */
async function loadDetail(): Promise<FunctionComponent<JobDetailProps>> {
  return (loadedDetail ??= (await import('./job-detail.js')).JobDetail)
}

function LazyJobDetail(props: JobDetailProps) {
  const { translate } = useTranslator()
  const [Detail, setDetail] = useState(() => loadedDetail)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    loadDetail().then(
      (loaded) => setDetail(() => loaded),
      () => setMissing(true),
    )
  }, [])
  if (Detail !== undefined) return <Detail {...props} />
  return <p class="quiet">{translate(isMissing ? 'unreachable' : 'loading')}</p>
}

/** Pixels of a row that was not measured yet. */
const ROW_HEIGHT = 66

function jobKey({ server, id }: JobView): string {
  return `${server}/${id}`
}

/**
 * Numbers are unique in a project, so another server of the same project may have taken the job over, but a job of another
 * project is another one. With a number alone the newest job is meant, running ones first.
 */
function findJob(jobs: readonly JobView[], path: readonly string[]): JobView | undefined {
  const id = Number(path.at(-1) ?? NaN)
  const [server = ''] = path
  const named = jobs
    .filter((job) => job.id === id)
    .sort((a, b) => Number(b.isRunning) - Number(a.isRunning) || b.startedAt - a.startedAt)
  if (path.length === 1) return named[0]
  const project = findProjectOfServer(server) ?? server
  return named.find((job) => job.server === server) ?? named.find((job) => job.project === project)
}

interface JobRowProps {
  readonly job: JobView
  readonly isOpen: boolean
}

function JobRow({ job, isOpen }: JobRowProps) {
  const { translate } = useTranslator()
  const isGone = useServers().isGone(job.server)
  // It ran until its server exited.
  const isLost = isGone && job.ending === 'unknown'
  return (
    <a
      class={isGone ? 'job-row stale' : 'job-row'}
      href={routeHref('jobs', job.server, job.id)}
      aria-current={isOpen ? 'true' : undefined}
    >
      <span class="job-line">
        <JobStateIcon job={job} />
        <code class="job-name" dir="ltr">
          {stripControls(job.command)}
        </code>
      </span>
      <span class="meta">
        <span>{translate('jobNumber', { id: `${job.id}` })}</span>
        <ProjectName path={job.project} />
        {job.isRunning ? <JobRuntime since={job.startedAt} /> : !isLost && <JobEnding job={job} />}
        {isGone && <span>{translate('serverGone')}</span>}
        {job.endedAt !== null && <RelativeTime at={job.endedAt} />}
        {job.terminal?.isUserTyping === true && <span class="typing">{translate('jobTyping')}</span>}
      </span>
    </a>
  )
}
