// The key that asks for a text to search for, in lists and in the output of a job. Used by their screens. No I/O of its
// own.

import type { InboxContext } from './inbox-context.js'
import type { KeyBinding } from './pane.js'

export interface SearchBindingOptions {
  readonly message: string
  /** What is searched for now. */
  readonly text: string
  /** Called with what was typed, which may be empty; not if it was cancelled. */
  readonly search: (text: string) => void | Promise<void>
}

export function createSearchBinding(
  { ui, translator }: InboxContext,
  { message, text, search }: SearchBindingOptions,
): KeyBinding {
  return {
    keys: ['/'],
    hint: '/',
    label: translator.translate('actSearch'),
    async run() {
      const typed = await ui.enterText({ message, initial: text, isOptional: true })
      if (typed !== undefined) await search(typed)
    },
  }
}
