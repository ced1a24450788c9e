// One call in a list: its outcome, what it was about, and why it failed. Used by calls.tsx and session-timeline.tsx.
// Renders only.

import type { CallView } from '../../view.js'
import { Icon, type IconName } from '../components/icon.js'
import { ProjectName, RelativeTime, UntrustedText } from '../components/text.js'
import { useNow } from '../use-now.js'
import { useTranslator } from '../use-translator.js'
import { OUTCOME_NAMES } from './call-filters.js'

const OUTCOME_ICONS: Readonly<Record<CallView['outcome'], { readonly icon: IconName; readonly tone: string }>> = {
  ok: { icon: 'check', tone: 'good' },
  error: { icon: 'cross', tone: 'bad' },
  cancelled: { icon: 'cross', tone: 'dim' },
  running: { icon: 'dots', tone: 'busy' },
}

interface CallRowProps {
  readonly call: CallView
  readonly href: string
  readonly isOpen: boolean
}

export function CallRow({ call, href, isOpen }: CallRowProps) {
  return (
    <a class={isOpen ? 'call-row current' : 'call-row'} href={href} aria-current={isOpen ? 'true' : undefined}>
      <CallOutcome outcome={call.outcome} />
      <span class="call-what">
        <b dir="ltr">{call.tool}</b>
        <bdi class="call-about" dir="auto">
          {call.about}
        </bdi>
      </span>
      {call.error !== null && call.error !== '' && (
        <span class="call-error">
          <UntrustedText text={call.error} />
        </span>
      )}
      <span class="meta">
        <ProjectName path={call.project} />
        <RelativeTime at={call.startedAt} />
        <span class="took">
          <CallDuration call={call} />
        </span>
      </span>
    </a>
  )
}

export function CallOutcome({ outcome }: Pick<CallView, 'outcome'>) {
  const { translate } = useTranslator()
  const { icon, tone } = OUTCOME_ICONS[outcome]
  return (
    <span class="outcome" title={translate(OUTCOME_NAMES[outcome])}>
      <Icon of={icon} tone={tone} />
      <span class="unseen">{translate(OUTCOME_NAMES[outcome])}: </span>
    </span>
  )
}

export function CallDuration({ call }: { readonly call: CallView }) {
  const { formatDuration } = useTranslator()
  return call.outcome === 'running' ? <Since at={call.startedAt} /> : <>{formatDuration(call.ms)}</>
}

function Since({ at }: { readonly at: number }) {
  const { formatDuration } = useTranslator()
  return <>{formatDuration(Math.max(0, Math.floor((useNow() - at) / 1000)) * 1000)}</>
}
