// Texts that the user had typed when the question disappeared: kept until they are copied or discarded. Used by Home.
// Writes to the clipboard.

import { useEffect, useReducer, useRef, useState } from 'preact/hooks'

import { stripControls } from '../components/strip-controls.js'
import { ProjectName, UntrustedText } from '../components/text.js'
import { deleteDraft, type Draft, findLostDrafts } from '../draft-store.js'
import { useTranslator } from '../use-translator.js'

interface LostDraftsState {
  readonly drafts: readonly Draft[]
  readonly discard: (key: string) => void
}

export function useLostDrafts(openKeys: readonly string[]): LostDraftsState {
  const [, update] = useReducer<number, undefined>((count) => count + 1, 0)
  const discard = (key: string): void => {
    deleteDraft(key)
    update(undefined)
  }
  return { drafts: findLostDrafts(new Set(openKeys)), discard }
}

interface LostDraftsProps extends LostDraftsState {
  /** Of the card that had the focus last. */
  readonly focused: string | undefined
}

export function LostDrafts({ drafts, discard, focused }: LostDraftsProps) {
  if (drafts.length === 0) return null
  return (
    <ul class="cards lost-drafts">
      {drafts.map((draft) => (
        <li key={draft.key} class="card">
          <LostDraft draft={draft} hadFocus={draft.key === focused} discard={() => discard(draft.key)} />
        </li>
      ))}
    </ul>
  )
}

interface LostDraftProps {
  readonly draft: Draft
  readonly hadFocus: boolean
  readonly discard: () => void
}

function LostDraft({ draft, hadFocus, discard }: LostDraftProps) {
  const { translate } = useTranslator()
  const field = useRef<HTMLTextAreaElement>(null)
  // What is typed on must not act as keys of the page.
  useEffect(() => {
    if (hadFocus && document.activeElement === document.body) field.current?.focus()
  }, [hadFocus])
  const [isCopied, setCopied] = useState(false)
  const text = draft.typed.join('\n\n')
  const copy = async (): Promise<void> => {
    field.current?.select()
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      // Not allowed here: the text is selected, so that it can be copied with the keyboard.
      field.current?.focus()
    }
  }
  return (
    <>
      <p>
        <strong>{translate('draftLost')}</strong>
      </p>
      <p class="meta">
        <ProjectName path={draft.project} />
        <UntrustedText text={draft.title} />
      </p>
      <textarea
        ref={field}
        class="field"
        dir="auto"
        rows={Math.min(8, text.split('\n').length + 1)}
        readOnly
        aria-label={translate('draftText')}
        value={stripControls(text)}
      />
      <div class="actions">
        <button class="button" type="button" onClick={() => void copy()}>
          {translate(isCopied ? 'copied' : 'copy')}
        </button>
        <button class="button" type="button" onClick={discard}>
          {translate('discard')}
        </button>
      </div>
    </>
  )
}
