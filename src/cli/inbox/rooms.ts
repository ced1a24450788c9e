// From the overview into one thing and back, until the person goes.

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

/** Resolves when the person quits. */
export async function walk(context: Context): Promise<void> {
  for (let at: string | undefined; ;) {
    const { notice } = context
    const items = (): readonly Item[] => overviewOf(context.view(), context.words, Date.now())
    at = await context.prompts.choose(
      () => listOf(context, [headline(context.view(), context.words), ...(notice === '' ? [] : [notice])], items()),
      at,
    )
    context.notice = ''
    const place = items().find(({ value }) => value === at)?.place
    if (at === undefined || place?.kind === 'quit') return
    if (place) await enter(context, place)
    else context.notice = context.words.say('isOver')
  }
}

function enter(context: Context, place: Place): Promise<void> {
  switch (place.kind) {
    case 'question':
      return answer(context, place.question)
    case 'job':
      return followJob(context, place.job)
    case 'callback':
      return lookAtCallback(context, place.callback)
    case 'message':
      return lookAtMessage(context, place.message)
    case 'section':
      return readSection(context, place.section)
    case 'tasks':
      return readTasks(context)
    case 'ended':
      return chooseEnded(context)
    case 'nothing':
    case 'quit':
  }
  return Promise.resolve()
}

async function lookAtCallback(context: Context, callback: CallbackView): Promise<void> {
  const { board, prompts, words } = context
  const { say } = words
  const slot = `${callback.slot}`
  const head = (): string =>
    joined(say('callback', { slot }), projectName(callback.project), callbackTime(callback, words, Date.now()))
  const deed = await lookAt(context, head, callback.message, say('cancelMore'))
  if (deed !== 'do' || !(await prompts.confirm(say('cancelCallback', { slot }), say('cancelYes')))) return
  await attempt(context, () => board.cancelCallback(callback), say('callbackCancelled', { slot }))
}

async function lookAtMessage(context: Context, message: MessageView): Promise<void> {
  const { say } = context.words
  const kind = say(message.kind === 'callback' ? 'callbackFired' : 'answerLate')
  const head = (): string => joined(kind, projectName(message.project), say('notToldYet'))
  const deed = await lookAt(context, head, message.text, say('dismissMore'))
  if (deed === 'do') await attempt(context, () => context.board.dismiss(message), say('dismissed'))
}

/** A text, with one thing that can be done about it. */
async function lookAt(
  context: Context,
  head: () => string,
  text: string,
  deed: string,
): Promise<'back' | 'do' | undefined> {
  for (;;) {
    const chosen = await context.prompts.choose((): Menu<'back' | 'do' | 'all'> => {
      const lines = wrapped(context, text)
      const room = roomAbove(context, 4)
      const isCut = lines.length > room
      return {
        message: [fitting(context, head()), ...lines.slice(0, room), ...(isCut ? ['…'] : [])].join('\n'),
        entries: [
          { value: BACK, label: context.words.say('back') },
          { value: 'do', label: fitting(context, deed) },
          ...(isCut ? [{ value: 'all', label: context.words.say('readAll') } as const] : []),
        ],
      }
    })
    if (chosen !== 'all') return chosen
    await readAll(context, text)
  }
}

/** Its lines are the entries: that way they can be scrolled. */
async function readSection(context: Context, section: SectionName): Promise<void> {
  const { words } = context
  await context.prompts.choose(() => {
    const lines = sectionLines(context.view(), section, words, Date.now())
    const rows = lines.map((label, index) => ({ value: `${index}`, label: fitting(context, label) }))
    return { message: sectionTitle(section, words), entries: [{ value: BACK, label: words.say('back') }, ...rows] }
  })
}

async function chooseEnded(context: Context): Promise<void> {
  const { words } = context
  const items = (): readonly Item[] => endedOf(context.view(), words, Date.now())
  for (let at: string | undefined = BACK; ;) {
    at = await context.prompts.choose((): Menu<string> => {
      const { message, entries } = listOf(context, [words.say('endedJobs')], items())
      return { message, entries: [{ value: BACK, label: words.say('back') }, ...entries] }
    }, at)
    if (at === undefined || at === BACK) return
    const place = items().find(({ value }) => value === at)?.place
    if (place) await enter(context, place)
  }
}

function listOf(context: Context, head: readonly string[], items: readonly Item[]): Menu<string> {
  const entries: readonly Entry<string>[] = items.map(({ value, label }) => ({ value, label: fitting(context, label) }))
  return { message: head.map((each) => fitting(context, each)).join('\n'), entries }
}
