// What is open in the list of jobs: the command, the state and what the job uses, its terminal or its output, and what
// can be done with it. A part of the page of its own, loaded when jobs are shown (jobs.tsx). Sends actions; changes the address when a job was restarted.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { JobView } from '../../view.js'
import { type ActionResult, textMember } from '../api.js'
import { CopyButton } from '../components/copy-button.js'
import { ConfirmButton } from '../components/dialog.js'
import { JobEnding, JobRuntime, JobStateIcon } from '../components/job-state.js'
import { useKeys } from '../components/keys.js'
import { stripControls } from '../components/strip-controls.js'
import { ProjectName, RelativeTime, UntrustedText } from '../components/text.js'
import { routeHref } from '../route.js'
import { useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { JobOutput } from './job-output.js'
import { GiveBack, JobTerminal } from './job-terminal.js'
import { JobUsage } from './job-usage.js'

export interface JobDetailProps {
  readonly job: JobView
  readonly isWrapped: boolean
  readonly setWrapped: (isWrapped: boolean) => void
}

export function JobDetail({ job, isWrapped, setWrapped }: JobDetailProps) {
  const { translate } = useTranslator()
  const isGone = useServers().isGone(job.server)
  const hasLiveTerminal = job.isRunning && job.terminal !== undefined && job.terminal !== null
  // A terminal that was opened stays when its program ends.
  const [shown, setShown] = useState<'terminal' | 'output'>(hasLiveTerminal ? 'terminal' : 'output')
  const terminalTab = useRef<HTMLButtonElement>(null)
  const outputTab = useRef<HTMLButtonElement>(null)
  const tab = (name: 'terminal' | 'output') => (
    <button
      ref={name === 'terminal' ? terminalTab : outputTab}
      class="button small"
      type="button"
      aria-pressed={shown === name}
      onClick={() => setShown(name)}
    >
      {translate(name === 'terminal' ? 'terminal' : 'jobOutput')}
    </button>
  )
  return (
    <article class={isGone ? 'job-detail stale' : 'job-detail'}>
      <JobHeading job={job} />
      {isGone && <p class="gone">{translate('jobServerGone')}</p>}
      {job.isRunning && <JobUsage job={job} />}
      {(hasLiveTerminal || shown === 'terminal') && !isGone && (
        <div class="job-tabs">
          {tab('terminal')}
          {tab('output')}
        </div>
      )}
      {shown === 'output' && job.terminal?.isUserTyping === true && (
        <div class="actions">
          <p class="typing">{translate('terminalTaken')}</p>
          <GiveBack job={job} />
        </div>
      )}
      {isGone ? (
        <LastLines job={job} />
      ) : shown === 'terminal' ? (
        <JobTerminal job={job} leaveTo={terminalTab} />
      ) : (
        <JobOutput job={job} isWrapped={isWrapped} setWrapped={setWrapped} />
      )}
    </article>
  )
}

function JobHeading({ job }: { readonly job: JobView }) {
  const { translate, formatDuration, formatDateTime } = useTranslator()
  const command = useWholeCommand(job)
  return (
    <>
      <div class="title job-title">
        <JobStateIcon job={job} />
        <h2>{translate('jobNumber', { id: `${job.id}` })}</h2>
        <JobActions job={job} command={command} />
      </div>
      <div class="job-command">
        <pre class="command" dir="ltr" tabIndex={0} role="group" aria-label={translate('jobCommand')}>
          {stripControls(command)}
        </pre>
        <CopyButton label="copyCommand" readText={() => command} />
      </div>
      <dl class="facts">
        <div>
          <dt>{translate('jobState')}</dt>
          <dd>{job.isRunning ? <JobRuntime since={job.startedAt} /> : <JobEnding job={job} />}</dd>
        </div>
        <div>
          <dt>{translate('jobProject')}</dt>
          <dd>
            <ProjectName path={job.project} />
          </dd>
        </div>
        {job.client !== undefined && (
          <div>
            <dt>{translate('callClient')}</dt>
            <dd>
              <UntrustedText text={job.client} />
            </dd>
          </div>
        )}
        <div>
          <dt>{translate('jobStarted')}</dt>
          <dd title={formatDateTime(job.startedAt)}>
            <RelativeTime at={job.startedAt} />
          </dd>
        </div>
        {job.endedAt !== null && (
          <div>
            <dt>{translate('ended')}</dt>
            <dd>
              <RelativeTime at={job.endedAt} />
              {' · '}
              {translate('ranFor', { time: formatDuration(Math.max(0, job.endedAt - job.startedAt)) })}
            </dd>
          </div>
        )}
      </dl>
    </>
  )
}

/** The list has the beginning of long commands only, in one line. */
function useWholeCommand({ server, id, command, isCommandShortened = false }: JobView): string {
  const act = useAction()
  const { canAct } = useServers()
  const canRead = isCommandShortened && canAct(server)
  const [whole, setWhole] = useState<string>()
  useEffect(() => {
    if (!canRead) return undefined
    let isWanted = true
    void act('job', { server, id }).then((result) => {
      const text = result.ok ? textMember(result.value, 'command') : null
      if (isWanted && text !== null) setWhole(text)
    })
    return () => void (isWanted = false)
  }, [act, canRead, server, id])
  return whole ?? command
}

function JobActions({ job, command }: { readonly job: JobView; readonly command: string }) {
  const { translate } = useTranslator()
  const act = useAction()
  const kill = useRef<HTMLButtonElement>(null)
  const restart = useRef<HTMLButtonElement>(null)
  useKeys([
    { keys: 'x', label: 'keyKill', run: () => kill.current?.click() },
    { keys: 'r', label: 'keyRestart', run: () => restart.current?.click() },
  ])
  const details = (
    <p>
      <code class="command" dir="ltr">
        {stripControls(command)}
      </code>
    </p>
  )
  const ref = { server: job.server, id: job.id }
  const subject = translate('jobNumber', { id: `${job.id}` })
  return (
    <div class="actions">
      {job.isRunning && (
        <ConfirmButton
          label="kill"
          title="killAsk"
          warning="killMeans"
          cancelLabel="keepRunning"
          subject={subject}
          details={details}
          server={job.server}
          buttonRef={kill}
          act={() => act('kill', ref)}
        />
      )}
      {job.usage === undefined ? (
        <p class="quiet">{translate('restartOld')}</p>
      ) : (
        <ConfirmButton
          label="restart"
          title="restartAsk"
          warning={job.isRunning ? 'restartMeans' : 'restartEndedMeans'}
          cancelLabel={job.isRunning ? 'keepRunning' : 'callRerunKeep'}
          subject={subject}
          details={details}
          server={job.server}
          buttonRef={restart}
          act={async () => openRestarted(await act('restart', ref))}
        />
      )}
    </div>
  )
}

function openRestarted(result: ActionResult): ActionResult {
  if (!result.ok || typeof result.value !== 'object' || result.value === null) return result
  const { server, id } = Object.fromEntries(Object.entries(result.value))
  if (typeof server === 'string' && typeof id === 'number') location.hash = routeHref('jobs', server, id)
  return result
}

/** Of a job whose output can no longer be read here. */
function LastLines({ job }: { readonly job: JobView }) {
  const { translate } = useTranslator()
  if (job.tail === '') return null
  return (
    <>
      <h3>{translate('lastLines')}</h3>
      <pre
        class="output"
        dir="ltr"
        tabIndex={0}
        role="group"
        aria-label={`${translate('lastLines')} · ${translate('jobNumber', { id: `${job.id}` })}`}
      >
        {stripControls(job.tail)}
      </pre>
    </>
  )
}
