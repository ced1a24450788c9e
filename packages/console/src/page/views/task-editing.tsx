// Texts of a task that are edited in place, and the form that adds a step. Enter saves, Escape leaves the text as it was. A
// refused text stays in the field, and an unsaved one is there again when the task is opened again. Used by task-pane.tsx.
// Renders only.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import type { ActionResult } from '../api.js'
import { Icon } from '../components/icon.js'
import { useKeptTexts } from '../use-kept-text.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'

interface EditableTextProps {
  /** Identifies the text among all of the page. */
  readonly draftKey: string
  readonly text: string
  /** Accessible name of the field. */
  readonly label: string
  readonly editLabel: string
  readonly maxLength: number
  /** `before` is the text when editing began. */
  readonly save: (text: string, before: string) => Promise<ActionResult>
  readonly remove?: () => Promise<ActionResult>
  /** The text while it is not edited. */
  readonly children: ComponentChildren
}

export function EditableText({ text, label, editLabel, maxLength, save, children, ...props }: EditableTextProps) {
  const { remove } = props
  const { translate } = useTranslator()
  const canAct = useServers().canAct()
  const { texts, wereKept, change, drop } = useKeptTexts(props.draftKey, { typed: text, before: text })
  const { typed, before } = texts
  const [isEditing, setEditing] = useState(wereKept)
  const [isRefused, setRefused] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isBegun = useRef(false)
  // Before the next key arrives.
  useLayoutEffect(() => {
    if (!isEditing || !isBegun.current) return
    field.current?.focus()
    field.current?.select()
  }, [isEditing])

  const end = (): void => {
    drop()
    setEditing(false)
    setRefused(false)
    requestAnimationFrame(() => button.current?.focus({ preventScroll: true }))
  }
  const submit = async (): Promise<void> => {
    if (typed.trim() === '' || !canAct) return
    // After a conflict the person has read the other text: saving again replaces it.
    if ((await save(typed, isRefused ? text : before)).ok) end()
    else setRefused(true)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape') || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') end()
    else void submit()
  }
  if (!isEditing)
    return (
      <div class="editable">
        {children}
        <button
          ref={button}
          class="button plain"
          type="button"
          disabled={!canAct}
          onClick={() => {
            isBegun.current = true
            change({ typed: text, before: text })
            setEditing(true)
          }}
        >
          <Icon of="edit" />
          <span class="unseen">{editLabel}</span>
        </button>
      </div>
    )
  return (
    <form
      class="task-edit"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <textarea
        ref={field}
        class="field"
        aria-label={label}
        dir="auto"
        rows={Math.min(6, Math.ceil(typed.length / 60) || 1)}
        maxLength={maxLength}
        value={typed}
        onInput={(event) => change({ typed: event.currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      <div class="actions">
        <button class="button main small" type="submit" disabled={!canAct || typed.trim() === ''}>
          {translate('save')}
        </button>
        <button class="button small" type="button" onClick={end}>
          {translate('cancel')}
        </button>
        {remove !== undefined && (
          <button class="button danger small" type="button" disabled={!canAct} onClick={() => void remove()}>
            {translate('stepDelete')}
          </button>
        )}
      </div>
    </form>
  )
}

interface NewStepFormProps {
  readonly draftKey: string
  readonly add: (text: string) => Promise<ActionResult>
}

export function NewStepForm({ draftKey, add }: NewStepFormProps) {
  const { translate } = useTranslator()
  const canAct = useServers().canAct()
  const { texts, change, drop } = useKeptTexts(draftKey, { typed: '' })
  const { typed } = texts
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (isBusy || typed.trim() === '' || !canAct) return
    setBusy(true)
    const done = await add(typed)
    setBusy(false)
    if (done.ok) drop()
  }
  return (
    <form class="new-step" onSubmit={(event) => void submit(event)}>
      <input
        class="field"
        aria-label={translate('stepNew')}
        placeholder={translate('stepNew')}
        dir="auto"
        maxLength={2000}
        value={typed}
        onInput={(event) => change({ typed: event.currentTarget.value })}
      />
      <button class="button" type="submit" disabled={isBusy || !canAct || typed.trim() === ''}>
        {translate('stepAdd')}
      </button>
    </form>
  )
}
