// Recent tool calls, newest first. Shown by console-page. Renders only.

import type { TranslationKey } from '../../i18n/translator.js'
import type { CallView } from '../../view.js'
import { Icon, type IconName } from '../components/icon.js'
import { ProjectName, RelativeTime } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { useNow } from '../use-now.js'
import { useTranslator } from '../use-translator.js'

export function CallsView({ calls }: { readonly calls: readonly CallView[] }) {
  const sorted = [...calls].sort((a, b) => b.startedAt - a.startedAt)
  return (
    <ViewFrame
      route="calls"
      summary={{ phrase: 'callsRecent', n: calls.length }}
      empty={{ phrase: 'callsNone', how: 'callsHow' }}
      isEmpty={calls.length === 0}
    >
      <ul class="calls card">
        {sorted.map((call, index) => (
          <Call key={`${call.server} ${call.startedAt} ${call.tool} ${sorted.length - index}`} call={call} />
        ))}
      </ul>
    </ViewFrame>
  )
}

const OUTCOMES: Readonly<Record<CallView['outcome'], { phrase: TranslationKey; icon: IconName; tone: string }>> = {
  ok: { phrase: 'ok', icon: 'check', tone: 'good' },
  error: { phrase: 'failed', icon: 'cross', tone: 'bad' },
  cancelled: { phrase: 'cancelled', icon: 'cross', tone: 'dim' },
  running: { phrase: 'running', icon: 'dots', tone: 'busy' },
}

function Call({ call }: { readonly call: CallView }) {
  const { translate, formatDuration } = useTranslator()
  const { phrase, icon, tone } = OUTCOMES[call.outcome]
  return (
    <li>
      <span class="outcome" title={translate(phrase)}>
        <Icon of={icon} tone={tone} />
        <span class="unseen">{translate(phrase)}: </span>
      </span>
      <div class="what">
        <b dir="ltr">{call.tool}</b>
        <bdi class="input" dir="auto" title={call.about}>
          {call.about}
        </bdi>
      </div>
      <p class="meta">
        <ProjectName path={call.project} />
        <RelativeTime at={call.startedAt} />
        <span class="took">{call.outcome === 'running' ? <Since at={call.startedAt} /> : formatDuration(call.ms)}</span>
      </p>
    </li>
  )
}

function Since({ at }: { readonly at: number }) {
  const { formatDuration } = useTranslator()
  return <>{formatDuration(Math.max(0, Math.floor((useNow() - at) / 1000)) * 1000)}</>
}
