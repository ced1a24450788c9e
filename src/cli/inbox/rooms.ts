// Navigation of the inbox: the main menu, and the screens of its entries.

import type { CallbackView, MessageView } from '../../services/board/view.js'
import { attempt, fitting, readAll, roomAbove, wrapped, type Context } from './context.js'
import { answer } from './form.js'
import { followJob } from './job-room.js'
import {
  endedOf,
  headline,
  overviewOf,
  sectionLines,
  sectionTitle,
  type Item,
  type Place,
  type SectionName,
} from './overview.js'
import { joined, projectName } from './phrases.js'
import type { Entry, Menu } from './prompts.js'
import { callbackTime } from './sections.js'
import { readTasks } from './task-room.js'

const BACK = 'back'

/** Resolves when the user quits. */
export async function walk(context: Context): Promise<void> {
  for (let selected: string | undefined; ;) {
    const { notice } = context
    const items = (): readonly Item[] => overviewOf(context.view(), context.words, Date.now())
    selected = await context.prompts.choose(
      () =>
        createListMenu(context, [headline(context.view(), context.words), ...(notice === '' ? [] : [notice])], items()),
      selected,
    )
    context.notice = ''
    const target = items().find(({ value }) => value === selected)?.place
    if (selected === undefined || target?.kind === 'quit') return
    if (target) await openScreen(context, target)
    else context.notice = context.words.say('isOver')
  }
}

function openScreen(context: Context, target: Place): Promise<void> {
  switch (target.kind) {
    case 'question':
      return answer(context, target.question)
    case 'job':
      return followJob(context, target.job)
    case 'callback':
      return showCallback(context, target.callback)
    case 'message':
      return showMessage(context, target.message)
    case 'section':
      return showSection(context, target.section)
    case 'tasks':
      return readTasks(context)
    case 'ended':
      return showEndedJobs(context)
    case 'nothing':
    case 'quit':
  }
  return Promise.resolve()
}

async function showCallback(context: Context, callback: CallbackView): Promise<void> {
  const { board, prompts, words } = context
  const { say } = words
  const slot = `${callback.slot}`
  const heading = (): string =>
    joined(say('callback', { slot }), projectName(callback.project), callbackTime(callback, words, Date.now()))
  const action = await showText(context, heading, callback.message, say('cancelMore'))
  if (action !== 'do' || !(await prompts.confirm(say('cancelCallback', { slot }), say('cancelYes')))) return
  await attempt(context, () => board.cancelCallback(callback), say('callbackCancelled', { slot }))
}

async function showMessage(context: Context, message: MessageView): Promise<void> {
  const { say } = context.words
  const kind = say(message.kind === 'callback' ? 'callbackFired' : 'answerLate')
  const heading = (): string => joined(kind, projectName(message.project), say('notToldYet'))
  const action = await showText(context, heading, message.text, say('dismissMore'))
  if (action === 'do') await attempt(context, () => context.board.dismiss(message), say('dismissed'))
}

/** Shows a text with one action. */
async function showText(
  context: Context,
  heading: () => string,
  text: string,
  action: string,
): Promise<'back' | 'do' | undefined> {
  for (;;) {
    const chosen = await context.prompts.choose((): Menu<'back' | 'do' | 'all'> => {
      const lines = wrapped(context, text)
      const maxRows = roomAbove(context, 4)
      const isTruncated = lines.length > maxRows
      return {
        message: [fitting(context, heading()), ...lines.slice(0, maxRows), ...(isTruncated ? ['…'] : [])].join('\n'),
        entries: [
          { value: BACK, label: context.words.say('back') },
          { value: 'do', label: fitting(context, action) },
          ...(isTruncated ? [{ value: 'all', label: context.words.say('readAll') } as const] : []),
        ],
      }
    })
    if (chosen !== 'all') return chosen
    await readAll(context, text)
  }
}

/** The lines are menu entries, so that they can be scrolled. */
async function showSection(context: Context, section: SectionName): Promise<void> {
  const { words } = context
  await context.prompts.choose(() => {
    const lines = sectionLines(context.view(), section, words, Date.now())
    const rows = lines.map((label, index) => ({ value: `${index}`, label: fitting(context, label) }))
    return { message: sectionTitle(section, words), entries: [{ value: BACK, label: words.say('back') }, ...rows] }
  })
}

async function showEndedJobs(context: Context): Promise<void> {
  const { words } = context
  const items = (): readonly Item[] => endedOf(context.view(), words, Date.now())
  for (let selected: string | undefined = BACK; ;) {
    selected = await context.prompts.choose((): Menu<string> => {
      const { message, entries } = createListMenu(context, [words.say('endedJobs')], items())
      return { message, entries: [{ value: BACK, label: words.say('back') }, ...entries] }
    }, selected)
    if (selected === undefined || selected === BACK) return
    const target = items().find(({ value }) => value === selected)?.place
    if (target) await openScreen(context, target)
  }
}

function createListMenu(context: Context, heading: readonly string[], items: readonly Item[]): Menu<string> {
  const entries: readonly Entry<string>[] = items.map(({ value, label }) => ({ value, label: fitting(context, label) }))
  return { message: heading.map((each) => fitting(context, each)).join('\n'), entries }
}
