// Answers the questions of a form one after the other and sends them together. Esc at any question sends nothing. Nothing is
// preselected.

import type { QuestionView } from '../../services/board/view.js'
import type { Question, Reply } from '../../store/state/question-rows.js'
import { attempt, readAll, roomAbove, wrapped, type Context } from './context.js'
import { joined, line, projectName } from './phrases.js'
import type { Entry, Menu } from './prompts.js'

const OTHER = 'other'
const DECLINE = 'decline'

export async function answer(context: Context, form: QuestionView): Promise<void> {
  const { say, number } = context.words
  const replies: Reply[] = []
  for (const [index, question] of form.questions.entries()) {
    const heading = joined(
      form.questions.length > 1 && say('position', { n: number(index + 1), total: form.questions.length }),
      question.header !== null && line(question.header),
      projectName(form.project),
      say(form.waiting ? 'callWaitsForThis' : 'callHasEnded'),
    )
    const reply = await answerQuestion(context, question, heading)
    if (!reply) {
      context.notice = say(isOpen(context, form) ? 'notSent' : 'answeredElsewhere')
      return
    }
    replies.push(reply)
  }
  await attempt(context, () => context.board.answer(form, replies, 'inbox'), say('sent'))
}

function isOpen(context: Context, { project, id }: QuestionView): boolean {
  return context.view().questions.some((open) => open.id === id && open.project === project)
}

async function answerQuestion(context: Context, question: Question, heading: string): Promise<Reply | undefined> {
  const menu = (): TruncatedMenu => createMenu(context, question, heading)
  if (!(await confirmFullyShown(context, question, menu))) return undefined
  let chosen: readonly string[] = []
  for (let note = ''; ;) {
    const currentNote = note
    const selected = await promptForChoices(context, question, () => withNote(menu(), currentNote), chosen)
    if (!selected) return undefined
    chosen = selected
    if (selected.includes(DECLINE) && selected.length === 1) return { outcome: 'declined', selected: [] }
    note = selected.includes(DECLINE) ? context.words.say('notBoth') : ''
    if (note !== '') continue
    const labels = question.choices.flatMap(({ label }, index) => (selected.includes(`${index}`) ? [label] : []))
    if (!selected.includes(OTHER)) return { outcome: 'answered', selected: labels }
    const text = await context.prompts.ownWords(menu().message)
    if (text !== undefined) return { outcome: 'answered', selected: [...labels, text.trim()] }
  }
}

async function promptForChoices(
  { prompts }: Context,
  { multiple }: Question,
  menu: () => Menu<string>,
  chosen: readonly string[],
): Promise<readonly string[] | undefined> {
  if (multiple) return prompts.chooseSeveral(menu(), chosen)
  const value = await prompts.choose(menu, chosen[0])
  return value === undefined ? undefined : [value]
}

interface TruncatedMenu extends Menu<string> {
  readonly isCut: boolean
}

function createMenu(context: Context, question: Question, heading: string): TruncatedMenu {
  const { say } = context.words
  const lines = wrapped(context, question.text)
  const entries: readonly Entry<string>[] = [
    ...question.choices.map(({ label, description }, index) => ({
      value: `${index}`,
      label: line(label),
      ...(description !== null && { hint: line(description) }),
    })),
    { value: OTHER, label: say('ownAnswer'), hint: say('ownAnswerHint') },
    { value: DECLINE, label: say('decline'), hint: say('declineHint') },
  ]
  // The choices can be scrolled, the question cannot: give it at least a third of the screen.
  const maxRows = Math.max(roomAbove(context, entries.length + 1), Math.floor(context.screen.rows() / 3))
  const isTruncated = lines.length > maxRows
  const shown = isTruncated ? [...lines.slice(0, maxRows - 1), '…'] : lines
  return { message: [heading, ...shown].join('\n'), entries, isCut: isTruncated }
}

/** If the question does not fit on the screen, offers to show all of it before the answer. False if cancelled. */
async function confirmFullyShown(context: Context, question: Question, menu: () => TruncatedMenu): Promise<boolean> {
  const entries = [
    { value: 'read', label: context.words.say('readAll') },
    { value: 'answer', label: context.words.say('answer') },
  ]
  while (menu().isCut) {
    const chosen = await context.prompts.choose(() => ({ message: menu().message, entries }))
    if (chosen === undefined) return false
    if (chosen === 'answer') return true
    await readAll(context, question.text)
  }
  return true
}

function withNote(menu: Menu<string>, note: string): Menu<string> {
  return note === '' ? menu : { ...menu, message: `${note}\n${menu.message}` }
}
