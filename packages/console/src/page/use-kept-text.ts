// What is typed into the forms of tasks: it survives that another task is opened, that a dialog is closed with Escape, and a
// reload. Used by the views of tasks. Reads and writes the draft store.

import { useState } from 'preact/hooks'

import { deleteDraft, readDraft, saveDraft } from './draft-store.js'

export interface KeptTexts<Name extends string> {
  readonly texts: Readonly<Record<Name, string>>
  /** They were kept from before. */
  readonly wereKept: boolean
  readonly change: (part: Partial<Record<Name, string>>) => void
  /** They were saved, or are not wanted any more. */
  readonly drop: () => void
}

/** `initial`: a form in which nothing else was typed is not kept. */
export function useKeptTexts<Name extends string>(
  key: string,
  initial: Readonly<Record<Name, string>>,
): KeptTexts<Name> {
  const [kept] = useState(() => readTexts(key, initial))
  const [texts, setTexts] = useState(kept ?? initial)
  return {
    texts,
    wereKept: kept !== undefined,
    change(part) {
      const next = { ...texts, ...part }
      setTexts(next)
      if (isSame(next, initial)) deleteDraft(key)
      // Without `typed`: it is offered in its form again, not among the texts of questions that are gone.
      else saveDraft({ key, project: '', title: '', typed: [], form: next })
    },
    drop() {
      deleteDraft(key)
      setTexts(initial)
    },
  }
}

function readTexts<Name extends string>(
  key: string,
  initial: Readonly<Record<Name, string>>,
): Readonly<Record<Name, string>> | undefined {
  const stored = readDraft(key)
  if (typeof stored !== 'object' || stored === null) return undefined
  const texts = { ...initial, ...stored }
  return isSame(texts, initial) ? undefined : texts
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  return Object.entries(one).every(([name, text]) => other[name] === text)
}
