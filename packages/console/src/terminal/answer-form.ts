// Asks the questions of a form in the inbox one after the other and sends the answers together. Esc at any question
// sends nothing. Nothing is preselected. Opened by screens.ts. Reads and writes the terminal; sends the answers through
// the console.

import type { FormQuestion, QuestionReply } from '@scorpiox/server/calls/question-form'
import type { QuestionView } from '../view.js'
import { formatProjectName, joinParts, sanitizeLine } from './format-view.js'
import { type InboxContext, rowsAbove, runAction, showFullText, wrapToScreen } from './inbox-context.js'
import type { PromptEntry, PromptMenu } from './prompts.js'

const OTHER = 'other'
const DECLINE = 'decline'

export async function answerForm(context: InboxContext, form: QuestionView): Promise<void> {
  const { translate, formatNumber } = context.translator
  const replies: QuestionReply[] = []
  for (const [index, question] of form.questions.entries()) {
    const heading = joinParts(
      form.questions.length > 1 && translate('position', { n: formatNumber(index + 1), total: form.questions.length }),
      question.header !== null && sanitizeLine(question.header),
      formatProjectName(form.project),
      translate(form.waiting ? 'callWaitsForThis' : 'callHasEnded'),
    )
    const reply = await answerQuestion(context, question, heading)
    if (!reply) {
      context.statusLine = translate(isOpen(context, form) ? 'notSent' : 'answeredElsewhere')
      return
    }
    replies.push(reply)
  }
  await runAction(context, () => context.userConsole.answer(form, replies, 'inbox'), translate('sent'))
}

function isOpen(context: InboxContext, { project, id }: QuestionView): boolean {
  return context.view().questions.some((open) => open.id === id && open.project === project)
}

async function answerQuestion(
  context: InboxContext,
  question: FormQuestion,
  heading: string,
): Promise<QuestionReply | undefined> {
  const menu = (): TruncatedMenu => createMenu(context, question, heading)
  if (!(await confirmFullyShown(context, question, menu))) return undefined
  let chosen: readonly string[] = []
  for (let note = ''; ;) {
    const currentNote = note
    const selected = await promptForChoices(context, question, () => withNote(menu(), currentNote), chosen)
    if (!selected) return undefined
    chosen = selected
    if (selected.includes(DECLINE) && selected.length === 1) return { outcome: 'declined', selected: [] }
    note = selected.includes(DECLINE) ? context.translator.translate('notBoth') : ''
    if (note !== '') continue
    const labels = question.choices.flatMap(({ label }, index) => (selected.includes(`${index}`) ? [label] : []))
    if (!selected.includes(OTHER)) return { outcome: 'answered', selected: labels }
    const text = await context.prompts.enterText(menu().message)
    if (text !== undefined) return { outcome: 'answered', selected: [...labels, text.trim()] }
  }
}

async function promptForChoices(
  { prompts }: InboxContext,
  { multiple }: FormQuestion,
  menu: () => PromptMenu<string>,
  chosen: readonly string[],
): Promise<readonly string[] | undefined> {
  if (multiple) return prompts.chooseMany(menu(), chosen)
  const value = await prompts.choose(menu, chosen[0])
  return value === undefined ? undefined : [value]
}

interface TruncatedMenu extends PromptMenu<string> {
  readonly isCut: boolean
}

function createMenu(context: InboxContext, question: FormQuestion, heading: string): TruncatedMenu {
  const { translate } = context.translator
  const lines = wrapToScreen(context, question.text)
  const entries: readonly PromptEntry<string>[] = [
    ...question.choices.map(({ label, description }, index) => ({
      value: `${index}`,
      label: sanitizeLine(label),
      ...(description !== null && { hint: sanitizeLine(description) }),
    })),
    { value: OTHER, label: translate('ownAnswer'), hint: translate('ownAnswerHint') },
    { value: DECLINE, label: translate('decline'), hint: translate('declineHint') },
  ]
  // The choices can be scrolled, the question cannot: give it at least a third of the screen.
  const maxRows = Math.max(rowsAbove(context, entries.length + 1), Math.floor(context.screen.rows() / 3))
  const isTruncated = lines.length > maxRows
  const shown = isTruncated ? [...lines.slice(0, maxRows - 1), '…'] : lines
  return { message: [heading, ...shown].join('\n'), entries, isCut: isTruncated }
}

/** If the question does not fit on the screen, offers to show all of it before the answer. False if cancelled. */
async function confirmFullyShown(
  context: InboxContext,
  question: FormQuestion,
  menu: () => TruncatedMenu,
): Promise<boolean> {
  const entries = [
    { value: 'read', label: context.translator.translate('readAll') },
    { value: 'answer', label: context.translator.translate('answer') },
  ]
  while (menu().isCut) {
    const chosen = await context.prompts.choose(() => ({ message: menu().message, entries }))
    if (chosen === undefined) return false
    if (chosen === 'answer') return true
    await showFullText(context, question.text)
  }
  return true
}

function withNote(menu: PromptMenu<string>, note: string): PromptMenu<string> {
  return note === '' ? menu : { ...menu, message: `${note}\n${menu.message}` }
}
