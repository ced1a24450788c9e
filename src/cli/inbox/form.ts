// Answering: the questions of a form one after the other, sent together. Esc at any of them answers nothing; nothing is
// chosen for the person.

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
    const head = joined(
      form.questions.length > 1 && say('position', { n: number(index + 1), total: form.questions.length }),
      question.header !== null && line(question.header),
      projectName(form.project),
      say(form.waiting ? 'callWaitsForThis' : 'callHasEnded'),
    )
    const reply = await answerOne(context, question, head)
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

async function answerOne(context: Context, question: Question, head: string): Promise<Reply | undefined> {
  const menu = (): Shortened => menuOf(context, question, head)
  if (!(await wasRead(context, question, menu))) return undefined
  let chosen: readonly string[] = []
  for (let note = ''; ;) {
    const said = note
    const given = await choices(context, question, () => noted(menu(), said), chosen)
    if (!given) return undefined
    chosen = given
    if (given.includes(DECLINE) && given.length === 1) return { outcome: 'declined', selected: [] }
    note = given.includes(DECLINE) ? context.words.say('notBoth') : ''
    if (note !== '') continue
    const labels = question.choices.flatMap(({ label }, index) => (given.includes(`${index}`) ? [label] : []))
    if (!given.includes(OTHER)) return { outcome: 'answered', selected: labels }
    const words = await context.prompts.ownWords(menu().message)
    if (words !== undefined) return { outcome: 'answered', selected: [...labels, words.trim()] }
  }
}

async function choices(
  { prompts }: Context,
  { multiple }: Question,
  menu: () => Menu<string>,
  chosen: readonly string[],
): Promise<readonly string[] | undefined> {
  if (multiple) return prompts.chooseSeveral(menu(), chosen)
  const value = await prompts.choose(menu, chosen[0])
  return value === undefined ? undefined : [value]
}

interface Shortened extends Menu<string> {
  readonly isCut: boolean
}

function menuOf(context: Context, question: Question, head: string): Shortened {
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
  // However many choices there are: they can be scrolled, the question cannot.
  const room = Math.max(roomAbove(context, entries.length + 1), Math.floor(context.screen.rows() / 3))
  const isCut = lines.length > room
  const shown = isCut ? [...lines.slice(0, room - 1), '…'] : lines
  return { message: [head, ...shown].join('\n'), entries, isCut }
}

/** Nobody should decide on what the screen has cut off. */
async function wasRead(context: Context, question: Question, menu: () => Shortened): Promise<boolean> {
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

function noted(menu: Menu<string>, note: string): Menu<string> {
  return note === '' ? menu : { ...menu, message: `${note}\n${menu.message}` }
}
