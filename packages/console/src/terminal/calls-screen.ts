// The list of calls: newest first, why one failed, filtered by text, outcome, tool and session. Opened by
// home-screen.ts. Loads calls through the console.

import type { CallView } from '../view.js'
import { createCallPane } from './call-pane.js'
import { createCallPages, NO_FILTER } from './call-pages.js'
import { formatCallRow, formatProjectName, isOfGoneServer, joinParts, sanitizeLine } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import type { KeyBinding, ListItem, ListScreen } from './pane.js'
import type { Row, Style } from './rows.js'
import { createSearchBinding } from './search-binding.js'
import { createTimelineScreen } from './timeline-screen.js'

const OUTCOMES = [null, 'error', 'running', 'cancelled', 'ok'] as const satisfies readonly (
  | CallView['outcome']
  | null
)[]
const STYLES: Readonly<Partial<Record<CallView['outcome'], Style>>> = {
  error: 'bad',
  cancelled: 'dim',
  running: 'accent',
}

export function createCallsScreen(context: InboxContext): ListScreen {
  const { ui, translator, view } = context
  const { translate } = translator
  const pages = createCallPages(context)

  function showNextOutcome(): void {
    const { outcome } = pages.filter
    pages.filter = { ...pages.filter, outcome: OUTCOMES[(OUTCOMES.indexOf(outcome) + 1) % OUTCOMES.length] ?? null }
  }

  function toggle(name: 'tool' | 'session', value: string): void {
    pages.filter = { ...pages.filter, [name]: pages.filter[name] === null ? value : null }
  }

  function callBindings({ tool, session }: CallView): readonly KeyBinding[] {
    const { filter } = pages
    return [
      {
        keys: ['t'],
        hint: 't',
        label: translate(filter.tool === null ? 'actThisTool' : 'actAllTools'),
        run: () => toggle('tool', tool),
      },
      {
        keys: ['s'],
        hint: 's',
        label: translate(filter.session === null ? 'actThisSession' : 'actAllSessions'),
        run: () => toggle('session', session),
      },
      {
        keys: ['w'],
        hint: 'w',
        label: translate('timeline'),
        run: () => ui.open(createTimelineScreen(context, session)),
      },
    ]
  }

  function describeFilter(): string {
    const { text, outcome, tool, session } = pages.filter
    const outcomeName =
      outcome && ({ ok: 'ok', error: 'failed', cancelled: 'cancelled', running: 'running' } as const)[outcome]
    return joinParts(
      outcomeName && translate(outcomeName),
      tool !== null && sanitizeLine(tool),
      session !== null && translate('oneSession'),
      text !== null && `/${sanitizeLine(text)}`,
    )
  }

  function callItem(call: CallView): ListItem {
    const row = (): Row => {
      const gone = isOfGoneServer(view(), call) && call.outcome === 'running' && translate('serverGone')
      const text = joinParts(formatCallRow(call, translator, Date.now()), gone)
      const style = STYLES[call.outcome]
      return [style ? { text, style } : text]
    }
    return { value: `call ${call.id} ${call.project}`, row, pane: () => createCallPane(context, call) }
  }

  function problemNotes(): readonly ListItem[] {
    return pages.problem === '' ? [] : [toNote('problem', sanitizeLine(pages.problem), 'bad')]
  }

  function missingNotes(): readonly ListItem[] {
    if (pages.missing.length === 0) return []
    const servers = view().servers.filter(({ id }) => pages.missing.includes(id))
    const names = servers.map(({ project, pid }) => `${formatProjectName(project)} (${pid})`).join(', ')
    return [toNote('missing', translate('callsMissing', { servers: names }), 'dim')]
  }

  return {
    title: () => joinParts(translate('recentCalls'), describeFilter()),
    get emptyText() {
      if (!pages.isComplete) return translate(pages.filter === NO_FILTER ? 'loading' : 'callsSearching')
      return translate(pages.filter === NO_FILTER ? 'callsNone' : 'callsNoMatch')
    },
    items: () => [...problemNotes(), ...pages.list().map(callItem), ...missingNotes()],
    reachEnd: () => pages.loadMore(),
    bindings(selected) {
      const call = pages.list().find(({ id, project }) => selected?.value === `call ${id} ${project}`)
      const hasFilter = Object.values(pages.filter).some((value) => value !== null)
      return [
        createSearchBinding(context, {
          message: translate('searchCalls'),
          text: pages.filter.text ?? '',
          search: (text) => void (pages.filter = { ...pages.filter, text: text.trim() || null }),
        }),
        { keys: ['f'], hint: 'f', label: translate('actOutcome'), run: showNextOutcome },
        ...(call ? callBindings(call) : []),
        ...(hasFilter
          ? [{ keys: ['a'], hint: 'a', label: translate('actAllCalls'), run: () => void (pages.filter = NO_FILTER) }]
          : []),
      ]
    },
  }
}

function toNote(value: string, text: string, style: Style): ListItem {
  return { value, row: () => [{ text, style }] }
}
