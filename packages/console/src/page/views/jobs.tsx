// Background jobs: running ones first, then ended ones. Shown by console-page. Sends actions.

import { useRef, useState } from 'preact/hooks'

import { formatExitCode, jobEndingKey } from '../../i18n/job-ending.js'
import type { JobView } from '../../view.js'
import { ConfirmButton } from '../components/dialog.js'
import { Icon } from '../components/icon.js'
import { OutputBox } from '../components/output-box.js'
import { stripControls } from '../components/strip-controls.js'
import { ProjectName, RelativeTime, TranslatedText } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { useAction } from '../use-console.js'
import { useNow } from '../use-now.js'
import { useTranslator } from '../use-translator.js'
import { JobOutput } from './job-output.js'
import { GiveBack, JobTerminal } from './job-terminal.js'

/** Ended jobs shown at first. */
const SHOWN_ENDED = 20

export function JobsView({ jobs }: { readonly jobs: readonly JobView[] }) {
  const { translate } = useTranslator()
  const [showsAll, setShowsAll] = useState(false)
  // Kept here and not in the card, which moves to another list when the job ends; the open dialog must stay.
  const [opened, setOpened] = useState<OpenedJob>()
  const close = (): void => setOpened(undefined)
  const openedJob = opened && (jobs.find((job) => isSameJob(job, opened.job)) ?? opened.job)
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
          <Jobs jobs={running} open={setOpened} />
        </section>
      )}
      {ended.length > 0 && (
        <section aria-labelledby="ended">
          <h2 id="ended">{translate('ended')}</h2>
          <Jobs jobs={shown} open={setOpened} />
          {shown.length < ended.length && (
            <button class="button more" type="button" onClick={() => setShowsAll(true)}>
              {translate('showAll', { n: ended.length - shown.length })}
            </button>
          )}
        </section>
      )}
      {openedJob !== undefined &&
        (opened?.what === 'terminal' ? (
          <JobTerminal job={openedJob} close={close} />
        ) : (
          <JobOutput job={openedJob} close={close} />
        ))}
    </ViewFrame>
  )
}

interface OpenedJob {
  readonly job: JobView
  readonly what: 'output' | 'terminal'
}

function isSameJob(a: JobView, b: JobView): boolean {
  return a.server === b.server && a.id === b.id
}

interface JobsProps {
  readonly jobs: readonly JobView[]
  readonly open: (opened: OpenedJob) => void
}

function Jobs({ jobs, open }: JobsProps) {
  return (
    <ul class="cards">
      {jobs.map((job) => (
        <JobCard key={`${job.server} ${job.id}`} job={job} open={(what) => open({ job, what })} />
      ))}
    </ul>
  )
}

interface OutputTailProps {
  readonly text: string
  readonly label: string
  readonly empty: string
}

function OutputTail({ text, label, empty }: OutputTailProps) {
  const isAtEnd = useRef(true)
  if (text === '') return <p class="quiet none">{empty}</p>
  return (
    <OutputBox label={label} version={text} isAtEnd={isAtEnd}>
      {stripControls(text)}
    </OutputBox>
  )
}

interface JobCardProps {
  readonly job: JobView
  readonly open: (what: OpenedJob['what']) => void
}

/** One job: command, state and last lines of output. The lines follow the end unless the user has scrolled up. */
function JobCard({ job, open }: JobCardProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const label = `${translate('lastLines')} #${job.id}`
  const isTyping = job.terminal?.isUserTyping === true
  const command = (
    <code class="command" dir="ltr">
      {job.command}
    </code>
  )
  return (
    <li class="card job">
      <div class="title">
        <JobState job={job} />
        <h3>{command}</h3>
      </div>
      <p class="meta">
        <bdi dir="ltr">#{job.id}</bdi>
        <ProjectName path={job.project} />
        {job.isRunning ? <Runtime since={job.startedAt} /> : <Ended job={job} />}
      </p>
      {job.isRunning ? (
        <OutputTail text={job.tail} label={label} empty={translate('noOutput')} />
      ) : (
        job.tail !== '' && (
          <details>
            <summary>{translate('lastLines')}</summary>
            <OutputTail text={job.tail} label={label} empty="" />
          </details>
        )
      )}
      {isTyping && <p class="typing">{translate('terminalTaken')}</p>}
      <div class="actions">
        {isTyping && <GiveBack job={job} />}
        {job.isRunning && job.terminal && (
          <button class="button" type="button" onClick={() => open('terminal')}>
            {translate('terminal')}
            <span class="unseen"> #{job.id}</span>
          </button>
        )}
        <button class="button" type="button" onClick={() => open('output')}>
          {translate('wholeOutput')}
          <span class="unseen"> #{job.id}</span>
        </button>
        {job.isRunning && (
          <ConfirmButton
            label="kill"
            title="killAsk"
            warning="killMeans"
            cancelLabel="keepRunning"
            subject={`#${job.id}`}
            details={<p>{command}</p>}
            act={() => act('kill', { server: job.server, id: job.id })}
          />
        )}
      </div>
    </li>
  )
}

function JobState({ job }: { readonly job: JobView }) {
  const { translate } = useTranslator()
  const isFine = job.exitCode === 0
  return (
    <>
      {job.isRunning ? (
        <span class="lamp running" aria-hidden="true" />
      ) : (
        <Icon of={isFine ? 'check' : 'cross'} tone={isFine ? 'good' : 'bad'} />
      )}
      <span class="unseen">{translate(job.isRunning ? 'running' : 'ended')}: </span>
    </>
  )
}

function Runtime({ since }: { readonly since: number }) {
  const { translate, formatDuration } = useTranslator()
  const seconds = Math.max(0, Math.floor((useNow() - since) / 1000))
  return <span role="timer">{translate('runningFor', { time: formatDuration(seconds * 1000) })}</span>
}

function Ended({ job }: { readonly job: JobView }) {
  const { translate, formatDuration } = useTranslator()
  return (
    <>
      <Ending job={job} />
      {job.endedAt !== null && (
        <>
          <span>{translate('ranFor', { time: formatDuration(job.endedAt - job.startedAt) })}</span>
          <RelativeTime at={job.endedAt} />
        </>
      )}
    </>
  )
}

function Ending({ job }: { readonly job: JobView }) {
  const { translate } = useTranslator()
  const code = formatExitCode(job)
  if (code !== undefined) {
    return (
      <span class={job.exitCode === 0 ? '' : 'bad'}>
        <TranslatedText textKey="exitCode" values={{ code: <bdi dir="ltr">{code}</bdi> }} />
      </span>
    )
  }
  return <span class="bad">{translate(jobEndingKey(job))}</span>
}
