// Texts that are asked for in the last rows of the screen: what was typed is kept until it was accepted, and offered when
// it is asked for again. Created by home-screen.ts, used by the lists of tasks and steps. In memory only.

import type { TextRequest } from './bottom-prompt.js'
import type { InboxUi } from './inbox-app.js'

export interface KeptTextRequest extends Pick<TextRequest, 'message' | 'initial'> {
  /** Identifies what the text is for. */
  readonly key: string
  /** Returns whether it was accepted. */
  readonly submit: (text: string) => Promise<boolean>
}

export type EnterKeptText = (request: KeptTextRequest) => Promise<void>

export function createKeptTexts(ui: Pick<InboxUi, 'enterText'>): EnterKeptText {
  const kept = new Map<string, string>()
  return async ({ key, message, initial = '', submit }) => {
    const onChange = (typed: string): void => void (typed === initial ? kept.delete(key) : kept.set(key, typed))
    const text = await ui.enterText({ message, initial: kept.get(key) ?? initial, onChange })
    if (text !== undefined && (text === initial || (await submit(text.trim())))) kept.delete(key)
  }
}
