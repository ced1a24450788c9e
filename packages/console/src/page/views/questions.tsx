// Open questions, one form per card.

import type { QuestionView } from '../../view.js'
import { ProjectName, RelativeTime } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { questionKey } from '../use-console.js'
import { useTranslator } from '../use-translator.js'
import { QuestionForm } from './question-form.js'

interface QuestionsViewProps {
  readonly questions: readonly QuestionView[]
  readonly onSettled: (text: string) => void
}

export function QuestionsView({ questions, onSettled: settled }: QuestionsViewProps) {
  return (
    <ViewFrame
      route="questions"
      summary={{ phrase: 'questionsWaiting', n: questions.length }}
      empty={{ phrase: 'questionsNone', how: 'questionsHow', tool: 'AskUserQuestion' }}
      isEmpty={questions.length === 0}
    >
      <ul class="cards">
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
