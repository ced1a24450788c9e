// All questions of one call as one form. It can be sent when each question has an answer, or declined as a whole.

import { useId, useState } from 'preact/hooks'

import type { QuestionView } from '../../../services/board/view.js'
import type { Question, Reply } from '../../../store/state/question-rows.js'
import { questionKey } from '../board-state.js'
import { Refusal } from '../parts/refusal.js'
import type { Done } from '../server.js'
import { useWords } from '../speech.js'
import { settleHere, useAct } from '../use-board.js'
import { BLANK, choose, chooseOther, replyOf, write, type Draft } from './draft.js'
import { Foreign } from '../parts/foreign.js'

const drafts = new Map<string, readonly Draft[]>()

interface QuestionFormProps {
  readonly question: QuestionView
  readonly settled: (text: string) => void
}

export function QuestionForm({ question, settled }: QuestionFormProps) {
  const { say } = useWords()
  const act = useAct()
  const key = questionKey(question)
  const [draft, setDraft] = useState<readonly Draft[]>(() => drafts.get(key) ?? question.questions.map(() => BLANK))
  const [isChecked, setChecked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [done, setDone] = useState<Done>()
  const replies = question.questions.map((asked, index) => replyOf(draft[index] ?? BLANK, asked))

  const change = (index: number, next: Draft): void => {
    const all = draft.map((entry, position) => (position === index ? next : entry))
    drafts.set(key, all)
    setDraft(all)
  }

  const send = async (complete: readonly Reply[], confirmationKey: 'answerSent' | 'declineSent'): Promise<void> => {
    setBusy(true)
    const unmark = settleHere(question)
    const outcome = await act('answer', { project: question.project, id: question.id, replies: complete })
    setBusy(false)
    setDone(outcome)
    if (!outcome.ok) return unmark()
    drafts.delete(key)
    settled(say(confirmationKey))
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
          draft={draft[index] ?? BLANK}
          isMissing={isChecked && replies[index] === undefined}
          change={(next) => change(index, next)}
        />
      ))}
      <Refusal done={done} />
      <div class="actions">
        <button class="button main" type="submit" disabled={isBusy}>
          {say(isBusy ? 'sending' : 'answer')}
        </button>
        <button class="button" type="button" disabled={isBusy} onClick={decline}>
          {say('decline')}
        </button>
      </div>
    </form>
  )
}

function focusMissing(form: HTMLFormElement, index: number, draft: readonly Draft[]): void {
  const group = form.querySelectorAll('fieldset')[index]
  const wanted = draft[index]?.hasOther === true ? '.field' : 'input'
  group?.querySelector<HTMLInputElement>(wanted)?.focus()
}

interface ChoicesProps {
  readonly question: Question
  readonly draft: Draft
  readonly isMissing: boolean
  readonly change: (draft: Draft) => void
}

function Choices({ question, draft, isMissing, change }: ChoicesProps) {
  const { say } = useWords()
  const id = useId()
  const type = question.multiple ? 'checkbox' : 'radio'
  const hint = say(question.multiple ? 'chooseMany' : 'chooseOne')
  return (
    <fieldset aria-describedby={isMissing ? `${id}hint ${id}error` : `${id}hint`}>
      <legend>
        {question.header !== null && <Foreign class="header" text={question.header} />}
        <Foreign class="text" text={question.text} />
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
            onChange={(event) => change(choose(draft, question, index, event.currentTarget.checked))}
          />
          <span class="words">
            <Foreign text={label} />
            {description !== null && description !== '' && <Foreign class="quiet" text={description} />}
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
          <span class="words">{say('other')}</span>
        </label>
        <input
          class="field"
          type="text"
          // Inherited while empty: the placeholder has no direction of its own.
          dir={draft.other === '' ? undefined : 'auto'}
          autocomplete="off"
          aria-label={`${say('other')}: ${say('ownWords')}`}
          placeholder={say('ownWords')}
          value={draft.other}
          onInput={(event) => change(write(draft, question, event.currentTarget.value))}
        />
      </div>
      <div role="alert">
        {isMissing && (
          <p id={`${id}error`} class="mistake">
            {say('answerMissing')}
          </p>
        )}
      </div>
    </fieldset>
  )
}
