// One question of a form: its options, the user's own answer, and the keys that choose them. Used by the question card.
// Renders only.

import { useId } from 'preact/hooks'

import type { FormQuestion } from '@scorpiox/server/calls/question-form'
import { UntrustedText } from '../components/text.js'
import { useTranslator } from '../use-translator.js'
import { type AnswerDraft, chooseOption, chooseOther, setOtherText } from './answer-draft.js'

/** The server accepts no longer one. */
const MAX_OWN_ANSWER = 4000

interface ChoicesProps {
  readonly question: FormQuestion
  readonly draft: AnswerDraft
  readonly isMissing: boolean
  /** Whether the number keys choose an option of this question. */
  readonly takesKeys: boolean
  readonly change: (draft: AnswerDraft) => void
}

export function Choices({ question, draft, isMissing, takesKeys, change }: ChoicesProps) {
  const { translate } = useTranslator()
  const id = useId()
  const type = question.multiple ? 'checkbox' : 'radio'
  const hint = translate(question.multiple ? 'chooseMany' : 'chooseOne')
  const keyOf = (index: number): string | undefined => (takesKeys && index < 9 ? `${index + 1}` : undefined)
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
        <label key={index} class="choice" data-key-mark={keyOf(index)}>
          <input
            type={type}
            name={id}
            data-choice={index}
            aria-keyshortcuts={keyOf(index)}
            checked={draft.chosen.includes(index)}
            onKeyDown={moveByArrow}
            onChange={(event) => change(chooseOption(draft, question, index, event.currentTarget.checked))}
          />
          <span class="text">
            <UntrustedText text={label} />
            {description !== null && description !== '' && <UntrustedText class="quiet" text={description} />}
          </span>
        </label>
      ))}
      <div class="choice own" data-key-mark={keyOf(question.choices.length)}>
        <label>
          <input
            type={type}
            name={id}
            aria-keyshortcuts={keyOf(question.choices.length)}
            checked={draft.hasOther}
            onKeyDown={moveByArrow}
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
          maxLength={MAX_OWN_ANSWER}
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

/** Between checkboxes, as browsers do between radio buttons. */
function moveByArrow(event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void {
  const { key, currentTarget: input } = event
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
  if (input.type !== 'checkbox' || step === 0) return
  const boxes = [...(input.closest('fieldset')?.querySelectorAll<HTMLInputElement>('input[type=checkbox]') ?? [])]
  boxes.at((boxes.indexOf(input) + step) % boxes.length)?.focus()
  event.preventDefault()
}
