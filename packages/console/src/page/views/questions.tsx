// Open questions, one form per card; passwords that commands ask for and plans that wait for approval come first. Shown
// by console-page. Sends actions.

import { useId, useState } from 'preact/hooks'

import type { FormQuestion, QuestionReply } from '@scorpiox/server/calls/question-form'
import type { ApprovalView, QuestionView, SecretView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { ProjectName, RelativeTime, UntrustedText } from '../components/text.js'
import { findFocusedCard, type SettledHandler, ViewFrame } from '../components/view-frame.js'
import { approvalKey, markSettledHere, questionKey, secretKey, useAction } from '../use-console.js'
import { useTranslator } from '../use-translator.js'
import { type AnswerDraft, chooseOption, chooseOther, EMPTY_DRAFT, setOtherText, toReply } from './answer-draft.js'
import { ApprovalCard } from './approval-card.js'
import { SecretCard } from './secret-card.js'

interface QuestionsViewProps {
  readonly secrets: readonly SecretView[]
  readonly approvals: readonly ApprovalView[]
  readonly questions: readonly QuestionView[]
  readonly onSettled: SettledHandler
}

export function QuestionsView({ secrets, approvals, questions, onSettled: settled }: QuestionsViewProps) {
  const n = secrets.length + approvals.length + questions.length
  return (
    <ViewFrame
      route="questions"
      summary={{ phrase: 'questionsWaiting', n }}
      empty={{ phrase: 'questionsNone', how: 'questionsHow', tool: 'AskUserQuestion', other: 'PlanMode' }}
      isEmpty={n === 0}
    >
      <ul class="cards">
        {secrets.map((secret) => (
          <li key={secretKey(secret)} class="card">
            <SecretCard secret={secret} onSettled={settled} />
          </li>
        ))}
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

const drafts = new Map<string, readonly AnswerDraft[]>()

interface QuestionFormProps {
  readonly question: QuestionView
  readonly onSettled: SettledHandler
}

/** All questions of one call as one form. It can be sent when each question has an answer, or declined as a whole. */
function QuestionForm({ question, onSettled }: QuestionFormProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const key = questionKey(question)
  const [draft, setDraft] = useState<readonly AnswerDraft[]>(
    () => drafts.get(key) ?? question.questions.map(() => EMPTY_DRAFT),
  )
  const [isChecked, setChecked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [done, setDone] = useState<ActionResult>()
  const replies = question.questions.map((asked, index) => toReply(draft[index] ?? EMPTY_DRAFT, asked))

  const change = (index: number, next: AnswerDraft): void => {
    const all = draft.map((entry, position) => (position === index ? next : entry))
    drafts.set(key, all)
    setDraft(all)
  }

  const send = async (
    complete: readonly QuestionReply[],
    confirmationKey: 'answerSent' | 'declineSent',
  ): Promise<void> => {
    const card = findFocusedCard()
    setBusy(true)
    const unmark = markSettledHere(key)
    const outcome = await act('answer', { project: question.project, id: question.id, replies: complete })
    setBusy(false)
    setDone(outcome)
    if (!outcome.ok) return unmark()
    drafts.delete(key)
    onSettled(translate(confirmationKey), card)
  }

  const submit = (event: Event & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault()
    setChecked(true)
    const complete = replies.flatMap((reply) => reply ?? [])
    if (complete.length === replies.length) void send(complete, 'answerSent')
    else focusMissing(event.currentTarget, replies.indexOf(undefined), draft)
  }

  const decline = (): void => {
    void send(
      question.questions.map(() => ({ outcome: 'declined', selected: [] })),
      'declineSent',
    )
  }

  return (
    <form class="asking" onSubmit={submit} noValidate>
      {question.questions.map((asked, index) => (
        <Choices
          key={index}
          question={asked}
          draft={draft[index] ?? EMPTY_DRAFT}
          isMissing={isChecked && replies[index] === undefined}
          change={(next) => change(index, next)}
        />
      ))}
      <ActionError result={done} />
      <div class="actions">
        <button class="button main" type="submit" disabled={isBusy}>
          {translate(isBusy ? 'sending' : 'answer')}
        </button>
        <button class="button" type="button" disabled={isBusy} onClick={decline}>
          {translate('decline')}
        </button>
      </div>
    </form>
  )
}

function focusMissing(form: HTMLFormElement, index: number, draft: readonly AnswerDraft[]): void {
  const group = form.querySelectorAll('fieldset')[index]
  const wanted = draft[index]?.hasOther === true ? '.field' : 'input'
  group?.querySelector<HTMLInputElement>(wanted)?.focus()
}

interface ChoicesProps {
  readonly question: FormQuestion
  readonly draft: AnswerDraft
  readonly isMissing: boolean
  readonly change: (draft: AnswerDraft) => void
}

function Choices({ question, draft, isMissing, change }: ChoicesProps) {
  const { translate } = useTranslator()
  const id = useId()
  const type = question.multiple ? 'checkbox' : 'radio'
  const hint = translate(question.multiple ? 'chooseMany' : 'chooseOne')
  return (
    <fieldset aria-describedby={isMissing ? `${id}hint ${id}error` : `${id}hint`}>
      <legend>
        {question.header !== null && <UntrustedText class="header" text={question.header} />}
        <UntrustedText class="text" text={question.text} />
      </legend>
      <p id={`${id}hint`} class="quiet hint">
        {hint}
      </p>
      {question.choices.map(({ label, description }, index) => (
        <label key={index} class="choice">
          <input
            type={type}
            name={id}
            checked={draft.chosen.includes(index)}
            onChange={(event) => change(chooseOption(draft, question, index, event.currentTarget.checked))}
          />
          <span class="text">
            <UntrustedText text={label} />
            {description !== null && description !== '' && <UntrustedText class="quiet" text={description} />}
          </span>
        </label>
      ))}
      <div class="choice own">
        <label>
          <input
            type={type}
            name={id}
            checked={draft.hasOther}
            onChange={(event) => change(chooseOther(draft, question, event.currentTarget.checked))}
          />
          <span class="text">{translate('other')}</span>
        </label>
        <input
          class="field"
          type="text"
          // Inherited while empty: the placeholder has no direction of its own.
          dir={draft.other === '' ? undefined : 'auto'}
          autocomplete="off"
          aria-label={`${translate('other')}: ${translate('ownWords')}`}
          placeholder={translate('ownWords')}
          value={draft.other}
          onInput={(event) => change(setOtherText(draft, question, event.currentTarget.value))}
        />
      </div>
      <div role="alert">
        {isMissing && (
          <p id={`${id}error`} class="mistake">
            {translate('answerMissing')}
          </p>
        )}
      </div>
    </fieldset>
  )
}
