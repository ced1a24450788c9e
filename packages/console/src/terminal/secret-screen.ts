// Screen of a question of a running command for a password: which command asks, its prompt, and a masked field. Esc
// sends nothing. Opened by screens.ts. Reads and writes the terminal; answers through the console.

import type { SecretView } from '../view.js'
import { formatProjectName, joinParts } from './format-view.js'
import { fitLine, type InboxContext, rowsAbove, runAction, wrapToScreen } from './inbox-context.js'
import type { PromptMenu } from './prompts.js'

type SecretChoice = 'enter' | 'refuse' | 'back'

export async function answerSecret(context: InboxContext, secret: SecretView): Promise<void> {
  const { prompts, translator, userConsole } = context
  const { translate } = translator
  const choice = await prompts.choose(() => createMenu(context, secret))
  if (choice === 'refuse')
    return runAction(context, () => userConsole.answerSecret(secret, null), translate('secretRefused'))
  const value = choice === 'enter' ? await enterValue(context, secret) : undefined
  if (value === undefined) context.statusLine = translate(isOpen(context, secret) ? 'notSent' : 'answeredElsewhere')
  else await runAction(context, () => userConsole.answerSecret(secret, value), translate('secretSent'))
}

function enterValue(context: InboxContext, secret: SecretView): Promise<string | undefined> {
  const message = wrapToScreen(context, secret.prompt).slice(0, rowsAbove(context, 2)).join('\n')
  return secret.isSecret
    ? context.prompts.enterSecret(message)
    : context.prompts.enterText(message, { isOptional: true })
}

function isOpen(context: InboxContext, { server, id }: SecretView): boolean {
  return context.view().secrets.some((open) => open.id === id && open.server === server)
}

function createMenu(context: InboxContext, secret: SecretView): PromptMenu<SecretChoice> {
  const { translate } = context.translator
  const heading = joinParts(translate(secret.isSecret ? 'secretAsk' : 'inputAsk'), formatProjectName(secret.project))
  const maxRows = Math.max(2, rowsAbove(context, 5))
  const lines = [
    ...wrapToScreen(context, secret.command).slice(0, Math.ceil(maxRows / 2)),
    ...wrapToScreen(context, secret.prompt).slice(0, Math.ceil(maxRows / 2)),
  ]
  return {
    message: [fitLine(context, heading), ...lines].join('\n'),
    entries: [
      {
        value: 'enter',
        label: translate('secretEnter'),
        hint: translate(secret.isSecret ? 'secretMeans' : 'inputMeans'),
      },
      { value: 'refuse', label: translate('decline') },
      { value: 'back', label: translate('back') },
    ],
  }
}
