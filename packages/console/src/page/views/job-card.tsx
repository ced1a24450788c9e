// One job: command, state and last lines of output. The lines follow the end unless the user has scrolled up.

import { useLayoutEffect, useRef } from 'preact/hooks'

import { formatExitCode, jobEndingKey } from '../../i18n/job-ending.js'
import type { JobView } from '../../view.js'
import { ConfirmButton } from '../components/dialog.js'
import { Icon } from '../components/icon.js'
import { stripControls } from '../components/strip-controls.js'
import { ProjectName, RelativeTime, TranslatedText } from '../components/text.js'
import { useAction } from '../use-console.js'
import { useNow } from '../use-now.js'
import { useTranslator } from '../use-translator.js'

interface OutputTailProps {
  readonly text: string
  readonly label: string
  readonly empty: string
}

function OutputTail({ text, label, empty }: OutputTailProps) {
  const box = useRef<HTMLPreElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [text])
  if (text === '') return <p class="quiet none">{empty}</p>
  return (
    <pre
      ref={box}
      dir="ltr"
      // Scrollable, so it must be focusable.
      tabIndex={0}
      role="group"
      aria-label={label}
      onScroll={({ currentTarget: at }) => {
        isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 8
      }}
    >
      {stripControls(text)}
    </pre>
  )
}

interface JobCardProps {
  readonly job: JobView
  readonly showOutput: () => void
}

export function JobCard({ job, showOutput }: JobCardProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const label = `${translate('lastLines')} #${job.id}`
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
      <div class="actions">
        <button class="button" type="button" onClick={showOutput}>
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
