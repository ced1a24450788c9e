// The questions of one call as one form, which can be sent when each has an answer, or declined as a whole. Keys 1 to 9
// choose an option of the question that is marked, Enter sends; a question that permits a command takes no number keys.
// What was entered is kept as a draft. Shown by Home. Sends actions.

import { useRef, useState } from 'preact/hooks'

import type { QuestionReply } from '@scorpiox/server/calls/question-form'
import { questionKey } from '../../asked-items.js'
import type { QuestionView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { useKeys } from '../components/keys.js'
import { ClientName, ProjectName, RelativeTime } from '../components/text.js'
import { findFocusedCard, type SettledHandler } from '../components/view-frame.js'
import { deleteDraft, markSending, readDraft, saveDraft } from '../draft-store.js'
import { markSettledHere, useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { type AnswerDraft, chooseOption, chooseOther, EMPTY_DRAFT, parseAnswerDrafts, toReply } from './answer-draft.js'
import { Choices } from './question-choices.js'
import { useArmed } from './use-armed.js'

interface QuestionCardProps {
  readonly question: QuestionView
  /** Whether the number keys choose its options. */
  readonly takesKeys: boolean
  readonly onSettled: SettledHandler
}

export function QuestionCard({ question, takesKeys, onSettled }: QuestionCardProps) {
  const { translate } = useTranslator()
  return (
    <>
      <div class="about">
        <p class="meta">
          <ProjectName path={question.project} />
          <ClientName client={question.client} />
          <RelativeTime at={question.askedAt} phrase="asked" />
        </p>
        <p class={question.waiting ? 'state urgent' : 'state'}>
          <span class="lamp" aria-hidden="true" />
          {translate(question.waiting ? 'callWaits' : 'callGone')}
        </p>
      </div>
      <QuestionForm question={question} takesKeys={takesKeys} onSettled={onSettled} />
    </>
  )
}

function QuestionForm({ question, takesKeys, onSettled }: QuestionCardProps) {
  const { translate } = useTranslator()
  const canAct = useServers().canAct()
  const form = useRef<HTMLFormElement>(null)
  const { drafts, change } = useAnswerDrafts(question)
  const { isBusy, result, send } = useSend(question, onSettled)
  const [isChecked, setChecked] = useState(false)
  const [focused, setFocused] = useState<number>()
  const replies = question.questions.map((asked, index) => toReply(drafts[index] ?? EMPTY_DRAFT, asked))
  const firstOpen = replies.indexOf(undefined)
  const current = focused ?? Math.max(0, firstOpen)
  const isApproval = isApprovalForm(question)
  const isArmed = useArmed() || !isApproval
  const isTaking = takesKeys && !isBusy && canAct && !isApproval

  useChoiceKeys(isTaking, (position) => {
    const asked = question.questions[current]
    const draft = drafts[current]
    if (asked === undefined || draft === undefined || position > asked.choices.length) return
    const isOther = position === asked.choices.length
    if (isOther) change(current, chooseOther(draft, asked, true))
    else change(current, chooseOption(draft, asked, position, !asked.multiple || !draft.chosen.includes(position)))
    focusChoice(form.current, current, isOther ? '.field' : `[data-choice="${position}"]`)
  })

  const submit = (event: Event): void => {
    event.preventDefault()
    if (!isArmed) return
    const complete = replies.flatMap((reply) => reply ?? [])
    if (complete.length === replies.length) return void send(complete, 'answerSent')
    const from = focusedQuestion(form.current)
    // Enter in a question that has an answer goes on to the next one.
    const goesOn = from !== undefined && replies[from] !== undefined
    if (!goesOn) setChecked(true)
    focusChoice(form.current, firstOpen, drafts[firstOpen]?.hasOther === true ? '.field' : 'input')
  }

  const decline = (): void => {
    void send(
      question.questions.map(() => ({ outcome: 'declined', selected: [] })),
      'declineSent',
    )
  }

  return (
    <form
      ref={form}
      class="asking"
      onSubmit={submit}
      onKeyDown={submitByEnter}
      onFocusIn={() => setFocused(focusedQuestion(form.current))}
      onFocusOut={() => setFocused(undefined)}
      noValidate
    >
      {question.questions.map((asked, index) => (
        <Choices
          key={index}
          question={asked}
          draft={drafts[index] ?? EMPTY_DRAFT}
          isMissing={isChecked && replies[index] === undefined}
          takesKeys={isTaking && index === current}
          change={(next) => change(index, next)}
        />
      ))}
      <ActionError result={result} />
      <div class="actions">
        <button class="button main" type="submit" disabled={isBusy || !canAct} aria-disabled={!isArmed}>
          {translate(isBusy ? 'sending' : 'answer')}
        </button>
        <button class="button" type="button" disabled={isBusy || !canAct} onClick={decline}>
          {translate('decline')}
        </button>
        {isTaking && <p class="quiet key-hint">{translate('answerKeys')}</p>}
      </div>
    </form>
  )
}

/** It permits a command: no number key chooses an option, and the button works a second after the card has appeared. */
export function isApprovalForm({ questions }: QuestionView): boolean {
  return questions.some((asked) => asked.isApproval === true)
}

function useAnswerDrafts(question: QuestionView) {
  const key = questionKey(question)
  const count = question.questions.length
  const [drafts, setDrafts] = useState<readonly AnswerDraft[]>(() => parseAnswerDrafts(readDraft(key), count))
  const change = (index: number, next: AnswerDraft): void => {
    const form = drafts.map((draft, position) => (position === index ? next : draft))
    setDrafts(form)
    const typed = form.map(({ other }) => other).filter((text) => text.trim() !== '')
    saveDraft({ key, project: question.project, title: question.questions[0]?.text ?? '', typed, form })
  }
  return { drafts, change }
}

function useSend(question: QuestionView, onSettled: SettledHandler) {
  const { translate } = useTranslator()
  const act = useAction()
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<ActionResult>()
  const send = async (
    replies: readonly QuestionReply[],
    confirmationKey: 'answerSent' | 'declineSent',
  ): Promise<void> => {
    // A second Enter must not send the answer again, also while the sent one is still shown.
    if (isBusy) return
    const card = findFocusedCard()
    const key = questionKey(question)
    setBusy(true)
    const unmark = [markSettledHere(key), markSending(key)]
    const outcome = await act('answer', { project: question.project, id: question.id, replies })
    setResult(outcome)
    if (!outcome.ok) {
      setBusy(false)
      return unmark.forEach((undo) => undo())
    }
    deleteDraft(key)
    onSettled(translate(confirmationKey), card)
  }
  return { isBusy, result, send }
}

/** 1 to 9, for the first nine choices; a choice behind the last one is the user's own answer. */
function useChoiceKeys(isOn: boolean, choose: (position: number) => void): void {
  const keys = isOn ? ['1', '2', '3', '4', '5', '6', '7', '8', '9'] : []
  useKeys(
    keys.map((key, position) => ({
      keys: key,
      label: 'keyChoose',
      isHidden: position > 0,
      run: () => choose(position),
    })),
  )
}

function focusChoice(form: HTMLFormElement | null, question: number, selector: string): void {
  form?.querySelectorAll('fieldset')[question]?.querySelector<HTMLInputElement>(selector)?.focus()
}

function focusedQuestion(form: HTMLFormElement | null): number | undefined {
  const groups = [...(form?.querySelectorAll('fieldset') ?? [])]
  const index = groups.findIndex((group) => group.contains(document.activeElement))
  return index === -1 ? undefined : index
}

/** Not every browser submits the form by Enter in a radio button or checkbox. */
function submitByEnter(event: KeyboardEvent & { readonly currentTarget: HTMLFormElement }): void {
  const { target, key, isComposing, currentTarget } = event
  if (key !== 'Enter' || isComposing || !(target instanceof HTMLInputElement) || target.type === 'text') return
  event.preventDefault()
  if (!event.repeat) currentTarget.requestSubmit()
}
