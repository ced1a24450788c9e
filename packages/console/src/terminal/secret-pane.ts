// The pane of a question of a running command for a password: which command asks, its prompt, and a masked field. Esc
// sends nothing. Opened by home-screen.ts. Answers through the console.

import type { SecretView } from '../view.js'
import { formatClient, formatProjectName, joinParts } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import type { Pane } from './pane.js'
import { wrapText } from './rows.js'

export function createSecretPane(context: InboxContext, secret: SecretView): Pane {
  const { ui, translator, userConsole, view } = context
  const { translate } = translator
  const { isSecret, prompt, command, project } = secret
  let isAnswered = false
  const find = (): SecretView | undefined =>
    view().secrets.find(({ id, server }) => id === secret.id && server === secret.server)
  const isOpen = (): boolean => find() !== undefined

  async function answer(value: string | null, successText: string): Promise<void> {
    isAnswered = await ui.run(() => userConsole.answerSecret(secret, value), successText)
    if (isAnswered || !isOpen()) ui.closePane()
  }

  async function enter(): Promise<void> {
    const value = await ui.enterText({ message: prompt, isSecret, isOptional: true })
    if (value !== undefined) await answer(value, translate('secretSent'))
  }

  return {
    draw({ columns }) {
      const heading = joinParts(translate(isSecret ? 'secretAsk' : 'inputAsk'), formatProjectName(project))
      const found = find()
      const state = found
        ? wrapText(joinParts(formatClient(found), translate('secretWaits')), columns, 'dim')
        : wrapText(translate('answeredElsewhere'), columns, 'warning')
      return [
        ...wrapText(heading, columns, 'accent'),
        ...state,
        [],
        ...wrapText(prompt, columns, 'bold'),
        ...wrapText(command, columns).slice(0, 8),
        [],
        ...wrapText(translate(isSecret ? 'secretMeans' : 'inputMeans'), columns, 'dim'),
      ]
    },
    bindings: () => [
      { keys: ['enter'], hint: 'Enter', label: translate('secretEnter'), run: enter },
      { keys: ['d'], hint: 'd', label: translate('decline'), run: () => answer(null, translate('secretRefused')) },
    ],
    leave: () => (isAnswered ? '' : translate(isOpen() ? 'notSent' : 'answeredElsewhere')),
  }
}
