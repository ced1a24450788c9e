// Recent tool calls, newest first.

import type { CallView } from '../../../services/board/view.js'
import type { Key } from '../../../services/board/languages/phrase.js'
import { Icon, type Drawing } from '../parts/icon.js'
import { Moment } from '../parts/moment.js'
import { Project } from '../parts/project.js'
import { ViewFrame } from '../parts/view-frame.js'
import { useWords } from '../speech.js'
import { useNow } from '../ticking.js'

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

const OUTCOMES: Readonly<Record<CallView['outcome'], { phrase: Key; icon: Drawing; tone: string }>> = {
  ok: { phrase: 'ok', icon: 'check', tone: 'good' },
  error: { phrase: 'failed', icon: 'cross', tone: 'bad' },
  cancelled: { phrase: 'cancelled', icon: 'cross', tone: 'dim' },
  running: { phrase: 'running', icon: 'dots', tone: 'busy' },
}

function Call({ call }: { readonly call: CallView }) {
  const { say, duration } = useWords()
  const { phrase, icon, tone } = OUTCOMES[call.outcome]
  return (
    <li>
      <span class="outcome" title={say(phrase)}>
        <Icon of={icon} tone={tone} />
        <span class="unseen">{say(phrase)}: </span>
      </span>
      <div class="what">
        <b dir="ltr">{call.tool}</b>
        <bdi class="input" dir="auto" title={call.about}>
          {call.about}
        </bdi>
      </div>
      <p class="meta">
        <Project path={call.project} />
        <Moment at={call.startedAt} />
        <span class="took">{call.outcome === 'running' ? <Since at={call.startedAt} /> : duration(call.ms)}</span>
      </p>
    </li>
  )
}

function Since({ at }: { readonly at: number }) {
  const { duration } = useWords()
  return <>{duration(Math.max(0, Math.floor((useNow() - at) / 1000)) * 1000)}</>
}
