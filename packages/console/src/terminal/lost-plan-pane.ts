// The pane of what was typed about a plan that no longer waits for approval: shown until it is discarded, so that it can be
// copied. Opened by home-screen.ts. No I/O of its own.

import { showControlCharacters } from '@scorpiox/server/terminal/text-layout'
import type { PlanDecisionDraft } from './approval-pane.js'
import { formatProjectName, joinParts, sanitizeLine } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import type { Pane } from './pane.js'
import { wrapText } from './rows.js'
import { createTextPane } from './text-pane.js'

interface LostPlanPaneOptions {
  readonly draft: PlanDecisionDraft
  readonly onDiscard: () => void
}

export function createLostPlanPane(context: InboxContext, { draft, onDiscard }: LostPlanPaneOptions): Pane {
  const { ui, translator } = context
  const { translate } = translator
  const typed = [draft.comment, draft.edited?.text ?? ''].filter((text) => text.trim() !== '').join('\n\n')
  const text = showControlCharacters(typed.trimEnd())

  async function discard(): Promise<void> {
    if (!(await ui.confirm(translate('discardTypedAsk'), translate('discard')))) return
    onDiscard()
    ui.closePane()
  }

  return createTextPane(context, {
    heading: (columns) => [
      ...wrapText(joinParts(sanitizeLine(draft.goal), formatProjectName(draft.project)), columns, 'accent'),
      ...wrapText(translate('editKeptPlanGone'), columns, 'warning'),
    ],
    body: (columns) => wrapText(text, columns),
    bindings: () => [
      { keys: ['o'], hint: 'o', label: translate('readAll'), run: () => ui.showFullText(text) },
      { keys: ['x'], hint: 'x', label: translate('discard'), run: discard },
    ],
  })
}
