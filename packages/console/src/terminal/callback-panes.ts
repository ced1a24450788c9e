// The panes of a callback, which can be cancelled, and of a message that waits for a model, which can be dismissed. Opened
// by home-screen.ts. Act through the console.

import type { CallbackView, MessageView } from '../view.js'
import { formatCallbackTime, formatClient, formatProjectName, joinParts } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import type { Pane } from './pane.js'
import { wrapText } from './rows.js'
import { createTextPane } from './text-pane.js'

export function createCallbackPane(context: InboxContext, callback: CallbackView): Pane {
  const { ui, userConsole, translator, view } = context
  const { translate } = translator
  const slot = `${callback.slot}`
  const find = (): CallbackView | undefined =>
    view().callbacks.find(
      (each) => each.slot === callback.slot && each.session === callback.session && each.project === callback.project,
    )

  async function cancel(): Promise<void> {
    if (!(await ui.confirm(translate('cancelCallback', { slot }), translate('cancelYes')))) return
    await ui.run(() => userConsole.cancelCallback(callback), translate('callbackCancelled', { slot }))
    if (!find()) ui.closePane()
  }

  return createTextPane(context, {
    heading(columns) {
      const found = find()
      const time = found ? formatCallbackTime(found, translator, Date.now()) : translate('isOver')
      return wrapText(
        joinParts(
          translate('callback', { slot }),
          formatProjectName(callback.project),
          formatClient(found ?? callback),
          time,
        ),
        columns,
        'accent',
      )
    },
    body: (columns) => wrapText((find() ?? callback).message, columns),
    bindings: () => (find() ? [{ keys: ['x'], hint: 'x', label: translate('cancelMore'), run: cancel }] : []),
  })
}

export function createMessagePane(context: InboxContext, message: MessageView): Pane {
  const { ui, userConsole, translator, view } = context
  const { translate } = translator
  const find = (): MessageView | undefined =>
    view().messages.find(({ id, project }) => id === message.id && project === message.project)
  const isOpen = (): boolean => find() !== undefined
  const kind = translate(message.kind === 'callback' ? 'callbackFired' : 'answerLate')

  async function dismiss(): Promise<void> {
    await ui.run(() => userConsole.dismiss(message), translate('dismissed'))
    ui.closePane()
  }

  return createTextPane(context, {
    heading(columns) {
      const state = translate(isOpen() ? 'notDelivered' : 'isOver')
      const client = formatClient(find() ?? message)
      return wrapText(joinParts(kind, formatProjectName(message.project), client, state), columns, 'accent')
    },
    body: (columns) => wrapText(message.text, columns),
    bindings: () => (isOpen() ? [{ keys: ['x'], hint: 'x', label: translate('dismissMore'), run: dismiss }] : []),
  })
}
