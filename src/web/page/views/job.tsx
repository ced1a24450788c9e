import type { JobView } from '../../../services/board/view.js'
import { endingKey, exitCodeText } from '../../../services/board/languages/job-ending.js'
import { ConfirmedButton } from '../parts/confirmed-button.js'
import { Icon } from '../parts/icon.js'
import { Moment } from '../parts/moment.js'
import { Project } from '../parts/project.js'
import { Said } from '../parts/said.js'
import { useWords } from '../speech.js'
import { useNow } from '../ticking.js'
import { useAct } from '../use-board.js'
import { Tail } from './tail.js'
import { Foreign } from '../parts/foreign.js'

interface JobCardProps {
  readonly job: JobView
  readonly showOutput: () => void
}

export function Job({ job, showOutput }: JobCardProps) {
  const { say } = useWords()
  const act = useAct()
  const label = `${say('lastLines')} #${job.id}`
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
        <Project path={job.project} />
        {job.isRunning ? <Runtime since={job.startedAt} /> : <Ended job={job} />}
      </p>
      {job.isRunning ? (
        <Tail text={job.tail} label={label} empty={say('noOutput')} />
      ) : (
        job.tail !== '' && (
          <details>
            <summary>{say('lastLines')}</summary>
            <Tail text={job.tail} label={label} empty="" />
          </details>
        )
      )}
      <div class="actions">
        <button class="button" type="button" onClick={showOutput}>
          {say('wholeOutput')}
          <span class="unseen"> #{job.id}</span>
        </button>
        {job.isRunning && (
          <ConfirmedButton
            name="kill"
            ask="killAsk"
            means="killMeans"
            keep="keepRunning"
            subject={`#${job.id}`}
            shown={<p>{command}</p>}
            act={() => act('kill', { server: job.server, id: job.id })}
          />
        )}
      </div>
    </li>
  )
}

function JobState({ job }: { readonly job: JobView }) {
  const { say } = useWords()
  const isFine = job.exitCode === 0
  return (
    <>
      {job.isRunning ? (
        <span class="lamp running" aria-hidden="true" />
      ) : (
        <Icon of={isFine ? 'check' : 'cross'} tone={isFine ? 'good' : 'bad'} />
      )}
      <span class="unseen">{say(job.isRunning ? 'running' : 'ended')}: </span>
    </>
  )
}

function Runtime({ since }: { readonly since: number }) {
  const { say, duration } = useWords()
  const seconds = Math.max(0, Math.floor((useNow() - since) / 1000))
  return <span role="timer">{say('runningFor', { time: duration(seconds * 1000) })}</span>
}

function Ended({ job }: { readonly job: JobView }) {
  const { say, duration } = useWords()
  return (
    <>
      <Ending job={job} />
      {job.endedAt !== null && (
        <>
          <span>{say('ranFor', { time: duration(job.endedAt - job.startedAt) })}</span>
          <Moment at={job.endedAt} />
        </>
      )}
    </>
  )
}

function Ending({ job: { exitCode, ending } }: { readonly job: JobView }) {
  const { say } = useWords()
  const code = exitCodeText(exitCode, ending)
  if (code !== undefined) {
    return (
      <span class={exitCode === 0 ? '' : 'bad'}>
        <Said phrase="exitCode" places={{ code: <bdi dir="ltr">{code}</bdi> }} />
      </span>
    )
  }
  const phrase = endingKey(ending)
  return <span class="bad">{phrase === undefined ? <Foreign lang="en" text={ending} /> : say(phrase)}</span>
}
