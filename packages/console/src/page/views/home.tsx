// Home: what needs the user. Passwords, questions and plans that block a model come first, then other questions, failed
// jobs, and callbacks that fired. Shown by console-page. Its cards send actions.

import { type AskedItem, listAsked } from '../../asked-items.js'
import type { ConsoleView } from '../../view.js'
import { type SettledHandler, ViewFrame } from '../components/view-frame.js'
import { useHiddenItems } from '../hidden-items.js'
import { ApprovalCard } from './approval-card.js'
import { countHomeItems, listFailedJobs, listMessages, NewsSection } from './home-news.js'
import { useKeyedQuestion, useStableOrder } from './home-order.js'
import { LostDrafts, useLostDrafts } from './lost-drafts.js'
import { isApprovalForm, QuestionCard } from './question-card.js'
import { SecretCard } from './secret-card.js'

interface HomeViewProps {
  readonly view: ConsoleView
  readonly onSettled: SettledHandler
}

export function HomeView({ view, onSettled }: HomeViewProps) {
  const { isHidden, hide } = useHiddenItems()
  const asked = listAsked(view)
  const order = useStableOrder(asked.map(({ key }) => key))
  const entries = order.flatMap((key) => asked.find((entry) => entry.key === key) ?? [])
  const keyed = useKeyedQuestion(entries.filter(takesNumberKeys).map(({ key }) => key))
  const lost = useLostDrafts(order)
  const jobs = listFailedJobs(view.jobs).filter(({ key }) => !isHidden(key))
  const messages = listMessages(view.messages).filter(({ key }) => !isHidden(key))
  const n = countHomeItems(view, isHidden)
  return (
    <ViewFrame
      view="home"
      summary={{ phrase: 'homeItems', n }}
      empty={{ phrase: 'homeNone', how: 'homeHow' }}
      isEmpty={n + lost.drafts.length === 0}
    >
      <LostDrafts {...lost} focused={keyed.focused} />
      <div class="home-columns">
        <ul class="cards">
          {entries.map((entry) => (
            <li
              key={entry.key}
              class={entry.isBlocking ? 'card blocking' : 'card'}
              data-key={entry.key}
              tabIndex={-1}
              onFocusIn={() => keyed.choose(entry.key)}
            >
              <AskedCard entry={entry} takesKeys={keyed.active === entry.key} onSettled={onSettled} />
            </li>
          ))}
        </ul>
        <div class="home-news">
          <NewsSection title="homeFailedJobs" items={jobs} moreView="jobs" hide={hide} />
          <NewsSection title="homeCallbacks" items={messages} moreView="callbacks" hide={hide} />
        </div>
      </div>
    </ViewFrame>
  )
}

function takesNumberKeys(entry: AskedItem): boolean {
  return entry.kind === 'question' && !isApprovalForm(entry.question)
}

interface AskedCardProps {
  readonly entry: AskedItem
  readonly takesKeys: boolean
  readonly onSettled: SettledHandler
}

function AskedCard({ entry, takesKeys, onSettled }: AskedCardProps) {
  if (entry.kind === 'secret') return <SecretCard secret={entry.secret} onSettled={onSettled} />
  if (entry.kind === 'approval') return <ApprovalCard approval={entry.approval} onSettled={onSettled} />
  return <QuestionCard question={entry.question} takesKeys={takesKeys} onSettled={onSettled} />
}
