// Background jobs: running ones first, then ended ones.

import { useState } from 'preact/hooks'

import type { JobView } from '../../view.js'
import { ViewFrame } from '../components/view-frame.js'
import { useTranslator } from '../use-translator.js'
import { JobCard } from './job-card.js'
import { JobOutput } from './job-output.js'

/** Ended jobs shown at first. */
const SHOWN_ENDED = 20

export function JobsView({ jobs }: { readonly jobs: readonly JobView[] }) {
  const { translate } = useTranslator()
  const [showsAll, setShowsAll] = useState(false)
  // Kept here and not in the card, which moves to another list when the job ends; the open dialog must stay.
  const [openedJob, setOpenedJob] = useState<JobView>()
  const running = jobs.filter(({ isRunning }) => isRunning).sort((a, b) => b.startedAt - a.startedAt)
  const ended = jobs
    .filter(({ isRunning }) => !isRunning)
    .sort((a, b) => (b.endedAt ?? b.startedAt) - (a.endedAt ?? a.startedAt))
  const shown = showsAll ? ended : ended.slice(0, SHOWN_ENDED)
  return (
    <ViewFrame
      route="jobs"
      summary={{ phrase: 'jobsRunning', n: running.length }}
      empty={{ phrase: 'jobsNone', how: 'jobsHow', tool: 'BackgroundBash' }}
      isEmpty={jobs.length === 0}
    >
      {running.length > 0 && (
        <section aria-labelledby="running">
          <h2 id="running">{translate('running')}</h2>
          <Jobs jobs={running} showOutput={setOpenedJob} />
        </section>
      )}
      {ended.length > 0 && (
        <section aria-labelledby="ended">
          <h2 id="ended">{translate('ended')}</h2>
          <Jobs jobs={shown} showOutput={setOpenedJob} />
          {shown.length < ended.length && (
            <button class="button more" type="button" onClick={() => setShowsAll(true)}>
              {translate('showAll', { n: ended.length - shown.length })}
            </button>
          )}
        </section>
      )}
      {openedJob !== undefined && <JobOutput job={openedJob} close={() => setOpenedJob(undefined)} />}
    </ViewFrame>
  )
}

interface JobsProps {
  readonly jobs: readonly JobView[]
  readonly showOutput: (job: JobView) => void
}

function Jobs({ jobs, showOutput: openedJob }: JobsProps) {
  return (
    <ul class="cards">
      {jobs.map((job) => (
        <JobCard key={`${job.server} ${job.id}`} job={job} showOutput={() => openedJob(job)} />
      ))}
    </ul>
  )
}
