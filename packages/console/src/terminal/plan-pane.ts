// The pane of an open plan: its text and what changed since the last draft. Opened by tasks-screen.ts. Reads the plan
// through the console.

import { Failure } from '@scorpiox/mcp/errors'
import { showControlCharacters } from '@scorpiox/server/terminal/text-layout'
import type { PlanDetails } from '../view.js'
import { changedRows } from './changed-rows.js'
import { formatPlanTitle, formatProjectName, joinParts } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import type { KeyBinding, Pane } from './pane.js'
import { type Row, wrapText } from './rows.js'
import { createTextPane } from './text-pane.js'

export function createPlanPane(context: InboxContext, project: string, goal: string): Pane {
  const { ui, translator, userConsole, view } = context
  const { translate } = translator
  let details: PlanDetails | undefined
  let problem = ''
  let showsChanges = false
  let loadedVersion: number | undefined
  const version = (): number | undefined => view().projects.find((each) => each.project === project)?.plan?.version

  async function load(): Promise<void> {
    loadedVersion = version()
    try {
      details = await userConsole.readPlanDetails(project)
      problem = details ? '' : translate('isOver')
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      problem = error.message
    }
    ui.redraw()
  }

  function bodyRows(columns: number): readonly Row[] {
    if (version() !== loadedVersion) void load()
    if (problem !== '') return wrapText(problem, columns, 'bad')
    if (!details) return wrapText(translate('loading'), columns, 'dim')
    return showsChanges
      ? changedRows(details.changes, columns)
      : wrapText(showControlCharacters((details.text ?? translate('planEmpty')).trimEnd()), columns)
  }

  function bindings(): readonly KeyBinding[] {
    const text = details?.text
    const toggle = (): void => void (showsChanges = !showsChanges)
    return [
      ...((details?.changes.length ?? 0) > 0
        ? [{ keys: ['d'], hint: 'd', label: translate(showsChanges ? 'planText' : 'planChanges'), run: toggle }]
        : []),
      ...(text
        ? [
            {
              keys: ['o'],
              hint: 'o',
              label: translate('readAll'),
              run: () => ui.showFullText(showControlCharacters(text)),
            },
          ]
        : []),
    ]
  }

  return createTextPane(context, {
    show: () => void load(),
    heading: (columns) =>
      wrapText(joinParts(formatPlanTitle({ goal }, translator), formatProjectName(project)), columns, 'accent'),
    body: bodyRows,
    bindings,
  })
}
