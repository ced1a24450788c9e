// The state of a job as an icon and as words: running for some time, or how it ended. Used by the list of jobs and by
// what is open in it. Renders only.

import { formatExitCode, hasFailed, jobEndingKey } from '../../i18n/job-ending.js'
import type { JobView } from '../../view.js'
import { useNow } from '../use-now.js'
import { useTranslator } from '../use-translator.js'
import { Icon } from './icon.js'
import { TranslatedText } from './text.js'

export function JobStateIcon({ job }: { readonly job: JobView }) {
  const { translate } = useTranslator()
  const tone = job.exitCode === 0 ? 'good' : hasFailed(job) ? 'bad' : 'quiet'
  return (
    <>
      {job.isRunning ? (
        <span class="lamp running" aria-hidden="true" />
      ) : (
        <Icon of={tone === 'good' ? 'check' : 'cross'} tone={tone} />
      )}
      <span class="unseen">{translate(job.isRunning ? 'running' : 'ended')}: </span>
    </>
  )
}

export function JobRuntime({ since }: { readonly since: number }) {
  const { translate, formatDuration } = useTranslator()
  const seconds = Math.max(0, Math.floor((useNow() - since) / 1000))
  return (
    <span role="timer">
      {seconds === 0 ? translate('running') : translate('runningFor', { time: formatDuration(seconds * 1000) })}
    </span>
  )
}

export function JobEnding({ job }: { readonly job: JobView }) {
  const { translate } = useTranslator()
  const code = formatExitCode(job)
  const tone = hasFailed(job) ? 'bad' : ''
  if (code === undefined) return <span class={tone}>{translate(jobEndingKey(job))}</span>
  return (
    <span class={tone}>
      <TranslatedText textKey="exitCode" values={{ code: <bdi dir="ltr">{code}</bdi> }} />
    </span>
  )
}
