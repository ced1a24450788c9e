// The list of servers, each with its tools. Opened by home-screen.ts. No I/O.

import type { ServerView, ToolView } from '../view.js'
import { formatProjectName, formatServerRow, joinParts, sanitizeLine } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import type { ListItem, ListScreen, Pane } from './pane.js'
import { type Row, wrapAfter, wrapText } from './rows.js'
import { createTextPane } from './text-pane.js'

export function createServersScreen(context: InboxContext): ListScreen {
  const { translator, view } = context
  return {
    title: () => translator.translate('serversAndTools'),
    emptyText: translator.translate('serversNone'),
    items: () =>
      view().servers.map((server): ListItem => ({
        value: server.id,
        row: () => serverRow(context, server),
        pane: () => createServerPane(context, server),
      })),
  }
}

function serverRow({ translator }: InboxContext, server: ServerView): Row {
  const { translate, formatTimeAgo } = translator
  if (!server.isGone) return [formatServerRow(server, translator, Date.now())]
  const when = formatTimeAgo(server.goneAt ?? Date.now(), Date.now())
  const text = joinParts(
    formatProjectName(server.project),
    translate('process', { pid: `${server.pid}` }),
    translate('serverGone'),
    when,
  )
  return [{ text, style: 'dim' }]
}

function createServerPane(context: InboxContext, shown: ServerView): Pane {
  const { translator, view } = context
  const { translate } = translator
  const find = (): ServerView => view().servers.find(({ id }) => id === shown.id) ?? shown
  return createTextPane(context, {
    heading(columns) {
      const server = find()
      const state = server.isGone ? wrapText(translate('serverGone'), columns, 'warning') : []
      return [
        ...wrapText(formatServerRow(server, translator, Date.now()), columns, 'accent'),
        ...state,
        ...wrapText(server.project, columns, 'dim'),
      ]
    },
    body: (columns) => find().tools.flatMap((tool) => toolRows(tool, columns)),
  })
}

function toolRows({ name, works, note }: ToolView, columns: number): readonly Row[] {
  const [mark, style] = works
    ? note === null
      ? (['✓', 'good'] as const)
      : (['!', 'warning'] as const)
    : (['✗', 'bad'] as const)
  return [
    [{ text: mark, style }, ` ${sanitizeLine(name)}`],
    ...(note === null ? [] : wrapAfter('    ', sanitizeLine(note), columns, 'dim')),
  ]
}
