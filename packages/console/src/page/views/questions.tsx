// Open questions, one form per card; plans that wait for approval come first.

import type { ApprovalView, QuestionView } from '../../view.js'
import { ProjectName, RelativeTime } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { approvalKey, questionKey } from '../use-console.js'
import { useTranslator } from '../use-translator.js'
import { ApprovalCard } from './approval-card.js'
import { QuestionForm } from './question-form.js'

interface QuestionsViewProps {
  readonly approvals: readonly ApprovalView[]
  readonly questions: readonly QuestionView[]
  readonly onSettled: (text: string) => void
}

export function QuestionsView({ approvals, questions, onSettled: settled }: QuestionsViewProps) {
  const n = approvals.length + questions.length
  return (
    <ViewFrame
      route="questions"
      summary={{ phrase: 'questionsWaiting', n }}
      empty={{ phrase: 'questionsNone', how: 'questionsHow', tool: 'AskUserQuestion', other: 'PlanMode' }}
      isEmpty={n === 0}
    >
      <ul class="cards">
        {approvals.map((approval) => (
          <li key={approvalKey(approval)} class="card">
            <ApprovalCard approval={approval} onSettled={settled} />
          </li>
        ))}
        {questions.map((question) => (
          <li key={questionKey(question)} class="card">
            <About question={question} />
            <QuestionForm question={question} onSettled={settled} />
          </li>
        ))}
      </ul>
    </ViewFrame>
  )
}

function About({ question }: { readonly question: QuestionView }) {
  const { translate } = useTranslator()
  return (
    <div class="about">
      <p class="meta">
        <ProjectName path={question.project} />
        <RelativeTime at={question.askedAt} phrase="asked" />
      </p>
      <p class={question.waiting ? 'state urgent' : 'state'}>
        <span class="lamp" aria-hidden="true" />
        {translate(question.waiting ? 'callWaits' : 'callGone')}
      </p>
    </div>
  )
}
