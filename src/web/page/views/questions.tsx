// Open questions, one form per card.

import type { QuestionView } from '../../../services/board/view.js'
import { questionKey } from '../board-state.js'
import { Moment } from '../parts/moment.js'
import { Project } from '../parts/project.js'
import { ViewFrame } from '../parts/view-frame.js'
import { useWords } from '../speech.js'
import { QuestionForm } from './question-form.js'

interface QuestionsViewProps {
  readonly questions: readonly QuestionView[]
  readonly settled: (text: string) => void
}

export function QuestionsView({ questions, settled }: QuestionsViewProps) {
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
            <QuestionForm question={question} settled={settled} />
          </li>
        ))}
      </ul>
    </ViewFrame>
  )
}

function About({ question }: { readonly question: QuestionView }) {
  const { say } = useWords()
  return (
    <div class="about">
      <p class="meta">
        <Project path={question.project} />
        <Moment at={question.askedAt} phrase="asked" />
      </p>
      <p class={question.waiting ? 'state urgent' : 'state'}>
        <span class="lamp" aria-hidden="true" />
        {say(question.waiting ? 'callWaits' : 'callGone')}
      </p>
    </div>
  )
}
