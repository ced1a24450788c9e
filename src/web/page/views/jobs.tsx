// Background jobs: running ones first, then ended ones.

import { useState } from 'preact/hooks'

import type { JobView } from '../../../services/board/view.js'
import { ViewFrame } from '../parts/view-frame.js'
import { useWords } from '../speech.js'
import { JobOutput } from './job-output.js'
import { Job } from './job.js'

/** Ended jobs shown at first. */
const SHOWN_ENDED = 20

export function JobsView({ jobs }: { readonly jobs: readonly JobView[] }) {
  const { say } = useWords()
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
          <h2 id="running">{say('running')}</h2>
          <Jobs jobs={running} showOutput={setOpenedJob} />
        </section>
      )}
      {ended.length > 0 && (
        <section aria-labelledby="ended">
          <h2 id="ended">{say('ended')}</h2>
          <Jobs jobs={shown} showOutput={setOpenedJob} />
          {shown.length < ended.length && (
            <button class="button more" type="button" onClick={() => setShowsAll(true)}>
              {say('showAll', { n: ended.length - shown.length })}
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
        <Job key={`${job.server} ${job.id}`} job={job} showOutput={() => openedJob(job)} />
      ))}
    </ul>
  )
}
