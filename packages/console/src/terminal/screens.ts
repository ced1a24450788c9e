// Navigation of the inbox: shows the main menu, opens the screens of its entries, and shows callbacks, messages and
// lists itself. Run by inbox-command. Reads and writes the terminal; acts through the console.

import type { CallbackView, MessageView } from '../view.js'
import { answerForm } from './answer-form.js'
import { decideApproval } from './approval-screen.js'
import { formatCallbackTime, formatHeadline, formatProjectName, joinParts } from './format-view.js'
import { fitLine, type InboxContext, rowsAbove, runAction, showFullText, wrapToScreen } from './inbox-context.js'
import { showJob } from './job-screen.js'
import {
  endedJobsMenu,
  formatSectionLines,
  formatSectionTitle,
  type InboxSection,
  mainMenu,
  type MenuItem,
  type MenuTarget,
} from './menu.js'
import type { PromptEntry, PromptMenu } from './prompts.js'
import { answerSecret } from './secret-screen.js'
import { showTasks } from './task-screen.js'

const BACK = 'back'

/** Resolves when the user quits. */
export async function runInbox(context: InboxContext): Promise<void> {
  for (let selected: string | undefined; ;) {
    const { statusLine } = context
    const items = (): readonly MenuItem[] => mainMenu(context.view(), context.translator, Date.now())
    selected = await context.prompts.choose(
      () =>
        createListMenu(
          context,
          [formatHeadline(context.view(), context.translator), ...(statusLine === '' ? [] : [statusLine])],
          items(),
        ),
      selected,
    )
    context.statusLine = ''
    const target = items().find(({ value }) => value === selected)?.target
    if (selected === undefined || target?.kind === 'quit') return
    if (target) await openScreen(context, target)
    else context.statusLine = context.translator.translate('isOver')
  }
}

function openScreen(context: InboxContext, target: MenuTarget): Promise<void> {
  switch (target.kind) {
    case 'secret':
      return answerSecret(context, target.secret)
    case 'approval':
      return decideApproval(context, target.approval)
    case 'question':
      return answerForm(context, target.question)
    case 'job':
      return showJob(context, target.job)
    case 'callback':
      return showCallback(context, target.callback)
    case 'message':
      return showMessage(context, target.message)
    case 'section':
      return showSection(context, target.section)
    case 'tasks':
      return showTasks(context)
    case 'ended':
      return showEndedJobs(context)
    case 'nothing':
    case 'quit':
  }
  return Promise.resolve()
}

async function showCallback(context: InboxContext, callback: CallbackView): Promise<void> {
  const { userConsole, prompts, translator } = context
  const { translate } = translator
  const slot = `${callback.slot}`
  const heading = (): string =>
    joinParts(
      translate('callback', { slot }),
      formatProjectName(callback.project),
      formatCallbackTime(callback, translator, Date.now()),
    )
  const action = await showText(context, heading, callback.message, translate('cancelMore'))
  if (action !== 'do' || !(await prompts.confirm(translate('cancelCallback', { slot }), translate('cancelYes')))) return
  await runAction(context, () => userConsole.cancelCallback(callback), translate('callbackCancelled', { slot }))
}

async function showMessage(context: InboxContext, message: MessageView): Promise<void> {
  const { translate } = context.translator
  const kind = translate(message.kind === 'callback' ? 'callbackFired' : 'answerLate')
  const heading = (): string => joinParts(kind, formatProjectName(message.project), translate('notDelivered'))
  const action = await showText(context, heading, message.text, translate('dismissMore'))
  if (action === 'do') await runAction(context, () => context.userConsole.dismiss(message), translate('dismissed'))
}

/** Shows a text with one action. */
async function showText(
  context: InboxContext,
  heading: () => string,
  text: string,
  action: string,
): Promise<'back' | 'do' | undefined> {
  for (;;) {
    const chosen = await context.prompts.choose((): PromptMenu<'back' | 'do' | 'all'> => {
      const lines = wrapToScreen(context, text)
      const maxRows = rowsAbove(context, 4)
      const isTruncated = lines.length > maxRows
      return {
        message: [fitLine(context, heading()), ...lines.slice(0, maxRows), ...(isTruncated ? ['…'] : [])].join('\n'),
        entries: [
          { value: BACK, label: context.translator.translate('back') },
          { value: 'do', label: fitLine(context, action) },
          ...(isTruncated ? [{ value: 'all', label: context.translator.translate('readAll') } as const] : []),
        ],
      }
    })
    if (chosen !== 'all') return chosen
    await showFullText(context, text)
  }
}

/** The lines are menu entries, so that they can be scrolled. */
async function showSection(context: InboxContext, section: InboxSection): Promise<void> {
  const { translator } = context
  await context.prompts.choose(() => {
    const lines = formatSectionLines(context.view(), section, translator, Date.now())
    const rows = lines.map((label, index) => ({ value: `${index}`, label: fitLine(context, label) }))
    return {
      message: formatSectionTitle(section, translator),
      entries: [{ value: BACK, label: translator.translate('back') }, ...rows],
    }
  })
}

async function showEndedJobs(context: InboxContext): Promise<void> {
  const { translator } = context
  const items = (): readonly MenuItem[] => endedJobsMenu(context.view(), translator, Date.now())
  for (let selected: string | undefined = BACK; ;) {
    selected = await context.prompts.choose((): PromptMenu<string> => {
      const { message, entries } = createListMenu(context, [translator.translate('endedJobs')], items())
      return { message, entries: [{ value: BACK, label: translator.translate('back') }, ...entries] }
    }, selected)
    if (selected === undefined || selected === BACK) return
    const target = items().find(({ value }) => value === selected)?.target
    if (target) await openScreen(context, target)
  }
}

function createListMenu(
  context: InboxContext,
  heading: readonly string[],
  items: readonly MenuItem[],
): PromptMenu<string> {
  const entries: readonly PromptEntry<string>[] = items.map(({ value, label }) => ({
    value,
    label: fitLine(context, label),
  }))
  return { message: heading.map((each) => fitLine(context, each)).join('\n'), entries }
}
