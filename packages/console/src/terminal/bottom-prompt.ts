// What is asked in the last rows of the screen while everything above stays visible: yes or no, or a line of text. Esc
// cancels. Shown by inbox-app.ts, opened by the screens. In memory only.

import type { InboxTranslator } from './inbox-context.js'
import type { Key } from './keys.js'
import type { KeyBinding } from './pane.js'
import { type Area, type Row, rowWidth, wrapText } from './rows.js'
import { createTextField } from './text-field.js'

export interface BottomPrompt {
  /** The last row of a text prompt contains the field. */
  draw(area: Area): { readonly rows: readonly Row[]; readonly cursorColumn?: number }
  bindings(): readonly KeyBinding[]
  /** A key that has no binding. */
  type(key: Key): void
  /** Letters are text, not commands. */
  readonly isTyping: boolean
}

export interface TextRequest {
  readonly message: string
  readonly initial?: string | undefined
  /** What is typed is not shown. */
  readonly isSecret?: boolean
  /** An empty text is accepted. */
  readonly isOptional?: boolean
  /** Called for every change, so that what is typed can be kept. */
  readonly onChange?: (text: string) => void
}

export function createConfirmation(
  { translate }: InboxTranslator,
  { question, yes }: { readonly question: string; readonly yes: string },
  close: (isConfirmed: boolean) => void,
): BottomPrompt {
  return {
    isTyping: false,
    draw: (area) => ({ rows: wrapText(question, area.columns, 'warning').slice(0, area.rows) }),
    bindings: () => [
      { keys: ['y'], hint: 'y', label: yes, run: () => close(true) },
      { keys: ['escape', 'n', 'enter'], hint: 'n/Esc', label: translate('no'), run: () => close(false) },
    ],
    type() {},
  }
}

const FIELD_MARK = '> '

export function createTextPrompt(
  { translate }: InboxTranslator,
  { message, initial = '', isSecret = false, isOptional = false, onChange }: TextRequest,
  close: (text: string | undefined) => void,
): BottomPrompt {
  const field = createTextField(initial)
  let isMissing = false

  function confirm(): void {
    isMissing = !isOptional && field.text.trim() === ''
    if (!isMissing) close(field.text)
  }

  return {
    isTyping: true,
    draw({ columns, rows }) {
      const { text, column } = field.view(columns - FIELD_MARK.length - 1, isSecret)
      const notes = isMissing ? wrapText(translate('wordsMissing'), columns, 'warning') : []
      const above = [...wrapText(message, columns, 'bold'), ...notes]
      const room = Math.max(0, rows - 1)
      const cut = above.length > room ? [...above.slice(0, Math.max(0, room - 1)), ['…']].slice(0, room) : above
      return { rows: [...cut, [FIELD_MARK, text]], cursorColumn: rowWidth([FIELD_MARK]) + column }
    },
    bindings: () => [
      { keys: ['enter'], hint: 'Enter', label: translate('confirmText'), run: confirm },
      { keys: ['escape'], hint: 'Esc', label: translate('back'), run: () => close(undefined) },
    ],
    type(key) {
      if (!field.press(key)) return
      isMissing = false
      onChange?.(field.text)
    },
  }
}
