// A pane with text that can be scrolled, and keys that act on what it shows: callbacks, messages, plans, tools. It has
// no cursor, because its lines cannot be chosen. Used by the screens of the inbox. No I/O of its own.

import type { InboxContext } from './inbox-context.js'
import { createScroller, type KeyBinding, type Pane } from './pane.js'
import type { Row } from './rows.js'

export interface TextPaneOptions {
  readonly heading: (columns: number) => readonly Row[]
  readonly body: (columns: number) => readonly Row[]
  readonly bindings?: () => readonly KeyBinding[]
  readonly show?: () => void
}

export function createTextPane({ translator }: InboxContext, options: TextPaneOptions): Pane {
  const { heading, body, bindings, show } = options
  const scroller = createScroller(translator)
  return {
    draw({ columns, rows }) {
      const head = heading(columns).slice(0, Math.max(1, rows - 2))
      const gap: readonly Row[] = head.length > 0 && rows >= 10 ? [[]] : []
      return [...head, ...gap, ...scroller.cut(body(columns), Math.max(1, rows - head.length - gap.length))]
    },
    bindings: () => [...(bindings?.() ?? []), ...scroller.bindings(translator.translate('scroll'))],
    ...(show && { show }),
  }
}
